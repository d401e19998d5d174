package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"endwise/engine/testenv"
)

// A shard file is read to its end or found damaged.
func FuzzShardFile(f *testing.F) {
	dir := f.TempDir()
	w, err := createShardFile(filepath.Join(dir, "x"))
	testenv.OK(f, err)
	for n := range uint64(3) {
		testenv.OK(f, w.put(n, []byte("payload")[:n]))
	}
	testenv.OK(f, w.finish())
	whole := testenv.ReadFile(f, filepath.Join(dir, "x"))
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	f.Add(whole[:20])
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "shard")
		testenv.OK(t, os.WriteFile(path, data, 0o600))
		if _, err := readShardStats(path); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("statistics: %v", err)
		}
		r, err := openShardFile(path)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		defer r.close()
		for {
			_, _, err := r.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
				return
			}
		}
	})
}

// A sparse block of any bytes is refused, or its entries can be listed, and what
// is listed is found.
func FuzzSparseBlock(f *testing.F) {
	var list []entry
	for i := range uint64(20) {
		list = append(list, entry{Key{Hi: i * 0x0123456789abcdef >> 12}, uint32(i)})
	}
	sortEntries(list)
	block, err := encodeSparse(list, 0, 64, 8)
	testenv.OK(f, err)
	f.Add(block, uint64(1))
	f.Add(block[:len(block)/2], uint64(2))
	f.Add(make([]byte, sparseFixed+1), uint64(3))
	f.Fuzz(func(t *testing.T, block []byte, hi uint64) {
		v, err := viewSparse(block, 0, 64, 8)
		if err != nil {
			return
		}
		v.find(Key{Hi: hi})
		listed := map[Key][]uint32{}
		n := 0
		err = v.each(0, func(k Key, value uint32) error {
			n++
			listed[k] = append(listed[k], value)
			return nil
		})
		if n > v.n || err == nil && n != v.n {
			t.Fatalf("%d entries listed of %d, %v", n, v.n, err)
		}
		if err != nil {
			return
		}
		for k, values := range listed {
			if x, ok := v.find(k); !ok || x != values[0] {
				t.Fatalf("find %x: %d, %v; listed are %v", k, x, ok, values)
			}
		}
	})
}

// A header of any bytes opens no table whose files are missing: it is refused in
// words.
func FuzzHeader(f *testing.F) {
	dir := f.TempDir()
	buildDense(f, dir, 1000, false)
	buildSparse(f, dir, 2, 64, 100)
	found, err := filepath.Glob(filepath.Join(dir, "*", tableName))
	if err != nil || len(found) != 2 {
		f.Fatal(found, err)
	}
	for _, path := range found {
		data := testenv.ReadFile(f, path)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// The checksum is made right, or nothing behind it would be tried.
		dir := t.TempDir()
		testenv.OK(t, os.WriteFile(filepath.Join(dir, tableName), append(data, checkLine(data)...), 0o600))
		tab, err := Open(dir, Options{})
		if err == nil {
			defer tab.Close()
			t.Fatalf("a table without files is opened: %s", data)
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Fatal(err)
		}
	})
}

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

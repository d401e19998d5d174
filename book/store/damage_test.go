package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// damageRounds is the number of times that TestDamage damages each file.
var damageRounds = func() int {
	if os.Getenv("ENDWISE_DEEP") != "" {
		return 3000
	}
	return 16
}()

// TestDamage flips bits in all files of finished tables. No value may be wrong, nothing may
// panic, and Verify must report each.
func TestDamage(t *testing.T) {
	const values, entries = 64 * 300, 3000
	for _, kind := range []string{"dense", "sparse"} {
		master := t.TempDir()
		if kind == "dense" {
			buildDense(t, master, values, true)
		} else {
			buildSparse(t, master, 3, 64, entries)
		}
		names, err := os.ReadDir(filepath.Join(master, kind))
		testenv.OK(t, err)
		r, met := rand.New(rand.NewPCG(7, 7)), 0
		for _, e := range names {
			clean := testenv.ReadFile(t, filepath.Join(master, kind, e.Name()))
			for round := range damageRounds {
				path := filepath.Join(t.TempDir(), kind)
				testenv.OK(t, os.CopyFS(path, os.DirFS(filepath.Join(master, kind))))
				dirty := append([]byte(nil), clean...)
				switch {
				case len(dirty) == 0:
					dirty = []byte{1}
				case round == 0:
					dirty = dirty[:len(dirty)/2]
				case round == 1:
					dirty = append(dirty, 0)
				case round < 10: // near the end, where lengths are
					dirty[max(0, len(dirty)-1-r.IntN(64))] ^= 1 << r.IntN(8)
				default:
					dirty[r.IntN(len(dirty))] ^= 1 << r.IntN(8)
				}
				testenv.OK(t, os.WriteFile(filepath.Join(path, e.Name()), dirty, 0o644))
				if damagedTable(t, fmt.Sprintf("%s/%s round %d", kind, e.Name(), round), path, values, entries) {
					met++
				}
			}
		}
		if met == 0 {
			t.Errorf("%s: no damage was met by a look-up", kind)
		}
	}
}

// damagedTable reads everything in a damaged table and reports whether a read found the
// damage.
func damagedTable(t *testing.T, name, path string, values, entries uint64) (met bool) {
	t.Helper()
	tab, err := Open(path, Options{})
	if err != nil {
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: open: %v", name, err)
		}
		return false
	}
	defer tab.Close()
	if tab.Header().Kind == Dense {
		for i := range values {
			if v, err := tab.Value(i); err == nil && v != valueAt(i) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s: value %d: %d, %v; want %d", name, i, v, err, valueAt(i))
			} else if err != nil {
				met = true
			}
		}
	} else {
		for i := range entries {
			if v, ok, err := tab.Lookup(keyAt(i)); err == nil && (!ok || v != uint32(valueAt(i))) || err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s: entry %d: %d, %v, %v; want %d", name, i, v, ok, err, valueAt(i))
			} else if err != nil {
				met = true
			}
		}
	}
	found := 0
	if err := tab.Verify(context.Background(), func(error) { found++ }, nil); err != nil || found == 0 {
		t.Errorf("%s: verify found nothing (%v)", name, err)
	}
	return met
}

// Verify names every damaged block, not only the first.
func TestVerifyNamesEveryDamagedBlock(t *testing.T) {
	const count = 3000
	dir := t.TempDir()
	spec := denseSpec(64*count, false)
	spec.ShardBlocks = count
	b, err := Create(dir, spec)
	testenv.OK(t, err)
	testenv.OK(t, writeDenseShard(b, 0))
	if _, err := b.Finish(context.Background(), FinishOptions{}); err != nil {
		t.Fatal(err)
	}
	tab := openTest(t, filepath.Join(dir, "dense"))
	files, err := filepath.Glob(filepath.Join(tab.Path(), "*.sst"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data := testenv.ReadFile(t, files[0])
	harmed := []uint64{7, 8, 1500}
	for _, n := range harmed {
		payload, err := tab.Block(n)
		testenv.OK(t, err)
		at := bytes.Index(data, binary.LittleEndian.AppendUint32(bytes.Clone(payload), blockCRC(n, payload)))
		if at < 0 {
			t.Fatalf("block %d is not in the file", n)
		}
		data[at+9] ^= 4
	}
	path := filepath.Join(t.TempDir(), "dense")
	testenv.OK(t, os.CopyFS(path, os.DirFS(tab.Path())))
	testenv.OK(t, os.WriteFile(filepath.Join(path, filepath.Base(files[0])), data, 0o644))
	var found []string
	var seen [][2]uint64
	if err := openTest(t, path).Verify(t.Context(), func(err error) {
		if !errors.Is(err, ErrDamaged) {
			t.Error(err)
		}
		found = append(found, err.Error())
	}, func(done, total uint64) { seen = append(seen, [2]uint64{done, total}) }); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(found, "\n")
	for _, says := range []string{"block 7: wrong checksum", "block 8: wrong checksum", "block 1500: wrong checksum", "3 of 3000 blocks", "Badger: "} {
		if strings.Count(text, says) != 1 {
			t.Errorf("%q is not said once in\n%s", says, text)
		}
	}
	if len(found) != len(harmed)+2 || len(seen) < 2 || seen[len(seen)-1] != [2]uint64{count, count} {
		t.Errorf("%d problems, progress %v", len(found), seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tab.Verify(ctx, func(err error) { t.Error(err) }, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A shard file that the disk cannot read is not deleted, in contrast to a damaged one. The
// test simulates a failing disk by a directory in place of the file.
func TestUnreadableShardStays(t *testing.T) {
	for _, kind := range []Kind{Dense, Sparse} {
		spec := sparseSpec(2, 64)
		if kind == Dense {
			spec = denseSpec(64*8, false)
		}
		dir := t.TempDir()
		b, err := Create(dir, spec)
		testenv.OK(t, err)
		testenv.OK(t, os.Mkdir(b.shardPath(0), 0o755))
		read := b.EachBlock(0, func(uint64, []byte) error { return nil })
		if kind == Sparse {
			read = b.EachEntry(0, func(Key, uint32) error { return nil })
		}
		_, stats := b.Histogram(0)
		b.Close()
		_, again := Create(dir, spec)
		for what, err := range map[string]error{"read": read, "histogram": stats, "create": again} {
			if err == nil || errors.Is(err, ErrDamaged) {
				t.Errorf("%s, %s: %v", kind, what, err)
			}
		}
		if _, err := os.Stat(b.shardPath(0)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

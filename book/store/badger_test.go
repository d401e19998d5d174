package store

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"endwise/engine/testenv"
)

// BenchmarkProbe measures a lookup in a running process: from Badger each time, and from
// the block cache.
func BenchmarkProbe(b *testing.B) {
	const n = 200000
	dir := b.TempDir()
	buildLarge(b, dir, n)
	run := func(name string, cache int64) {
		b.Run(name, func(b *testing.B) {
			t, err := Open(filepath.Join(dir, "sparse"), Options{CacheBytes: cache})
			testenv.OK(b, err)
			defer t.Close()
			r := rand.New(rand.NewPCG(1, 2))
			keys := make([]Key, 1<<16)
			for i := range keys {
				keys[i] = keyAt(r.Uint64N(n))
			}
			b.ResetTimer()
			for i := range b.N {
				if _, ok, err := t.Lookup(keys[i&(1<<16-1)]); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
	run("badger", -1)
	run("cache", 64<<20)
}

// BenchmarkOpen measures the time before a process's first lookup.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	buildLarge(b, dir, 200000)
	for range b.N {
		t, err := Open(filepath.Join(dir, "sparse"), Options{})
		testenv.OK(b, err)
		if _, ok, err := t.Lookup(keyAt(1)); !ok || err != nil {
			b.Fatal(ok, err)
		}
		t.Close()
	}
}

func buildLarge(b *testing.B, dir string, n uint64) {
	b.Helper()
	buildSparse(b, dir, 200, 64, n)
}

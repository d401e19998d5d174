package store

import (
	"errors"
	"io"
	"os"
	"testing"

	"endwise/engine/testenv"
)

// A shard file is read to its end or found damaged.
func FuzzShardFile(f *testing.F) {
	b, err := Create(f.TempDir(), Spec{Name: "x", Game: "test", Kind: Dense, Blocks: 3, ShardBlocks: 3})
	testenv.OK(f, err)
	defer b.Close()
	w, err := b.CreateShard(0)
	testenv.OK(f, err)
	for n := range uint64(3) {
		testenv.OK(f, w.PutBlock(n, []byte("payload")[:n]))
	}
	testenv.OK(f, w.Finish())
	whole := testenv.ReadFile(f, b.shardPath(0))
	f.Add(whole)
	f.Add(whole[:len(whole)-5])
	f.Add(whole[:20])
	f.Fuzz(func(t *testing.T, data []byte) {
		path := b.shardPath(0)
		testenv.OK(t, os.WriteFile(path, data, 0o600))
		if _, err := b.readStats(0); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatalf("statistics: %v", err)
		}
		testenv.OK(t, os.WriteFile(path, data, 0o600)) // a damaged one was removed
		r, err := b.openShard(0)
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

package build_test

import (
	"context"
	"fmt"
	"os"

	"endwise/book/store"
	"endwise/book/store/build"
)

// A table is built shard by shard, finished once, and read by anybody.
func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	b, err := build.Create(dir, store.Spec{
		Name: "squares", Title: "i*i mod 7", Game: "example", Rules: 1, Solver: 1,
		Kind: store.Dense, Bits: 8, BlockValues: 8, Values: 32, Blocks: 4, ShardBlocks: 2, Shards: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, shard := range b.Pending() {
		w, err := b.Shard(shard)
		if err != nil {
			fmt.Println(err)
			return
		}
		first, end := b.Spec().ShardRange(shard)
		for block := first; block < end; block++ {
			values := make([]uint8, 8)
			for i := range values {
				n := 8*int(block) + i
				values[i] = uint8(n * n % 7)
				w.Count(int(values[i]), 1)
			}
			if err := w.PutBlock(block, values); err != nil {
				fmt.Println(err)
				return
			}
		}
		if err := w.Finish(); err != nil {
			fmt.Println(err)
			return
		}
	}
	h, err := b.Finish(context.Background(), build.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Positions, h.Histogram, h.SHA256[:16])
	t, err := store.Open(store.Dir(dir, "squares"), store.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	fmt.Println(t.Value(10))
	// Output:
	// 32 map[0:5 1:9 2:9 4:9] 4bfdfe7253357beb
	// 2 <nil>
}

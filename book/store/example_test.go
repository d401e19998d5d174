package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"endwise/book/store"
)

// A table is built shard by shard, finished once, and read by any number of processes.
func Example() {
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	b, err := store.Create(dir, store.Spec{
		Name: "squares", Title: "i*i mod 7", Game: "example", Rules: 1, Solver: 1,
		Kind: store.Dense, Bits: 8, BlockValues: 8, Values: 32, Blocks: 4, ShardBlocks: 2, Shards: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, shard := range b.Pending() {
		w, err := b.CreateShard(shard)
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
	h, err := b.Finish(context.Background(), store.FinishOptions{})
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

// The error for a missing table says what to do.
func ExampleOpen() {
	_, err := store.Open("nowhere", store.Options{})
	fmt.Println(err)
	// Output: nowhere: no such table: solve it first
}

// A journal passes its records to the next process.
func ExampleJournal() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		j, err := store.OpenJournal(filepath.Join(dir, "journal"), "example 1", 4, func(record []byte) error {
			fmt.Printf("%s\n", record)
			return nil
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := j.Add([]byte("done")); err != nil {
			fmt.Println(err)
		}
		if err := j.Close(nil); err != nil {
			fmt.Println(err)
		}
	}
	// Output: done
}

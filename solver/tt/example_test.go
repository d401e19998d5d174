package tt_test

import (
	"fmt"

	"endwise/solver/tt"
)

// An entry is found by its key, with the number of nodes behind it.
func ExampleTable() {
	t := tt.New(1 << 16)
	t.Put(0xfeed, 0xbeef, 42, tt.Work(1000))
	data, work := t.Get(0xfeed, 0xbeef)
	fmt.Println(data, tt.Nodes(work))
	_, work = t.Get(0xcafe, 0xbeef)
	fmt.Println(work)
	// Output:
	// 42 896
	// 0
}

// Bounds with the same key are merged: a lower and an upper bound are both kept.
func ExampleCompact() {
	t := tt.NewCompact(1 << 10)
	t.Store(1, 2<<40, -3, 9, 50)
	t.Store(1, 2<<40, -25, 5, 70)
	fmt.Println(t.Probe(1, 2<<40, -25, 25))
	fmt.Println(t.Probe(1, 4<<40, -25, 25))
	// Output:
	// -3 5
	// -25 25
}

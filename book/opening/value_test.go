package opening

import (
	"fmt"
	"testing"
)

func ExampleValue_String() {
	fmt.Println(exactly(-1), unknown(2), Value{1, Unbounded, 2}, Value{-Unbounded, -1, -3}, Value{1, 5, 3})
	// Output: -1 2? 2?>=1 -3?<=-1 3?1..5
}

func TestWords(t *testing.T) {
	if words := exactly(10000).Words(10000) + ", " + (Value{0, Unbounded, 130}).Words(10000); words != "a win proved, about +1.30, at least a tie proved" {
		t.Error(words)
	}
}

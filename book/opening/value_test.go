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
	for _, c := range []struct {
		v     Value
		scale int
		want  string
	}{
		{exactly(10000), 10000, "a win proved"},
		{Value{0, Unbounded, 130}, 10000, "about +1.30, at least a tie proved"},
		{unknown(0), 10000, "about 0"},
		{unknown(0), 1, "about 0"},
		{exactly(0), 1, "0 proved"},
		{Value{-1, Unbounded, 2}, 1, "about +2, at least -1 proved"},
	} {
		if words := c.v.Words(c.scale); words != c.want {
			t.Errorf("%q, want %q", words, c.want)
		}
	}
}

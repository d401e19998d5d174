package value

import (
	"fmt"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func ExampleValue_String() {
	fmt.Println(Exactly(-1), Unknown(2), Value{1, Unbounded, 2}, Value{-Unbounded, -1, -3}, Value{1, 5, 3})
	// Output: -1 2? 2?>=1 -3?<=-1 3?1..5
}

func TestWords(t *testing.T) {
	if words := Exactly(10000).Words(10000) + ", " + (Value{0, Unbounded, 130}).Words(10000); words != "a win proved, about +1.30, at least a tie proved" {
		t.Error(words)
	}
}

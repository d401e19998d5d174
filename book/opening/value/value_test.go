package value

import (
	"fmt"
	"testing"

	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestValueText(t *testing.T) {
	for _, v := range []Value{Exactly(0), Exactly(-7), Unknown(3), Unknown(-3), {1, Unbounded, 1}, {-2, Unbounded, 4}, {-Unbounded, -1, -5}, {-3, 4, 0}} {
		got, err := Parse(v.String())
		if err != nil || got != v {
			t.Errorf("%v is read back as %v (%v)", v, got, err)
		}
	}
	for _, s := range []string{"", "?", "x", "1?2", "1?>=", "1?3..2", "40000", "1?<=x", "1?1..", "+1", "01"} {
		if v, err := Parse(s); err == nil {
			t.Errorf("%q is read as %v", s, v)
		}
	}
}

func ExampleValue_String() {
	fmt.Println(Exactly(-1), Unknown(2), Value{1, Unbounded, 2}, Value{-Unbounded, -1, -3}, Value{1, 5, 3})
	// Output: -1 2? 2?>=1 -3?<=-1 3?1..5
}

func TestWords(t *testing.T) {
	if words := Exactly(10000).Words(10000) + ", " + (Value{0, Unbounded, 130}).Words(10000); words != "a win proved, about +1.30, at least a tie proved" {
		t.Error(words)
	}
}

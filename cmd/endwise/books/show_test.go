package books

import (
	"testing"

	"endwise/book/opening"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Of the estimates of several books the deepest is shown, as in play.
func TestShowDeepestEstimate(t *testing.T) {
	value := func(estimate int16, depth, plies uint16, book string) bookValue {
		return bookValue{
			opening.Value{Lo: -opening.Unbounded, Hi: opening.Unbounded, Est: estimate},
			opening.Origin{Depth: depth, Plies: plies}, book,
		}
	}
	for _, c := range []struct {
		first, later bookValue
		want         string
	}{
		{value(1, 3, 0, "a"), value(2, 8, 0, "b"), "b"},
		{value(1, 3, 9, "a"), value(2, 8, 0, "b"), "a"},
		{value(1, 8, 0, "a"), value(2, 8, 0, "b"), "a"},
	} {
		got := c.first
		if err := got.join(c.later); err != nil || got.books != c.want {
			t.Errorf("%v and %v: %v, %v", c.first, c.later, got, err)
		}
	}
	proved := bookValue{opening.Value{Lo: 3, Hi: 3, Est: 3}, opening.Origin{}, "a"}
	if err := proved.join(value(2, 8, 0, "b")); err != nil || proved.books != "a" || proved.value.Est != 3 {
		t.Errorf("%v, %v", proved, err)
	}
}

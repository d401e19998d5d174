package facts

import (
	"testing"

	"endwise/book/opening/value"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A record says nothing new to itself.
func TestJoinOfEqualRecords(t *testing.T) {
	for _, own := range []value.Value{value.Unknown(0), {Lo: 3, Hi: value.Unbounded}, {Lo: -value.Unbounded, Hi: -3}, {Lo: -2, Hi: 4}, value.Exactly(3)} {
		r := Record{Own: own.Clamp()}
		if both, err := Join(r, r); err != nil || !both.Equal(&r) {
			t.Errorf("%s with itself: %s, %v", r.Own, both.Own, err)
		}
	}
}

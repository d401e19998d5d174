package opening

import (
	"testing"
)

// Merging a record with itself does not change it.
func TestJoinOfEqualRecords(t *testing.T) {
	for _, own := range []Value{unknown(0), {Lo: 3, Hi: Unbounded}, {Lo: -Unbounded, Hi: -3}, {Lo: -2, Hi: 4}, exactly(3)} {
		r := record{Own: own.clamp()}
		if both, err := mergeRecords(r, r); err != nil || !both.equal(&r) {
			t.Errorf("%s with itself: %s, %v", r.Own, both.Own, err)
		}
	}
}

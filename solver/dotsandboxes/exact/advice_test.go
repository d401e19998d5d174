package exact

import (
	"maps"
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// Advice spares a search its wrong turns, where it is right. Where it is wrong in
// everything the value is the same: none of it is believed.
func TestAdvice(t *testing.T) {
	for board, value := range map[string]int{"3x3": -3, "2x4": 2, "3x4": 0} {
		b := enginetest.Board(t, board)
		kept := map[Key]Proved{}
		search := func(advice map[Key]Proved, record func(Proved)) uint64 {
			t.Helper()
			s := New(Options{Threads: 1, TableBytes: 16 << 20, Advice: advice, Record: record, RecordNodes: 16})
			r, err := s.Value(t.Context(), b, b.All())
			testenv.OK(t, err)
			if !r.Exact() || r.Lower != value {
				t.Errorf("%s: %v, want %+d", board, r, value)
			}
			return r.Nodes
		}
		alone := search(nil, func(a Proved) { kept[a.Key] = a })
		advised := search(kept, nil)
		lies := maps.Clone(kept)
		for key, a := range lies {
			a.Lower, a.Upper = -a.Upper+1, -a.Lower-1
			lies[key] = a
		}
		misled := search(lies, nil)
		t.Logf("%s: %d expansions, %d with advice, %d misled", board, alone, advised, misled)
		if advised >= alone || misled <= alone {
			t.Errorf("%s: %d expansions, %d with advice, %d misled", board, alone, advised, misled)
		}
	}
}

package exact

import (
	"testing"

	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
)

// Many interrupted runs that pass on only their recorded facts solve a board.
func TestRecordedFactsResumeASolve(t *testing.T) {
	b := enginetest.Board(t, "2x4")
	whole := solve(t, New(small(Options{})), b, b.All())
	var facts []Proved
	opt := small(Options{
		NodeLimit:   whole.Nodes / 8,
		RecordNodes: 20,
		Record:      func(p Proved) { facts = append(facts, p) },
	})
	var r solver.Result
	runs := 0
	for ; !r.Exact() || runs == 0; runs++ {
		if runs > 60 {
			t.Fatalf("not solved after %d runs: bounds %d..%d", runs, r.Lower, r.Upper)
		}
		s := New(opt)
		for _, f := range facts {
			testenv.OK(t, s.Learn(f))
		}
		r = solve(t, s, b, b.All())
	}
	if r.Lower != whole.Lower {
		t.Errorf("value %d in %d runs, %d in one", r.Lower, runs, whole.Lower)
	}
	if st := New(opt).Status(); st.Nodes != 0 || st.TableUse != 0 {
		t.Errorf("status before the first solve: %+v", st)
	}
	if runs < 4 {
		t.Errorf("solved in %d runs, want at least 4", runs)
	}
}

func TestLearnRefusesInvalidFacts(t *testing.T) {
	s := New(small(Options{}))
	k := graph.Key{Hi: 1, Lo: 2}
	if err := s.Learn(Proved{Key: k, Bounds: solver.Bounds{Lower: 3, Upper: 1}}); err == nil {
		t.Error("learned that 3 <= value <= 1")
	}
	if err := s.Learn(Proved{Key: k, Bounds: solver.Bounds{Lower: 0, Upper: 200}}); err == nil {
		t.Error("learned a value of 200 squares")
	}
	if err := s.Learn(Proved{Key: k, Bounds: solver.Bounds{Lower: 1, Upper: 3}}); err != nil {
		t.Error(err)
	}
	if err := s.Learn(Proved{Key: k, Bounds: solver.Bounds{Lower: -3, Upper: -1}}); err == nil {
		t.Error("learned bounds that contradict earlier ones")
	}
}

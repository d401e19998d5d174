package exact

import (
	"fmt"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// Long runs. A solve of days is made resumable by its by-products:
// Options.Record is told of every position that took at least
// Options.RecordNodes nodes, with the bounds that were proved. Each report is a
// fact of its own, whoever found it and for whatever question. Kept in any
// order, with repeats and from any number of machines, and given back to Learn
// before the same solve is started again, they bring it to where it was but for
// the nodes since the last reports.

// Proved is what a solve found out about one position on its way.
type Proved struct {
	// Key is the position as the search keeps it: types that a rule replaces
	// replaced, pairs that cancel gone.
	Key graph.Key
	solver.Bounds
	Nodes uint64 // that it took, this time
}

// Status is where a running solve stands.
type Status struct {
	solver.Result         // what Value would return if it were stopped now; the nodes lag a little
	TableUse      float64 // the filled share of the transposition table, 0 to 1
}

// Status may be called from any goroutine while a solve runs.
func (s *Solver) Status() Status {
	r := Status{Result: solver.Result{
		Bounds: solver.Bounds{Lower: int(s.shared.lower.Load()), Upper: int(s.shared.upper.Load())},
		Nodes:  s.shared.nodes.Load(),
	}}
	if t := s.shared.live.Load(); t != nil {
		r.TableUse = t.Use()
	}
	return r
}

// Learn puts facts from an earlier run, or from another machine, into the
// transposition table. Bounds that contradict each other or do not fit any
// board are an error.
func (s *Solver) Learn(facts ...Proved) error {
	s.prepare(grid.MaxSegments)
	for _, f := range facts {
		if f.Lower > f.Upper || f.Lower < -graph.MaxSquares || f.Upper > graph.MaxSquares {
			return fmt.Errorf("learn: position %x: bounds %d..%d", f.Key.AppendBytes(nil), f.Lower, f.Upper)
		}
		e, nodes := bound{lower: -graph.MaxSquares, upper: graph.MaxSquares}, f.Nodes
		if known, ok := s.shared.bounds(f.Key); ok {
			_, work := s.shared.table.Get(f.Key.Hi, f.Key.Lo)
			e, nodes = known, max(nodes, tt.Nodes(work))
		}
		e.lower, e.upper = max(e.lower, int8(f.Lower)), min(e.upper, int8(f.Upper))
		if e.lower > e.upper {
			return fmt.Errorf("learn: position %x: bounds %d..%d contradict what is known", f.Key.AppendBytes(nil), f.Lower, f.Upper)
		}
		s.shared.keep(f.Key, e, nodes)
	}
	return nil
}

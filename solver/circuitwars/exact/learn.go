package exact

import (
	"fmt"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// A long solve can be interrupted and resumed. Options.Record is called with the bounds proved for
// every position that took at least Options.RecordNodes nodes. Each of these facts is true by
// itself: they can be stored in any order, repeated, and collected from several machines. A solve
// after [Solver.Learn] with these facts searches only the positions without recorded facts.

// Proved contains the bounds of one position proved during a solve.
type Proved struct {
	// Key is the key after replacements by rules and without pairs that cancel.
	Key graph.Key
	solver.Bounds
	Nodes uint64 // approximate number of nodes searched
}

// Status is the progress of a solve.
type Status struct {
	solver.Result         // Nodes lags slightly
	TableUse      float64 // filled share of the transposition table, 0 to 1
}

// Status returns the progress of the running search of one position, or the end of the last one.
// AtLeast and Secure do not narrow its bounds. Status may be called from any goroutine.
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

// Learn adds facts of an earlier run to the transposition table. It must not be called during a
// solve. It stops with an error at a fact whose bounds contradict each other or the table, or
// exceed the range of any board.
func (s *Solver) Learn(facts ...Proved) error {
	s.prepare(grid.MaxSegments)
	for _, f := range facts {
		invalid := func(why string) error {
			return fmt.Errorf("learn: position %x: bounds %d..%d %s", f.Key.AppendBytes(nil), f.Lower, f.Upper, why)
		}
		if f.Lower > f.Upper || f.Lower < -graph.MaxSquares || f.Upper > graph.MaxSquares {
			return invalid("are impossible")
		}
		e, nodes := bound{lower: -graph.MaxSquares, upper: graph.MaxSquares}, f.Nodes
		if old, ok := s.shared.bounds(f.Key); ok {
			_, work := s.shared.table.Get(f.Key.Hi, f.Key.Lo)
			e, nodes = old, max(nodes, tt.Nodes(work))
		}
		e.lower, e.upper = max(e.lower, int8(f.Lower)), min(e.upper, int8(f.Upper))
		if e.lower > e.upper {
			return invalid("contradict earlier bounds")
		}
		s.shared.setBounds(f.Key, e, nodes)
	}
	return nil
}

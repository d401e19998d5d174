package circuitwars

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/circuitwars/search"
)

// The mirror theorem (solver/circuitwars/graph/mirror.go) holds for positions whose graph has an
// involution that fixes no edge. Let n be the number of squares that the involution fixes. The side
// that is not to move can answer every move with its image, and gains at least n squares more than
// the side to move. So in such a position no move is worth more than -n, and a move that captures c
// squares and leads to such a position is worth at least c + n.

const theorem = "mirror"

type mirrorMove struct {
	segment   int
	guarantee int // proved lower bound of the move's value for the side that plays it
}

// mirrorMoves returns the moves to positions for which the theorem holds.
func mirrorMoves(p circuitwars.Position) []mirrorMove {
	var m graph.MirrorFinder
	var out []mirrorMove
	for _, s := range p.Free().Segments() {
		q, err := p.Occupy(s)
		if err != nil {
			continue
		}
		if fixed, ok := m.Fixed(q.Board(), q.Free()); ok {
			out = append(out, mirrorMove{s, p.Left() - q.Left() + fixed})
		}
	}
	return out
}

// mirrored reports whether the best lower bound comes from the theorem and wins or ties. Keeping such a
// bound takes no time at later turns.
func mirrored(k *book.Known) bool {
	floor, _ := k.Bounds()
	return floor >= k.Ties() && slices.ContainsFunc(k.Moves(), func(m book.KnownMove) bool {
		return m.Lower == floor && m.LowerFrom == theorem
	})
}

// heuristicSource is the source of the mirror theorem's bounds and of a static evaluation of every move.
type heuristicSource struct{}

func (heuristicSource) Name() string { return "heuristic" }

func (s heuristicSource) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	p, err := engine.As[circuitwars.Position](q.Position)
	if err != nil {
		return false, err
	}
	var mirrors []engine.Move
	for _, m := range mirrorMoves(p) {
		mirrors = append(mirrors, engine.Move(m.segment))
		q.Known.Prove(theorem, book.Claim{Move: engine.Move(m.segment), Lower: m.guarantee, Upper: p.Left(),
			Note: fmt.Sprintf("mirror theorem: %s, then answering every move with its image, gives at least %d",
				p.MoveString(engine.Move(m.segment)), m.guarantee)})
	}
	if floor, _ := q.Known.Bounds(); len(mirrors) > 0 && floor >= q.Known.Ties() {
		if q.Play {
			rand.Shuffle(len(mirrors), func(i, j int) { mirrors[i], mirrors[j] = mirrors[j], mirrors[i] })
		}
		q.Known.Prefer("", mirrors...)
	}
	note := ""
	if fixed, ok := new(graph.MirrorFinder).Fixed(p.Board(), p.Free()); ok {
		q.Known.Bound(theorem, -p.Left(), -fixed)
		note = fmt.Sprintf("mirror theorem: the opponent can answer every move with its image, "+
			"so the side to move gets at most %d", -fixed)
	}
	var estimates []book.Estimate
	for _, e := range search.EvaluateMoves(p) {
		estimates = append(estimates, book.Estimate{Move: engine.Move(e.Segment), Score: e.Score, Note: note})
	}
	q.Known.Estimate(s.Name(), 1, estimates...)
	return false, nil
}

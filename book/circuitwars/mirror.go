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

// The mirror theorem (solver/circuitwars/graph/mirror.go) speaks of the graph of a position: where
// that has an involution that fixes no edge, whoever is not to move can answer
// every move with its image and gets at least as many squares as it fixes. So a
// move that leaves such a position is worth at least what it captures plus that
// number, and in such a position no move is worth more than minus that number.

// theorem is what decisions say about the source.
const theorem = "mirror"

// mirrorMove is a move that makes a position symmetric for the opponent, with
// what it guarantees.
type mirrorMove struct {
	segment   int
	guarantee int // proved lower bound of the move's value for the mover
}

// mirrorMoves finds the moves after which the theorem holds.
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

// mirrorCeiling says what the theorem proves about the side to move in a
// position that is symmetric itself: it gets at most minus fixed.
func mirrorCeiling(p circuitwars.Position) (fixed int, ok bool) {
	var m graph.MirrorFinder
	return m.Fixed(p.Board(), p.Free())
}

// mirrored says whether the best that is proved does not lose and is proved by
// the theorem, which needs no time to keep it.
func mirrored(k *book.Known) bool {
	floor, _ := k.Bounds()
	return floor >= k.Ties() && slices.ContainsFunc(k.Moves(), func(m book.KnownMove) bool {
		return m.Lower == floor && m.LowerFrom == theorem
	})
}

// heuristicSource says what the theorem proves and takes a first look at every
// move, one turn ahead, in about a millisecond: what is played when everything
// else is late. Moves that are equal to it come in random order: a player without
// time must not be the same in every game.
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
			Note: fmt.Sprintf("mirror theorem: %s, then answering every move with its image, gives at least %d", p.MoveString(engine.Move(m.segment)), m.guarantee)})
	}
	if floor, _ := q.Known.Bounds(); len(mirrors) > 0 && floor >= q.Known.Ties() {
		if q.Play {
			rand.Shuffle(len(mirrors), func(i, j int) { mirrors[i], mirrors[j] = mirrors[j], mirrors[i] })
		}
		q.Known.Prefer("", mirrors...)
	}
	note := ""
	if fixed, ok := mirrorCeiling(p); ok {
		q.Known.Bound(theorem, -p.Left(), -fixed)
		note = fmt.Sprintf("mirror theorem: the opponent can answer every move with its image, so the side to move gets at most %d", -fixed)
	}
	var guesses []book.Estimate
	for _, e := range search.EvaluateMoves(p) {
		guesses = append(guesses, book.Estimate{Move: engine.Move(e.Segment), Score: e.Score, Note: note})
	}
	q.Known.Estimate(s.Name(), 1, guesses...)
	return false, nil
}

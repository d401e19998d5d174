package circuitwars

import (
	"context"
	"fmt"
	"slices"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
)

// mirrorMove is a move that makes a Circuit Wars position symmetric for the
// opponent, with what it guarantees.
type mirrorMove struct {
	segment   int
	guarantee int // proved lower bound of the move's value for the mover
	symmetry  string
}

// mirrorMoves finds the moves after which some involution of the board maps
// the free segments to themselves and fixes none of them. By the mirror
// theorem the opponent's value is then at most minus the number of open
// squares that the involution fixes, because every move can be answered with
// its image; so the move is worth at least what it captures plus that number.
// The best guarantee comes first; an empty list means that the theorem says
// nothing here.
func mirrorMoves(p circuitwars.Position) []mirrorMove {
	b := p.Board()
	var out []mirrorMove
	for _, y := range b.Symmetries() {
		if !involution(y) {
			continue
		}
		// A move can only heal a position in which all but one free segment
		// has its image free, or whose captures remove what has not. Count
		// first: most positions are out at once.
		unpaired := 0
		for _, s := range p.Free().Segments() {
			if i := y.Segment[s]; i == s || !p.Free().Has(i) {
				unpaired++
			}
		}
		if unpaired == 0 {
			continue // symmetric already: any move breaks it or needs its own image
		}
		for _, s := range p.Free().Segments() {
			q, err := p.Occupy(s)
			if err != nil {
				continue
			}
			fixed, ok := symmetricSquares(q, y)
			if !ok {
				continue
			}
			m := mirrorMove{s, p.Left() - q.Left() + fixed, y.Name}
			if i := slices.IndexFunc(out, func(o mirrorMove) bool { return o.segment == s }); i < 0 {
				out = append(out, m)
			} else if m.guarantee > out[i].guarantee {
				out[i] = m
			}
		}
	}
	best := 0
	for i := range out {
		if out[i].guarantee > out[best].guarantee {
			best = i
		}
	}
	if len(out) > 0 {
		out[0], out[best] = out[best], out[0]
	}
	return out
}

// mirrorCeiling says what the theorem proves about the side to move in a
// position that is symmetric itself: it gets at most minus fixed.
func mirrorCeiling(p circuitwars.Position) (fixed int, symmetry string, ok bool) {
	for _, y := range p.Board().Symmetries() {
		if !involution(y) {
			continue
		}
		if f, sym := symmetricSquares(p, y); sym && (!ok || f > fixed) {
			fixed, symmetry, ok = f, y.Name, true
		}
	}
	return fixed, symmetry, ok
}

// symmetricSquares says whether y maps the free segments of q to themselves
// without fixing one, and counts the open squares that it fixes.
func symmetricSquares(q circuitwars.Position, y grid.Symmetry) (fixed int, ok bool) {
	free := q.Free()
	for _, s := range free.Segments() {
		if i := y.Segment[s]; i == s || !free.Has(i) {
			return 0, false
		}
	}
	for sq, to := range y.Square {
		if sq == to && !q.Captured(sq) {
			fixed++
		}
	}
	return fixed, true
}

func involution(y grid.Symmetry) bool {
	identity := true
	for s, to := range y.Segment {
		if y.Segment[to] != s {
			return false
		}
		identity = identity && to == s
	}
	return !identity
}

// mirrorSource answers with the image of the opponent's move (by the half-turn
// or another involution) wherever that proves a guarantee, and never with
// anything else unless it is proved to give at least as much.
type mirrorSource struct {
	search *searchSource // for the other moves, where all are asked for
}

func (mirrorSource) Name() string { return "mirror" }

func (s mirrorSource) Answer(ctx context.Context, q *book.Question) (engine.Decision, bool, error) {
	p, err := positionOf(q)
	if err != nil {
		return engine.Decision{}, false, err
	}
	mirrors := mirrorMoves(p)
	if len(mirrors) == 0 {
		return engine.Decision{}, false, nil
	}
	for _, m := range mirrors {
		q.Known = append(q.Known, engine.MoveValue{
			Move: p.MoveString(engine.Move(m.segment)), Score: m.guarantee, Proof: engine.Lower, Source: s.Name(),
		})
	}
	var best engine.MoveValue
	for _, k := range q.Known {
		if (k.Proof == engine.Exact || k.Proof == engine.Lower) && (best.Move == "" || k.Score > best.Score) {
			best = k
		}
	}
	d := engine.Decision{Nodes: q.Nodes, Moves: []engine.MoveValue{best}}
	if q.AllMoves {
		if d, _, err = s.search.Answer(ctx, q); err != nil {
			return engine.Decision{}, false, err
		}
		at := slices.IndexFunc(d.Moves, func(m engine.MoveValue) bool { return m.Move == best.Move })
		copy(d.Moves[1:at+1], d.Moves[:at])
		d.Moves[0] = best
	}
	d.Move, d.Score, d.Proof, d.Source, d.Depth = best.Move, best.Score, engine.Lower, best.Source, 0
	d.Line = append([]string{best.Move}, best.Line...)
	m := mirrors[0]
	d.Note = fmt.Sprintf("mirror theorem (%s): %s, then answering every move with its image, gives at least %d", m.symmetry, p.MoveString(engine.Move(m.segment)), m.guarantee)
	return d, true, nil
}

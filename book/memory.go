package book

import (
	"cmp"
	"slices"
	"sync"

	"endwise/engine"
	"endwise/engine/grid"
)

// memory contains the proofs of moves chosen in running games. At the next turn of a game, the sources
// may not have the time to prove a value again. The proof is therefore recalled as a bound, and the
// moves of its line are played as long as the opponent follows the line too (Known.followsLine).
type memory struct {
	mu     sync.Mutex
	proofs []proof // oldest first
}

type proof struct {
	after engine.Position // position after the move
	side  engine.Side     // side that made the move

	// result is the proved lower bound of the game's result for side: a final score difference or, in
	// Watch Your Back, 1, 0 or -1. source is its source, "" if nothing is proved.
	result int
	source string

	// line is best play after the position, lineResult the result for side at its end, and lineSource
	// its source. If the move follows the line of an earlier turn, lineResult may exceed result.
	line       []string
	lineResult int
	lineSource string
}

const maxProofs = 32

// remember adds the proof of the chosen move m of k and drops the oldest proof if the memory is full. It
// does nothing if m ends the game, or has no lower bound and follows no line of an earlier turn. line is
// the line of the decision, which begins with m.
func (mem *memory) remember(k *Known, m KnownMove, line []string) {
	p := proof{side: k.Position.Turn(), line: line[1:]}
	if m.LowerFrom != "" || m.Exact() {
		p.result, p.source = m.Lower-k.Ties(), cmp.Or(m.LowerFrom, m.From)
	}
	p.lineResult, p.lineSource = p.result, p.source
	k.mu.Lock()
	followed := k.followsLine(&m)
	k.mu.Unlock()
	if followed && (p.source == "" || k.line.lineResult > p.lineResult) {
		p.lineResult, p.lineSource = k.line.lineResult, k.line.lineSource
	}
	if p.lineSource == "" {
		return
	}
	after, err := k.Position.Play(m.Move)
	if err != nil || after.Over() {
		return
	}
	p.after = after
	mem.mu.Lock()
	defer mem.mu.Unlock()
	if len(mem.proofs) == maxProofs {
		mem.proofs = append(mem.proofs[:0], mem.proofs[1:]...)
	}
	mem.proofs = append(mem.proofs, p)
}

// recall finds the latest proof p such that moves of the opponent alone lead from p.after to k.Position.
// If p has a proved result, recall records it as a lower bound of k.Position. If the opponent has
// followed p's line, k.line becomes p with the rest of that line.
func (mem *memory) recall(k *Known) {
	mem.mu.Lock()
	proofs := slices.Clone(mem.proofs)
	mem.mu.Unlock()
	for _, p := range slices.Backward(proofs) {
		comparable := p.side == k.Position.Turn() && p.after.Game() == k.Position.Game()
		if !comparable || !reachable(p.after, k.Position, p.side) {
			continue
		}
		if p.source != "" {
			// A result is a final score difference; a bound counts from the position on.
			k.Bound(p.source, p.result+k.Ties(), Unbounded)
		}
		if rest := engine.Follow(p.after, p.line, k.Position); len(rest) > 0 {
			p.line, k.line = rest, &p
		}
		return
	}
}

// reachable reports whether moves of side's opponent, possibly several in a row, lead from position p to
// position later, where side is to move. The moves are those that are legal in p and not in later;
// reachable plays them in any order.
func reachable(p, later engine.Position, side engine.Side) bool {
	if !segmentsIncluded(p, later) {
		return false
	}
	target, legal := later.String(), later.Moves()
	for p.Turn() != side && !p.Over() {
		var next engine.Position // after a move that does not end the opponent's turn
		for _, m := range p.Moves() {
			after, err := p.Play(m)
			if err != nil {
				continue
			}
			if after.Turn() == side && after.String() == target {
				return true
			}
			if after.Turn() != side && !slices.Contains(legal, m) && !after.Over() {
				next = after
				break
			}
		}
		if next == nil {
			return false
		}
		p = next
	}
	return p.String() == target
}

// segmentsIncluded reports whether later contains all drawn segments of p, or the game has none.
func segmentsIncluded(p, later engine.Position) bool {
	type drawn interface {
		Board() *grid.Board
		Drawn() grid.Set
	}
	a, ok := p.(drawn)
	b, too := later.(drawn)
	if !ok || !too {
		return true
	}
	if a.Board() != b.Board() { // boards of equal size have the same pointer
		return false
	}
	before, now := a.Drawn(), b.Drawn()
	for i := range before {
		if before[i]&^now[i] != 0 {
			return false
		}
	}
	return true
}

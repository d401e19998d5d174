package book

import (
	"cmp"
	"slices"
	"sync"

	"endwise/engine"
	"endwise/engine/grid"
)

// memory holds what was proved about the moves chosen in running games, and the lines of
// the proofs. The next decision of the same game starts from them: the search that proved a
// value at one turn may not have the time to prove it again at the next. If there is no
// time at all, the line of the proof is followed as long as the opponent follows it.
type memory struct {
	mu     sync.Mutex
	proofs []proof // oldest first
}

// proof is a position reached by a chosen move, and what was proved about that move.
type proof struct {
	after engine.Position
	side  engine.Side // side that made the move

	// The lower bound for side, the final score difference or 1, 0, -1, and its source, ""
	// if nothing is proved.
	result int
	source string

	// The line of best play after the position, the result for side at its end, and the
	// source of the line. If the move followed the line of an earlier turn, the result need
	// not be proved for the position.
	line       []string
	lineResult int
	lineSource string
}

// maxProofs is the maximum number of proofs in a memory. One per game is in use, so this
// many games may run concurrently.
const maxProofs = 32

// remember adds the proofs of a position's chosen move and the line of the decision.
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

// recall records the lower bound of a position that follows from an earlier turn's proof:
// the proved result less what has been won since. It also records the remaining line of the
// proof.
func (mem *memory) recall(k *Known) {
	mem.mu.Lock()
	proofs := slices.Clone(mem.proofs)
	mem.mu.Unlock()
	for _, p := range slices.Backward(proofs) {
		if p.side != k.Position.Turn() || p.after.Game() != k.Position.Game() || !reachable(p.after, k.Position, p.side) {
			continue
		}
		if p.source != "" {
			k.Bound(p.source, p.result+k.Ties(), Unbounded)
		}
		if rest := engine.Follow(p.after, p.line, k.Position); len(rest) > 0 {
			p.line, k.line = rest, &p
		}
		return
	}
}

// reachable reports whether only moves of side's opponent lead from one position to the
// other. It plays these moves. If the opponent moves several times in a row, it plays the
// moves that are no longer legal at the end in any order, which must not matter.
func reachable(from, to engine.Position, side engine.Side) bool {
	if !segmentsIncluded(from, to) {
		return false
	}
	target, legal := to.String(), map[engine.Move]bool{}
	for _, m := range to.Moves() {
		legal[m] = true
	}
	for from.Turn() != side && !from.Over() {
		var next engine.Position // after a move that does not end the opponent's turn
		for _, m := range from.Moves() {
			after, err := from.Play(m)
			if err != nil {
				continue
			}
			if after.Turn() == side && after.String() == target {
				return true
			}
			if after.Turn() != side && !legal[m] && !after.Over() {
				next = after
				break
			}
		}
		if next == nil {
			return false
		}
		from = next
	}
	return from.String() == target
}

// segmentsIncluded reports whether every segment drawn in from is drawn in to. It is a
// quick test that rules out most pairs, and true for games without segments.
func segmentsIncluded(from, to engine.Position) bool {
	type drawn interface {
		Board() *grid.Board
		Drawn() grid.Set
	}
	a, ok := from.(drawn)
	b, too := to.(drawn)
	if !ok || !too {
		return true
	}
	if a.Board() != b.Board() {
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

package book

import (
	"cmp"
	"sync"

	"endwise/engine"
	"endwise/engine/grid"
)

// memory holds what was proved about the moves chosen in running games, and the lines of
// the proofs. The next decision of the same game starts from them: the search that proved a value at one turn may not have the
// time to prove it again at the next. If there is no time at all, the line of the proof is
// followed as long as the opponent follows it.
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
	promised   int
	promisedBy string
}

// remembered is the number of proofs kept. One per game is in use, so this many games may
// run concurrently.
const remembered = 32

// keep remembers the chosen move of a position and the line of the decision.
func (y *memory) keep(k *Known, m KnownMove, line []string) {
	p := proof{side: k.Position.Turn(), line: line[1:]}
	if m.LowerFrom != "" || m.Exact() {
		p.result, p.source = m.Lower-k.Ties(), cmp.Or(m.LowerFrom, m.From)
	}
	p.promised, p.promisedBy = p.result, p.source
	k.mu.Lock()
	followed := k.followed(&m)
	k.mu.Unlock()
	if followed && (p.source == "" || k.line.promised > p.promised) {
		p.promised, p.promisedBy = k.line.promised, k.line.promisedBy
	}
	if p.promisedBy == "" {
		return
	}
	after, err := k.Position.Play(m.Move)
	if err != nil || after.Over() {
		return
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(y.proofs) == remembered {
		y.proofs = append(y.proofs[:0], y.proofs[1:]...)
	}
	p.after = after
	y.proofs = append(y.proofs, p)
}

// recall records the lower bound of a position that follows from an earlier turn's proof:
// the proved result less what has been won since. It also records the remaining line of the
// proof.
func (y *memory) recall(k *Known) {
	y.mu.Lock()
	proofs := append([]proof(nil), y.proofs...)
	y.mu.Unlock()
	for i := len(proofs) - 1; i >= 0; i-- {
		p := &proofs[i]
		if p.side == k.Position.Turn() && p.after.Game() == k.Position.Game() && follows(p.after, k.Position, p.side) {
			if p.source != "" {
				k.Bound(p.source, p.result+k.Ties(), Unbounded)
			}
			if rest := engine.Follow(p.after, p.line, k.Position); len(rest) > 0 {
				p := *p
				p.line, k.line = rest, &p
			}
			return
		}
	}
}

// follows reports whether only moves of side's opponent lead from one position to the
// other. It plays these moves. If the opponent moves several times in a row, it plays the
// moves that are no longer legal at the end in any order, which must not matter.
func follows(from, to engine.Position, side engine.Side) bool {
	if !drawnIn(from, to) {
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

// drawnIn reports whether every segment drawn in from is drawn in to. It is a quick test
// that rules out most pairs, and true for games without segments.
func drawnIn(from, to engine.Position) bool {
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

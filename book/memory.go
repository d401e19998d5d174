package book

import (
	"cmp"
	"sync"

	"endwise/engine"
	"endwise/engine/grid"
)

// memory holds what was proved when own moves were chosen in games that go on,
// so that the next decision of the same game begins with it: the search that
// proved a value at one turn may not have the time to do so again at the next. If there is
// no time at all, the line of that proof is followed as long as the opponent does.
type memory struct {
	mu     sync.Mutex
	proofs []proof // the latest last
}

// proof is a position that an own move has led to, and what that move was
// proved to bring.
type proof struct {
	after  engine.Position
	side   engine.Side // who has made the move
	result int         // at least, for that side: the margin at the end, or 1, 0, -1
	source string
	line   []string // best play after the position
	hope   bool     // the position is on a line: nothing is proved of it for certain
}

// remembered is how many games may go on at once without forgetting.
const remembered = 32

// keep remembers what was chosen in a position, and the line of the decision.
func (y *memory) keep(k *Known, m KnownMove, line []string) {
	p := proof{side: k.Position.Turn(), result: m.Lower - k.Ties(), source: cmp.Or(m.LowerFrom, m.From), line: line[1:]}
	k.mu.Lock()
	followed := k.followed(&m)
	k.mu.Unlock()
	if followed {
		p.result, p.source, p.hope = k.line.result, k.line.source, true
	} else if m.LowerFrom == "" && !m.Exact() {
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

// recall records what a position is worth at least by what was proved a turn
// earlier: the result that was proved then less what has been won since. It also records
// the next move of the proof's line.
func (y *memory) recall(k *Known) {
	y.mu.Lock()
	proofs := append([]proof(nil), y.proofs...)
	y.mu.Unlock()
	for i := len(proofs) - 1; i >= 0; i-- {
		p := &proofs[i]
		if p.side == k.Position.Turn() && p.after.Game() == k.Position.Game() && follows(p.after, k.Position, p.side) {
			if !p.hope {
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

// follows says whether one position comes from another by moves of the opponent
// of a side alone. It plays them, so that it never says so wrongly; where a game
// lets one side move several times, the order of those moves must not matter.
func follows(from, to engine.Position, side engine.Side) bool {
	if from.Turn() == side || from.Over() {
		return from.String() == to.String()
	}
	if !drawnIn(from, to) {
		return false
	}
	still := map[engine.Move]bool{}
	for _, m := range to.Moves() {
		still[m] = true
	}
	name := to.String()
	for _, m := range from.Moves() {
		next, err := from.Play(m)
		if err != nil {
			continue
		}
		if next.Turn() == side {
			if next.String() == name {
				return true
			}
		} else if !still[m] && !next.Over() {
			return follows(next, to, side)
		}
	}
	return false
}

// drawnIn is quick to refuse positions of games of segments that no moves lead
// to: what is drawn stays drawn.
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

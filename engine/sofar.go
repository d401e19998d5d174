package engine

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
)

// Improver is a player that says while it thinks what it would play so far.
type Improver interface {
	// ChooseImproving is Choose. improved hears of the first decision at once, and
	// of others as they get better, one at a time and none after the return.
	ChooseImproving(ctx context.Context, p Position, c Clock, improved func(Decision)) (Decision, error)
}

// Fallback is the source of a move that was chosen by whoever asked the player, a bot
// say, since the player gave none in time.
const Fallback = "fallback"

// SoFar keeps the last decision of a player in a game: what there is to play if an answer
// is late or missing. Ask fills it. The zero value is ready for use, nil keeps nothing.
type SoFar struct{ last atomic.Pointer[heard] }

type heard struct {
	position Position
	decision Decision
}

// hear records a decision about a position.
func (s *SoFar) hear(p Position, d Decision) {
	if s != nil {
		s.last.Store(&heard{p, d})
	}
}

// Move returns the last decision and its move if the decision is about p. If it was proved at
// an earlier turn and its line has led to p, the next move of the line is returned, as a
// Fallback. ok is false if there is no such move, or it is not legal in p.
func (s *SoFar) Move(p Position) (d Decision, m Move, ok bool) {
	last := s.last.Load()
	if last == nil {
		return Decision{}, 0, false
	}
	d = last.decision
	if p.String() != last.position.String() {
		if d.Proof != Exact && d.Proof != Lower {
			return Decision{}, 0, false
		}
		rest := Follow(last.position, d.Line, p)
		if len(rest) == 0 {
			return Decision{}, 0, false
		}
		d = Decision{Move: rest[0], Source: Fallback, Line: rest, Note: Followed}
	}
	m, err := p.ParseMove(d.Move)
	return d, m, err == nil
}

// Followed is the note on a move that an earlier turn's proof expected.
const Followed = "follows the line that was proved at an earlier turn"

// Follow returns the rest of a line of moves, which begins in from, at the position to; nil
// if the line does not lead there.
func Follow(from Position, line []string, to Position) (rest []string) {
	for end := to.String(); from.String() != end; line = line[1:] {
		if len(line) == 0 {
			return nil
		}
		next, err := PlayText(from, line[0])
		if err != nil {
			return nil
		}
		from = next
	}
	return line
}

// AtOnce is how long an answer is waited for whatever the clock says: what tables, books
// and earlier searches know takes no time to think.
const AtOnce = 10 * time.Millisecond

// AskInTime has a player choose a move and returns its answer, or, if there is none when
// two thirds of the clock's reserve are left, or no legal one, what soFar has to play; a.Err
// says then what is wrong with its answer. ok reports whether there is a move. wakeDelay is that of the machine, nil for MachineWakeDelay.
func AskInTime(ctx context.Context, player Player, p Position, c Clock, soFar *SoFar, wakeDelay *WakeDelay) (a Answer, returned <-chan struct{}, ok bool) {
	begin := time.Now()
	asked := Ask(ctx, player, p, c, 0, soFar)
	a.Err = ErrLate
	if cmp.Or(wakeDelay, &MachineWakeDelay).Until(asked.Returned, func(late time.Duration) time.Time {
		left := c.Deadline.Sub(begin)
		return begin.Add(max(left-Reserve(left, late)*2/3, AtOnce))
	}) {
		a = <-asked.Answer
	}
	if ok = a.Err == nil; !ok {
		a.Decision, a.Move, ok = soFar.Move(p)
	}
	return a, asked.Returned, ok
}

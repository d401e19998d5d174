package engine

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Improver is a player that reports its best move so far while it searches.
type Improver interface {
	// ChooseImproving is like Choose. It may call improved with each better decision. The calls are
	// not concurrent, and end before ChooseImproving returns.
	ChooseImproving(ctx context.Context, p Position, c Clock, improved func(Decision)) (Decision, error)
}

// Fallback is the Decision.Source of a move whose player did not answer in time.
const Fallback = "fallback"

// SoFar stores the latest decision of a player in a game. The zero value is ready for use. A nil
// SoFar stores nothing.
type SoFar struct {
	mu   sync.Mutex
	call int
	last *recorded
}

// recorded is a decision of a call of [Ask].
type recorded struct {
	call     int
	position Position
	decision Decision
}

// newCall counts a call and returns its number.
func (s *SoFar) newCall() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call++
	return s.call
}

// record stores a decision about a position. A decision of an earlier call than the stored
// one is ignored: a late player may return during the next turn.
func (s *SoFar) record(call int, p Position, d Decision) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || call >= s.last.call {
		s.last = &recorded{call, p, d}
	}
}

// Move returns the latest decision and its move, if the decision is about p. If it is a proof, Exact or
// Lower, of an earlier position, and its Line leads from there to p, Move returns the next move of the
// Line, with the source [Fallback]. In other cases, or if the move is illegal in p, ok is false. s must
// not be nil.
func (s *SoFar) Move(p Position) (d Decision, m Move, ok bool) {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
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

// Followed is Decision.Note of a move that comes from the line of an earlier turn's proof.
const Followed = "follows the line that was proved at an earlier turn"

// Follow plays the moves of line, beginning in the position from, until the position to is
// reached, and returns the remaining moves. It returns nil if line does not lead to that position.
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

// MinWait is the minimum time to wait for an answer, even after the deadline.
const MinWait = 10 * time.Millisecond

// AskInTime calls the player's Choose like [Ask] and returns the answer. If there is no answer
// when two thirds of the clock's [Reserve] are left, or if the player fails, AskInTime returns the
// decision of [SoFar.Move] instead, with the reason in a.Err. ok reports whether a contains a legal
// move. returned is closed when the player has returned. The clock must have a deadline, and soFar
// must not be nil; a nil wakeDelay stands for [MachineWakeDelay].
func AskInTime(ctx context.Context, player Player, p Position, c Clock, soFar *SoFar, wakeDelay *WakeDelay) (
	a Answer, returned <-chan struct{}, ok bool) {
	begin := time.Now()
	call := Ask(ctx, player, p, c, soFar)
	due := func(wakeDelay time.Duration) time.Time {
		left := c.Deadline.Sub(begin)
		return begin.Add(max(left-Reserve(left, wakeDelay)*2/3, MinWait))
	}
	a.Err = ErrLate
	if cmp.Or(wakeDelay, &MachineWakeDelay).Until(call.Returned, due) {
		a = <-call.Answer
	}
	if ok = a.Err == nil; !ok {
		a.Decision, a.Move, ok = soFar.Move(p)
	}
	return a, call.Returned, ok
}

package engine

import (
	"context"
	"sync/atomic"
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

// SoFar keeps the last decision that an Improver has told of: what there is to
// play where the answer itself is late. The zero value is ready for use.
type SoFar struct{ last atomic.Pointer[Decision] }

// Hear takes a decision. It is what Ask wants.
func (s *SoFar) Hear(d Decision) { s.last.Store(&d) }

// Move is the last decision and its move; ok is false where there is none, or
// none that is legal in p.
func (s *SoFar) Move(p Position) (d Decision, m Move, ok bool) {
	last := s.last.Load()
	if last == nil {
		return Decision{}, 0, false
	}
	m, err := p.ParseMove(last.Move)
	return *last, m, err == nil
}

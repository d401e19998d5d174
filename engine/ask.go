package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLate is the answer of a player that has given none in time.
var ErrLate = errors.New("no answer in time")

// MoveError is the answer of a player that has named no legal move. It says
// what Position.ParseMove says of it.
type MoveError struct {
	Text string // the move as the player wrote it
	Err  error
}

// Error is the reason alone.
func (e *MoveError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *MoveError) Unwrap() error { return e.Err }

// Answer is what came of asking a player: a legal move, or an error.
type Answer struct {
	Decision Decision
	Move     Move // what Decision.Move means
	Took     time.Duration
	// Err is the player's own error, ErrLate, a *MoveError, or says that the
	// player panicked.
	Err error
}

// Asked is a question to a player under way.
type Asked struct {
	// Answer gives one answer: the player's, or ErrLate.
	Answer <-chan Answer
	// Returned is closed when the player has returned. Until then it must not be
	// asked again, if it can only be asked once at a time.
	Returned <-chan struct{}
}

// Ask has a player choose its move in a goroutine of its own, so that nothing
// that the player does can stop or hold up whoever asks: not a panic, not an
// illegal move, and no silence for longer than late (0 waits for ever). A
// player that is late is left behind; ending ctx tells it to stop. soFar, if
// not nil, keeps the legal answer, and an Improver's decisions before it.
func Ask(ctx context.Context, player Player, p Position, c Clock, late time.Duration, soFar *SoFar) Asked {
	begin := time.Now()
	answers, returned := make(chan Answer, 2), make(chan struct{})
	stopWaiting := func() bool { return true }
	if late > 0 {
		stopWaiting = time.AfterFunc(late, func() { answers <- Answer{Err: ErrLate, Took: time.Since(begin)} }).Stop
	}
	go func() {
		defer close(returned)
		var a Answer
		defer func() {
			if v := recover(); v != nil {
				a = Answer{Err: fmt.Errorf("panic: %v", v)}
			}
			stopWaiting()
			a.Took = time.Since(begin)
			answers <- a
		}()
		if improver, ok := player.(Improver); ok && soFar != nil {
			a.Decision, a.Err = improver.ChooseImproving(ctx, p, c, func(d Decision) { soFar.hear(p, d) })
		} else {
			a.Decision, a.Err = player.Choose(ctx, p, c)
		}
		if a.Err != nil {
			return
		}
		if a.Move, a.Err = p.ParseMove(a.Decision.Move); a.Err != nil {
			a.Err = &MoveError{a.Decision.Move, a.Err}
			return
		}
		soFar.hear(p, a.Decision)
	}()
	return Asked{answers, returned}
}

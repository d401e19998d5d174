package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrLate is the error of [AskInTime] if the player gave no answer in time.
var ErrLate = errors.New("no answer in time")

// MoveError is the error of an [Answer] with an illegal or unreadable move. Err is the error of
// Position.ParseMove.
type MoveError struct {
	Text string // the move as the player wrote it
	Err  error
}

func (e *MoveError) Error() string { return e.Err.Error() }

func (e *MoveError) Unwrap() error { return e.Err }

// Answer is a player's answer: a legal move, or an error.
type Answer struct {
	Decision Decision
	Move     Move          // the parsed Decision.Move
	Took     time.Duration // from the call to the answer
	// Err is the player's own error, a *MoveError, the error for a panic, or, from AskInTime, ErrLate.
	Err error
}

// Call is a running call of a player's Choose. Answer receives the player's answer, and Returned is
// closed, when the player has returned.
type Call struct {
	Answer   <-chan Answer
	Returned <-chan struct{}
}

// Ask calls the player's Choose in a goroutine, so that a panic or hang of the player does not affect
// the caller. soFar, if not nil, records the decisions that an [Improver] reports, and a legal answer.
func Ask(ctx context.Context, player Player, p Position, c Clock, soFar *SoFar) Call {
	begin, call := time.Now(), soFar.newCall()
	answers, returned := make(chan Answer, 1), make(chan struct{})
	go func() {
		defer close(returned)
		var a Answer
		defer func() {
			if v := recover(); v != nil {
				a = Answer{Err: fmt.Errorf("panic: %v", v)}
			}
			a.Took = time.Since(begin)
			answers <- a
		}()
		if improver, ok := player.(Improver); ok && soFar != nil {
			a.Decision, a.Err = improver.ChooseImproving(ctx, p, c, func(d Decision) { soFar.record(call, p, d) })
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
		soFar.record(call, p, a.Decision)
	}()
	return Call{answers, returned}
}

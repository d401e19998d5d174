package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"endwise/book"
	"endwise/engine"
)

// queue is where the questions of one game wait for their turn.
type queue struct {
	Served
	turn    chan struct{} // holds one token; whoever has it may ask
	waiting chan struct{} // a token each for those in the queue
	once    sync.Once
	lookup  *book.Lookup
	err     error
}

// open opens the sources of the game once.
func (u *queue) open() error {
	u.once.Do(func() {
		if u.lookup, u.err = u.Open(); u.err != nil {
			u.err = fmt.Errorf("%s: %w", u.Name(), u.err)
		}
	})
	return u.err
}

// Errors of Decide.
var (
	// errUnknownGame is returned for a game that the server does not serve.
	errUnknownGame = errors.New("unknown game")
	// ErrBusy is returned when too many requests wait already.
	ErrBusy = errors.New("too many requests are waiting; try again")
)

// Decide puts a question to the sources of the position's game when its turn
// comes. The question's clock runs while it waits.
func (s *Server) Decide(ctx context.Context, q book.Question) (engine.Decision, error) {
	u := s.games[q.Position.Game()]
	if u == nil {
		return engine.Decision{}, fmt.Errorf("%w %q", errUnknownGame, q.Position.Game())
	}
	select {
	case u.waiting <- struct{}{}:
		defer func() { <-u.waiting }()
	default:
		return engine.Decision{}, ErrBusy
	}
	select {
	case u.turn <- struct{}{}:
		defer func() { <-u.turn }()
	case <-ctx.Done():
		return engine.Decision{}, ctx.Err()
	}
	if err := u.open(); err != nil {
		return engine.Decision{}, err
	}
	dec, err := u.lookup.Decide(ctx, q)
	if err == nil {
		metrics.Add("answered."+u.Name()+"."+dec.Source, 1)
	}
	return dec, err
}

package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"endwise/book"
	"endwise/engine"
)

// queue limits the access to the sources of a game to one question at a time.
type queue struct {
	Served
	turn    chan struct{} // contains a token while a question is being answered
	waiting chan struct{} // contains a token per question that waits or is being answered
	once    sync.Once
	lookup  *book.Lookup
	err     error
}

// openSources opens the game's sources at the first call. It returns the error of this call every time.
func (u *queue) openSources() error {
	u.once.Do(func() {
		if u.lookup, u.err = u.Open(); u.err != nil {
			u.err = fmt.Errorf("%s: %w", u.Name(), u.err)
		}
	})
	return u.err
}

var (
	errUnknownGame = errors.New("unknown game")
	// ErrBusy is returned if too many requests are waiting. HTTP clients also get it if the time of
	// their own request is over.
	ErrBusy = errors.New("the server is busy, or the time was too short; try again")
)

// Decide returns the decision of the sources of the position's game. It waits until earlier questions
// are answered; the question's clock runs meanwhile. It returns [ErrBusy] if too many questions are
// waiting, and the error of ctx if ctx ends while the question waits.
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
	if err := u.openSources(); err != nil {
		return engine.Decision{}, err
	}
	dec, err := u.lookup.Decide(ctx, q)
	if err == nil {
		metrics.Add("answered."+u.Name()+"."+dec.Source, 1)
	}
	return dec, err
}

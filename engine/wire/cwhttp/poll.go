package cwhttp

import (
	"context"
	"errors"
	"time"

	"endwise/engine"
)

// A bot asks for the status again as soon as the server's rules allow. Where a
// move's time is short they would cost much of it, and it asks more often.

// DefaultInterval is the time that clients must leave between two requests.
const DefaultInterval = 200 * time.Millisecond

// perMove is how many requests fit into a move's time at least, as far as that
// is known: the interval of the championship's rules fits ten times into 2 s.
const perMove = 10

// hurry asks often enough for a limit of time for a move.
func (c *Client) hurry(limit time.Duration) { c.Interval = min(c.Interval, limit/perMove) }

// pause waits until the interval since the last request is over.
func (c *Client) pause(ctx context.Context) error {
	return engine.Pause(ctx, time.Until(c.last.Add(c.Interval)))
}

// run polls and plays until a status shows the end.
func (g *botGame) run(ctx context.Context) error {
	for {
		st, at, err := g.Client.Status(ctx)
		if err == nil {
			err = g.take(st, at)
		}
		if err != nil {
			if errors.Is(err, ErrRestarted) {
				return err
			}
			if err := g.trouble(ctx, err); err != nil {
				return err
			}
			continue
		}
		for ok := true; ok; {
			g.fine()
			if err := g.suspect(st); err != nil {
				return err
			}
			if st.Code.Over() {
				g.out.Status = st
				return nil
			}
			// A move is often answered with a status: the next round's.
			st, at, ok = g.answer(ctx, st, at)
			if ok && g.take(st, at) != nil {
				break
			}
		}
	}
}

package dabws

import (
	"context"
	"slices"
	"sync"
	"time"
)

// turns shares the processors among the games that wait for an answer. One searches at a
// time, with all threads of the player; the others follow in the order in which their
// time ends, and each leaves those after it an equal share of what there is.
type turns struct {
	mu    sync.Mutex
	games []*turn // the game that searches, then those that wait
}

// turn is one game's turn to search.
type turn struct {
	turns *turns
	end   time.Time     // when the game's search must stop at the latest
	begun chan struct{} // closed when the search may begin
	cut   time.Time     // when it must stop for the others; zero before it begins
	stop  func()        // stops it
	timer *time.Timer   // calls it
}

// enter asks for a turn of a search that must stop at end. stop is called when the search
// must stop, if it has begun. Every turn is followed by leave.
func (t *turns) enter(end time.Time, stop func()) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := &turn{turns: t, end: end, begun: make(chan struct{}), stop: stop}
	at := min(1, len(t.games)) // the game that searches stays first
	for at < len(t.games) && !end.Before(t.games[at].end) {
		at++
	}
	t.games = slices.Insert(t.games, at, g)
	t.share()
	return g
}

// share lets the first game search, for as long as every game has an equal share of its
// time. A search under way never has more time than before.
func (t *turns) share() {
	if len(t.games) == 0 {
		return
	}
	now := time.Now()
	share := t.games[0].end.Sub(now)
	for i, g := range t.games[1:] {
		if left := g.end.Sub(now); left > 0 {
			share = min(share, left/time.Duration(i+2))
		}
	}
	g, cut := t.games[0], now.Add(share)
	switch {
	case g.cut.IsZero():
		g.timer = time.AfterFunc(share, func() {
			g.stop()
			g.leave()
		})
		defer close(g.begun)
	case cut.Before(g.cut):
		g.timer.Reset(share)
	default:
		return
	}
	g.cut = cut
}

// wait waits until the game may search, and returns for how long. It waits until the end
// of its time at most, and until ctx ends.
func (g *turn) wait(ctx context.Context) time.Duration {
	select {
	case <-g.begun:
	case <-time.After(time.Until(g.end)):
	case <-ctx.Done():
	}
	g.turns.mu.Lock()
	defer g.turns.mu.Unlock()
	if g.cut.IsZero() {
		return 0
	}
	return time.Until(g.cut)
}

// leave passes the turn on. It may be called more than once.
func (g *turn) leave() {
	g.turns.mu.Lock()
	defer g.turns.mu.Unlock()
	if at := slices.Index(g.turns.games, g); at >= 0 {
		if g.timer != nil {
			g.timer.Stop()
		}
		g.turns.games = slices.Delete(g.turns.games, at, at+1)
		g.turns.share()
	}
}

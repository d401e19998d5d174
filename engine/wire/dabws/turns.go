package dabws

import (
	"context"
	"slices"
	"sync"
	"time"
)

// turns shares the time among the games that wait for an answer. One game searches at a time; the
// others follow in the order of their deadlines.
type turns struct {
	mu    sync.Mutex
	games []*turn // the game that searches, then the waiting ones
}

type turn struct {
	turns *turns
	end   time.Time     // latest end of the game's search
	begun chan struct{} // closed when the search may begin
	cut   time.Time     // end of the search, at most end; zero before the search
	stop  func()        // stops the search
	timer *time.Timer   // calls stop
}

// enter requests a turn for a search that must stop at end. stop is called when the search must
// stop. The caller must call leave after the search.
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

// share starts or shortens the search of the first game: each waiting game keeps at least an equal
// share of the time before its own end. The lock must be held.
func (t *turns) share() {
	if len(t.games) == 0 {
		return
	}
	now := time.Now()
	share := t.games[0].end.Sub(now)
	for i, g := range t.games[1:] {
		if left := g.end.Sub(now); left > 0 {
			share = min(share, left/time.Duration(i+2)) // i+2 games search before g.end
		}
	}
	g, cut := t.games[0], now.Add(share)
	switch {
	case g.cut.IsZero():
		g.timer = time.AfterFunc(share, func() {
			g.stop()
			g.leave()
		})
		close(g.begun) // wait reads cut when it has the lock
	case cut.Before(g.cut):
		g.timer.Reset(share)
	default:
		return
	}
	g.cut = cut
}

// wait waits until the search may begin, until its end, or until ctx ends. It returns the time for
// the search, 0 if the search may not begin.
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

// leave ends the turn and lets the next game search. It may be called more than once.
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

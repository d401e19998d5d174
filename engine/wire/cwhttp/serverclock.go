package cwhttp

import (
	"time"

	"endwise/engine/circuitwars"
)

// runClock starts the clock of the side to move at the time now. The lock must be held.
func (s *Server) runClock(g *serverGame, now time.Time) {
	if s.cfg.Timeout == 0 {
		return
	}
	g.deadline = now.Add(s.cfg.Timeout)
	if s.external != nil {
		g.deadline = g.deadline.Add(s.external.grace(g.position.Turn()))
	}
	if g.timer == nil {
		g.timer = time.AfterFunc(time.Until(g.deadline), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.expire(g, time.Now()) // a move may have arrived meanwhile
		})
	} else {
		g.timer.Reset(time.Until(g.deadline))
	}
}

// expire ends the game if the time of the side to move had run out at the time now. The lock must be held.
func (s *Server) expire(g *serverGame, now time.Time) {
	if !g.deadline.IsZero() && !now.Before(g.deadline) && !g.code.Over() {
		s.end(g, circuitwars.TimeoutBy1.For(g.position.Turn()), "")
	}
}

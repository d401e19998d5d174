package cwbot

import (
	"time"

	"endwise/engine/circuitwars"
)

// limits are the moments that count for one move.
type limits struct {
	player time.Time // the deadline that the player is told
	server time.Time // when the server's clock runs out; zero where none runs
}

// limits finds the limits of a move whose status was asked for at the given
// moment. What the server said was left is counted from that moment, which is
// before the server wrote it; the time of a request is kept back, but at most two thirds
// of what is left. Within that, the player gets MoveTime from now.
func (g *botGame) limits(st circuitwars.Status, at time.Time) limits {
	now := time.Now()
	var l limits
	if st.TimeLeft <= 0 {
		l.player = at.Add(DefaultMoveTime)
		if g.MoveTime > 0 {
			l.player = now.Add(g.MoveTime)
		}
		return l
	}
	left := millis(st.TimeLeft)
	l.player, l.server = at.Add(left-min(max(g.Overhead, g.Client.RTT), left*2/3)), at.Add(left)
	if own := now.Add(g.MoveTime); g.MoveTime > 0 && own.Before(l.player) {
		l.player = own
	}
	return l
}

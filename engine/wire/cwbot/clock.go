package cwbot

import (
	"time"

	"endwise/engine/circuitwars"
)

type limits struct {
	player time.Time // deadline on the player's clock
	server time.Time // end of the server's clock; zero if none is running
}

// limits returns the deadlines of a move after the status st, requested at the time at.
//
// If the server's clock is running, it ends TimeLeft after at. The player's deadline is earlier by the
// larger of Overhead and RTT, but by at most two thirds of TimeLeft, and at most MoveTime from now if
// MoveTime is set. If no clock is running, the player has MoveTime from now, or DefaultMoveTime from at.
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

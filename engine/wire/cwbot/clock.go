package cwbot

import (
	"time"

	"endwise/engine/circuitwars"
)

// limits are the moments that count for one move.
type limits struct {
	player time.Time // the deadline that the player is told
	wait   time.Time // until when its answer is waited for
	server time.Time // when the server's clock runs out; zero where none runs
}

// limits finds the limits of a move whose status was asked for at the given
// moment. What the server said was left is counted from that moment, which is
// before the server wrote it; a request's time and the margin are kept back.
// Within that, the player gets MoveTime from now.
func (g *botGame) limits(st circuitwars.Status, at time.Time) limits {
	now := time.Now()
	var l limits
	if st.TimeLeft <= 0 {
		l.player = at.Add(DefaultMoveTime - g.Margin)
		if g.MoveTime > 0 {
			l.player = now.Add(g.MoveTime)
		}
		// Nobody presses; a machine may be busy.
		l.wait = l.player.Add(DefaultMoveTime)
		return l
	}
	left := millis(st.TimeLeft)
	d := left - g.Margin - g.Client.RTT
	if d < left/3 { // a server with a very short limit
		d = left / 3
	}
	l.player, l.server = at.Add(d), at.Add(left)
	l.wait = l.player.Add(g.Margin / 2)
	if own := now.Add(g.MoveTime); g.MoveTime > 0 && own.Before(l.player) {
		l.player = own
	}
	return l
}

package watchyourback

import (
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// The sentence below a picture states the phase, the turn, the next shrink with the pieces
// that it would eliminate, and the distance from a tie.
func TestFactsOfPicture(t *testing.T) {
	const (
		placed = "X------X/--O-----/---@----/--O-@---/--------/---@-O--/--------/X------X"
		ring   = "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/--------/X------X" // one piece on it
		corner = "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X" // and one on a future corner
		inner  = "......../......../..XOOX../..@@@@../..@@@-../..XOOX../......../........"
	)
	for _, c := range []struct{ position, want string }{
		{placed + ":placing:7", "Placing, turn 8 of 24. White places in the upper six rows, Black in the lower six."},
		{placed + ":moving:100", "Moving, turn 101. The board shrinks in 28 turns."},
		{ring + ":moving:107", "Moving, turn 108. The board shrinks in 21 turns."},
		{ring + ":moving:108", "Moving, turn 109. The board shrinks in 20 turns: the dashed squares vanish, and as things stand so does a piece."},
		{corner + ":moving:127", "Moving, turn 128. The board shrinks with this turn: the dashed squares vanish, and as things stand so do 2 pieces."},
		{inner + ":moving:192:strict", "Moving, turn 193."},
		{inner + ":moving:192", "Moving, turn 193. A tie if no piece dies for 100 turns, 0 so far."},
		{strings.ReplaceAll(inner, "O", "-") + ":moving:192", "The moving phase ended after 192 turns."},
	} {
		p, err := Game{}.Parse(c.position)
		testenv.OK(t, err)
		if got := p.Picture(nil, 0).Facts; got != c.want {
			t.Errorf("%s: %s", c.position, got)
		}
	}
}

package watchyourback

import (
	"slices"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/testenv"
)

// After the end of a game the picture marks nothing that a shrink would remove.
func TestPictureOfEndedGame(t *testing.T) {
	for position, marks := range map[string]bool{
		"X-O----X/--O-----/---@----/---@----/--------/--------/--------/X------X:moving:120": true,
		"X-O----X/--O-----/--------/--------/--------/--------/--------/X------X:moving:120": false,
	} {
		p, err := Game{}.Parse(position)
		testenv.OK(t, err)
		shown := slices.ContainsFunc(p.Picture(nil, 0).Shapes, func(s engine.Shape) bool {
			return s.Look == engine.Ring || s.Look == engine.Doomed
		})
		if shown != marks || p.Over() == marks {
			t.Errorf("%s: marks: %v, over: %v", position, shown, p.Over())
		}
	}
}

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
		{placed + ":moving:100", "Turn 101 of the moving phase. The board shrinks in 28 turns."},
		{ring + ":moving:107", "Turn 108 of the moving phase. The board shrinks in 21 turns."},
		{ring + ":moving:108", "Turn 109 of the moving phase. The board shrinks in 20 turns: the dashed squares vanish; a shrink now would remove the piece with a cross."},
		{corner + ":moving:127", "Turn 128 of the moving phase. The board shrinks with this turn: the dashed squares vanish; a shrink now would remove the 2 pieces with a cross."},
		{inner + ":moving:192:strict", "Turn 193 of the moving phase."},
		{inner + ":moving:192", "Turn 193 of the moving phase. A tie if no piece dies for 100 turns, 0 so far."},
		{strings.ReplaceAll(inner, "O", "-") + ":moving:192", "The moving phase ended after 192 turns."},
	} {
		p, err := Game{}.Parse(c.position)
		testenv.OK(t, err)
		if got := p.Picture(nil, 0).Facts; got != c.want {
			t.Errorf("%s: %s", c.position, got)
		}
	}
}

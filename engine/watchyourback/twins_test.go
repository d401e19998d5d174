package watchyourback

import (
	"testing"

	"endwise/engine"
	"endwise/engine/testenv"
)

// Twins are legal moves that the symmetries of the position map to each other: the same
// number of turns, pieces and further moves follows.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		position string
		kinds    int // moves that differ
		exact    bool
	}{
		{"X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0", 23, false},
		{"X------X/--------/--------/---O----/--------/--------/--------/X------X:placing:1", 45, false},
		{"X------X/--------/--O--O--/--------/--------/--@--@--/--------/X------X:moving:0", 4, false},
		{"......../......../..X--X../..-OO-../..-@@-../..X--X../......../........:moving:200", 4, true},
		{"......../......../..X--X../..-O@-../..-@O-../..X--X../......../........:moving:200", 2, true},
		{"......../......../..XO-X../..-O@-../..-@O-../..X--X../......../........:moving:200", 8, true},
	} {
		parsed, err := Game{}.Parse(c.position)
		testenv.OK(t, err)
		p := parsed.(Position)
		twins, exact := p.Twins()
		legal := map[engine.Move]bool{}
		for _, m := range p.Moves() {
			legal[m] = true
		}
		for m, first := range twins {
			if _, twin := twins[first]; twin || !legal[m] || !legal[first] || len(p.Next(m).Moves()) != len(p.Next(first).Moves()) || p.Next(m).Score() != p.Next(first).Score() {
				t.Errorf("%s: %s is no twin of %s", c.position, p.MoveString(m), p.MoveString(first))
			}
		}
		if n := len(legal) - len(twins); n != c.kinds || exact != c.exact {
			t.Errorf("%s: %d kinds of moves, exact %v; want %d, %v", c.position, n, exact, c.kinds, c.exact)
		}
	}
}

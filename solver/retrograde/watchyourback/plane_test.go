package watchyourback

import (
	"math/bits"
	"testing"
)

// census counts wins, ties and losses over stable positions.
func (s *sweep) census(m Material) (wins, ties, losses int) {
	fam := s.families[m.Opp]
	p := s.plane[s.turn&1][m]
	stable := make(bitset, fam.words)
	for a, own := range s.families[m.Own].sets {
		fam.stableRow(own, stable)
		win, loss := p.row(uint32(a))
		for w, b := range stable {
			x, y := bits.OnesCount64(b&win[w]), bits.OnesCount64(b&loss[w])
			wins += x
			losses += y
			ties += bits.OnesCount64(b) - x - y
		}
	}
	return wins, ties, losses
}

func TestSweep(t *testing.T) {
	s := newSweep(5, finalTable)
	for range Planes {
		s.advance()
	}
	for _, m := range s.materials {
		w, d, l := s.census(m)
		n := float64(w + d + l)
		t.Logf("%s: %d %d  %.1f %.1f %.1f", m, m.Positions(), w+d+l, 100*float64(w)/n, 100*float64(d)/n, 100*float64(l)/n)
	}
}

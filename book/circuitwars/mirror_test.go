package circuitwars

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

// After random moves, and pairs of a random move and a mirror answer, every guarantee must
// be at most the true value of its move.
func TestMirrorGuaranteesAreLowerBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, size := range [][2]int{{2, 2}, {2, 3}, {3, 2}, {3, 3}, {1, 7}, {2, 4}} {
		memo := map[grid.Set]int{}
		checked := 0
		for range 150 {
			p, err := circuitwars.New(size[0], size[1])
			testenv.OK(t, err)
			// Play mirror moves of some involution for a while, so that symmetric positions
			// occur at every stage of the game.
			half := p.Board().Symmetries()[1+rng.IntN(3)]
			for !p.Over() {
				free := p.Free().Segments()
				if len(free) <= 14 {
					for _, m := range mirrorMoves(p) {
						q, err := p.Occupy(m.segment)
						testenv.OK(t, err)
						if v := p.Left() - q.Left() - booktest.CircuitWarsValue(t, q, memo); v < m.guarantee {
							t.Fatalf("%s: segment %d is worth %d, the mirror promised %d", p, m.segment, v, m.guarantee)
						}
						checked++
					}
				}
				s := free[rng.IntN(len(free))]
				p, err = p.Occupy(s)
				testenv.OK(t, err)
				if image := half.Segment[s]; p.Free().Has(image) && rng.IntN(12) > 0 {
					p, err = p.Occupy(image)
					testenv.OK(t, err)
				}
			}
		}
		if checked == 0 {
			t.Errorf("%v: no guarantee was checked", size)
		}
	}
}

// As player 2 on odd and on square boards the lookup wins by at least the theorem's
// guarantee, against any opponent and with any clock.
func TestPlayer2WinsByMirroring(t *testing.T) {
	l := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	for level := 1; level <= levels.Count; level++ {
		for _, size := range [][2]int{{3, 3}, {3, 5}, {4, 4}, {7, 7}} {
			opponent, err := levels.New(level, 1)
			testenv.OK(t, err)
			p, err := circuitwars.New(size[0], size[1])
			testenv.OK(t, err)
			for !p.Over() {
				var d engine.Decision
				if p.Turn() == engine.First {
					d, err = opponent.Choose(context.Background(), p, engine.Clock{})
				} else {
					d, err = book.Player{Label: "endwise", Lookup: l}.Choose(context.Background(), p, engine.Clock{MoveTime: 2 * time.Millisecond})
					if err == nil && (d.Proof != engine.Lower && d.Proof != engine.Exact) {
						t.Fatalf("%s: %s by %s is only an %s", p, d.Move, d.Source, d.Proof)
					}
				}
				testenv.OK(t, err)
				p = enginetest.Play(t, p, d.Move)
			}
			// On a square board the diagonal fixes a square in every row.
			want := 1
			if size[0] == size[1] {
				want = size[0]
			}
			if s := p.Score(); s[1]-s[0] < want {
				t.Errorf("level %d on %v: ended %s, player 2 is owed a margin of %d", level, size, p, want)
			}
		}
	}
}

// A player who can win by mirroring captures open squares as soon as that is proved to win.
func TestMirroringCapturesOpenSquares(t *testing.T) {
	for _, text := range []string{
		"7x7:41361b2ff4ac04163c9252781b76:2-11:2:..........22.....222..11222...22......2..........",
		"7x7:41361b2ff4ac04163c9252781b76:11-2:1:..........11.....111..22111...11......1..........",
	} {
		p, err := circuitwars.Parse(text)
		testenv.OK(t, err)
		l := booktest.Open(t, Open, book.Options{Threads: 1, HashBytes: 16 << 20})
		var d engine.Decision
		gain := 0
		for aim := time.Second; gain == 0 && aim < 2*time.Minute; aim *= 4 { // a busy machine may need longer
			d, err = l.Decide(t.Context(), book.Question{Position: p, Play: true, Clock: engine.Clock{MoveTime: aim}})
			testenv.OK(t, err)
			gain = p.Gain(enginetest.Play(t, p, d.Move))
		}
		if gain == 0 || d.Proof == engine.Estimate || engine.Lead(p, p.Turn())+d.Score <= 0 {
			t.Errorf("%s: %s gains %d, %s %+d", text, d.Move, gain, d.Proof, d.Score)
		}
		if d, err = l.Decide(t.Context(), book.Question{Position: p, Play: true}); err != nil || d.Proof != engine.Exact {
			t.Errorf("%s, without a clock: %s %+d, %v", text, d.Proof, d.Score, err)
		}
	}
}

package why

import (
	"math/rand/v2"
	"testing"

	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/engine/watchyourback/plain"
)

// Every fact that two moves of 200 random positions per game differ in follows from the
// rules.
func TestMistakes(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 6))
	seen := map[Kind]int{}
	for n := range 800 {
		var p engine.Position
		switch n % 4 {
		case 0:
			p = booktest.RandomCircuitWars(t, r, randomBoard(t, r, "3x3", "3x4"), 6+r.IntN(8))
		case 1:
			b := randomBoard(t, r, "3x3", "3x4")
			if p = booktest.RandomDotsAndBoxes(t, r, b, 6+r.IntN(9)); n%8 == 1 {
				quiet, err := dotsandboxes.FromLines(b, b.All().Minus(enginetest.RandomQuiet(r, b, 19)), [2]int{}, engine.First)
				testenv.OK(t, err)
				p = quiet
			}
		case 2:
			p = smallBoard(r)
		case 3:
			p = randomGame(r)
		}
		if len(p.Moves()) < 2 {
			continue
		}
		moves := r.Perm(len(p.Moves()))
		played, better, reply := p.MoveString(p.Moves()[moves[0]]), p.MoveString(p.Moves()[moves[1]]), ""
		q := enginetest.Play(t, p, played)
		if !q.Over() {
			reply = q.MoveString(q.Moves()[r.IntN(len(q.Moves()))])
		}
		reasons, err := Mistake(p, played, better, reply)
		testenv.OK(t, err)
		for _, r := range reasons {
			seen[r.Kind]++
			switch r.Kind {
			case Unchanged:
				continue
			case Reply:
				same(t, p, r, "gains", countAfter(t, q, reply, Captured))
			case Symmetric:
				for name, move := range map[string]string{"played": played, "better": better} {
					checkSymmetric(t, enginetest.Play(t, p, move).(circuitwars.Position), r.Numbers[name] == 1)
				}
			default:
				same(t, p, r, "played", countAfter(t, p, played, r.Kind))
				same(t, p, r, "better", countAfter(t, p, better, r.Kind))
				if r.Numbers["played"] == r.Numbers["better"] {
					t.Errorf("%s, %s: equal after both moves", p, r.Kind)
				}
			}
			checkText(t, p, r)
		}
	}
	for _, kind := range []Kind{Reply, Captured, Gives, LongChains, LastSafe, Symmetric, Quiet, Falls, Unchanged} {
		if seen[kind] < 5 {
			t.Errorf("only %d positions with %q", seen[kind], kind)
		}
	}
	t.Log(seen)
}

// checkSymmetric checks that a symmetric position is worth at most 0, and that a position
// which is not has no half-turn.
func checkSymmetric(t *testing.T, p circuitwars.Position, symmetric bool) {
	t.Helper()
	half := p.Board().Symmetries()[grid.HalfTurn]
	turned := half.Apply(p.Free()) == p.Free() && !p.Over()
	for _, s := range p.Free().Segments() {
		turned = turned && half.Segment[s] != s
	}
	if symmetric && valueOf(t, p) > 0 || !symmetric && turned {
		t.Errorf("%s: symmetric is %v", p, symmetric)
	}
}

// countAfter counts again what a kind counts in the position after a move.
func countAfter(t *testing.T, p engine.Position, move string, kind Kind) (n int) {
	t.Helper()
	after := enginetest.Play(t, p, move)
	if _, ok := p.(watchyourback.Position); ok {
		return countPieces(t, p, move, kind)
	}
	if kind == Captured {
		return engine.Lead(after, p.Turn()) - engine.Lead(p, p.Turn())
	}
	switch q := after.(type) {
	case circuitwars.Position:
		switch kind {
		case Gives:
			return bestTake(t, q)
		case Quiet:
			n, _ = countQuiet(t, q)
			return n
		}
	case dotsandboxes.Position:
		switch kind {
		case Gives:
			if q.Turn() != p.Turn() {
				n = taken(q, afterCaptures(q))
			}
			return n
		case LongChains:
			_, count := chainsOf(afterCaptures(q))
			return count["long"]
		case LastSafe:
			if (safeLines(t, q, map[grid.Set][3]int{})[2] == 1) == (q.Turn() == p.Turn()) {
				n = 1
			}
			return n
		}
	}
	t.Fatalf("no count of %q", kind)
	return 0
}

// countPieces is countAfter by the second rules of Watch Your Back.
func countPieces(t *testing.T, p engine.Position, move string, kind Kind) (n int) {
	g := readPlain(t, p)
	side := g.Mover()
	most := func(g plain.Game, only string) {
		if g.Moving {
			g.Turns &= 1 // far from a shrink
		}
		for _, m := range g.Moves() {
			if only == "" || m.String() == only {
				n = max(n, len(gone(g, g.Play(m), plain.Enemy(g.Mover()))))
			}
		}
	}
	if kind == Captured {
		most(g, move)
		return n
	}
	after := readPlain(t, enginetest.Play(t, p, move))
	switch kind {
	case Gives:
		most(after, "")
	case Falls:
		shrunk := after
		shrunk.Turns = plain.FirstShrink
		if after.Turns >= plain.FirstShrink {
			shrunk.Turns = plain.SecondShrink
		}
		shrunk.Shrink()
		n = len(gone(after, shrunk, side))
	default:
		t.Fatalf("no count of %q", kind)
	}
	return n
}

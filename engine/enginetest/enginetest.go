// Package enginetest provides helpers for the tests of several games.
package enginetest

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/grid"
	"endwise/engine/testenv"
)

// Recorded returns the path of recorded data in shared/data, next to the repository. If it does not
// exist, the test is skipped.
func Recorded(t testing.TB, elem ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	testenv.OK(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(append([]string{dir, "..", "shared", "data"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no recorded data: %v", err)
	}
	return path
}

// RecordedRows returns the rows of a tab-separated table of recorded data without its heading.
func RecordedRows(t testing.TB, elem ...string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.Lines(string(testenv.ReadFile(t, Recorded(t, elem...)))) {
		rows = append(rows, strings.Split(strings.TrimRight(line, "\n"), "\t"))
	}
	return rows[1:]
}

// PlayerFunc is a player whose Choose is a function.
type PlayerFunc func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error)

func (PlayerFunc) Name() string { return "test player" }

func (f PlayerFunc) Choose(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
	return f(ctx, p, c)
}

// First plays the first legal move.
var First = PlayerFunc(func(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	return engine.Decision{Move: p.MoveString(p.Moves()[0])}, nil
})

// Corresponds returns the position of the key of p. It fails the test if this position has another
// key, or if a move of either position has no counterpart in the other. A move and its counterpart
// gain the same, both or neither of them pass the turn, and they lead to positions with equal keys.
func Corresponds(t testing.TB, g engine.Game, p engine.Position) engine.Position {
	t.Helper()
	key, o := p.CanonicalKey(nil)
	c, err := g.FromKey(key)
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	if again, _ := c.CanonicalKey(nil); string(again) != string(key) {
		t.Fatalf("%s: key %x, its position has key %x", p, key, again)
	}
	for _, m := range p.Moves() {
		next := play(t, p, m)
		cm := o.ToCanonical(m)
		cNext := play(t, c, cm)
		k1, _ := next.CanonicalKey(nil)
		k2, _ := cNext.CanonicalKey(nil)
		passes, cPasses := next.Turn() != p.Turn(), cNext.Turn() != c.Turn()
		if string(k1) != string(k2) || p.Gain(next) != c.Gain(cNext) || passes != cPasses {
			t.Fatalf("%s: move %s and its canonical %s lead to different positions", p, p.MoveString(m), c.MoveString(cm))
		}
		// Several moves of p may have the same canonical move.
		if back, ok := o.FromCanonical(cm); !ok || o.ToCanonical(back) != cm {
			t.Fatalf("%s: move %s comes back as %s", p, p.MoveString(m), p.MoveString(back))
		}
	}
	for _, cm := range c.Moves() {
		m, ok := o.FromCanonical(cm)
		if !ok {
			t.Fatalf("%s: canonical move %s has no counterpart", p, c.MoveString(cm))
		}
		play(t, p, m)
	}
	return c
}

func play(t testing.TB, p engine.Position, m engine.Move) engine.Position {
	t.Helper()
	next, err := p.Play(m)
	if err != nil {
		t.Fatalf("%s: move %s: %v", p, p.MoveString(m), err)
	}
	return next
}

// Value returns the value of a position for the side to move, by plain search. memo contains the
// values of positions that were computed before, by the result of id.
func Value[P engine.Position, K comparable](t testing.TB, p P, id func(P) K, memo map[K]int) int {
	if v, ok := memo[id(p)]; ok || p.Over() {
		return v
	}
	best := math.MinInt
	for _, m := range p.Moves() {
		q := play(t, p, m)
		v := Value(t, q.(P), id, memo)
		if q.Turn() != p.Turn() {
			v = -v
		}
		best = max(best, p.Gain(q)+v)
	}
	memo[id(p)] = best
	return best
}

// Play returns the position after a move in the game's notation.
func Play[P engine.Position](t testing.TB, p P, move string) P {
	t.Helper()
	return PlayMoves(t, p, move)
}

// Board returns the board of a size such as "3x4".
func Board(t testing.TB, size string) *grid.Board {
	t.Helper()
	b, err := grid.Parse(size)
	testenv.OK(t, err)
	return b
}

// Live returns the free segments after random moves of Circuit Wars from the empty board, which end
// when at most n segments are free.
func Live(b *grid.Board, rng *rand.Rand, n int) grid.Set {
	free := b.All()
	for free.Len() > n {
		s := free.Segments()
		free.Remove(s[rng.IntN(len(s))])
		free, _ = b.Live(free)
	}
	return free
}

// RandomQuiet returns the free lines of a board of Dots and Boxes after random safe lines,
// which end when n lines are free or no safe line is left.
func RandomQuiet(r *rand.Rand, b *grid.Board, n int) grid.Set {
	free := b.All()
	open := make([]int, b.Squares()) // number of free lines around each box
	for q := range open {
		open[q] = 4
	}
	for _, s := range r.Perm(b.Segments()) {
		if free.Len() <= n {
			break
		}
		safe := true
		for _, q := range b.Sides(s) {
			safe = safe && (q == grid.Outside || open[q] > 2)
		}
		if safe {
			free.Remove(s)
			for _, q := range b.Sides(s) {
				if q != grid.Outside {
					open[q]--
				}
			}
		}
	}
	return free
}

// PlayMoves returns the position after moves in the game's notation.
func PlayMoves[P engine.Position](t testing.TB, p P, moves ...string) P {
	t.Helper()
	var q engine.Position = p
	for _, text := range moves {
		var err error
		q, err = engine.PlayText(q, text)
		testenv.OK(t, err)
	}
	return q.(P)
}

package goodplay

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/cmd/endwise/machine"
	"endwise/engine"
	"endwise/engine/testenv"
)

var (
	update  = flag.Bool("update", false, "write the samples: play the games that have a seed alone, and solve what is not known")
	longest = flag.Duration("longest", 5*time.Minute, "with -update: the most processor time for a position")
)

// The samples' games are games, begin with the random moves of their seeds and
// end, and what the files say of their last positions is so.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		Sample
		nodes   uint64 // of the player for a move: some tenths of a second
		quickly int    // so many segments left are solved at once
	}{
		{DotsAndBoxes, 20_000, 36},
		{CircuitWars, 200_000, 40},
	} {
		t.Run(c.File, func(t *testing.T) {
			if *update {
				c.update(t, c.nodes)
			}
			c.check(t, c.quickly)
		})
	}
}

func (s Sample) check(t *testing.T, quickly int) {
	t.Parallel()
	games, err := s.games()
	testenv.OK(t, err)
	if len(games) < 10 {
		t.Fatalf("%d games", len(games))
	}
	solver := s.solver(Options{Threads: 1, HashMB: 64})
	seen := map[string]bool{}
	for _, g := range games {
		if begin := strings.Join(s.randomMoves(t, g.seed), " "); !strings.HasPrefix(g.moves, begin) || seen[begin] {
			t.Errorf("game %d begins with other moves than its seed's, %s, or as another game does", g.seed, begin)
		} else {
			seen[begin] = true
		}
		end, err := s.at(g, 0)
		testenv.OK(t, err)
		if !end.Over() {
			t.Errorf("game %d is not over", g.seed)
		}
		for _, left := range s.Left {
			p, err := s.at(g, left)
			testenv.OK(t, err)
			if left > quickly || p.best == nil {
				continue
			}
			if now := bestMoves(t, t.Context(), solver, p); now != g.best[left] {
				t.Errorf("game %d, %d left: the best are %s, not %s", g.seed, left, now, g.best[left])
			}
		}
	}
}

const randomBegin = 6 // moves that begin a game

// randomMoves are the first moves of a game.
func (s Sample) randomMoves(t *testing.T, seed uint64) (text []string) {
	p, err := s.begin()
	testenv.OK(t, err)
	r := rand.New(rand.NewPCG(seed, 0))
	for range randomBegin {
		moves := p.Moves()
		m := moves[r.IntN(len(moves))]
		text = append(text, p.MoveString(m))
		p, err = p.Play(m)
		testenv.OK(t, err)
	}
	return text
}

// playGame plays a game from random moves on. Nothing that was found out for one
// move is there at the next, so that it is the same game in every run.
func (s Sample) playGame(t *testing.T, seed, nodes uint64) []string {
	text := s.randomMoves(t, seed)
	p, err := s.begin()
	testenv.OK(t, err)
	for i := 0; ; i++ {
		if i >= randomBegin {
			l, err := s.open(book.Options{Threads: 1, HashBytes: 8 << 20, Nodes: nodes})
			testenv.OK(t, err)
			d, err := l.Decide(t.Context(), book.Question{Position: p, Play: true})
			testenv.OK(t, err)
			testenv.OK(t, l.Close())
			text = append(text, d.Move)
		}
		m, err := p.ParseMove(text[i])
		testenv.OK(t, err)
		p, err = p.Play(m)
		testenv.OK(t, err)
		if p.Over() {
			return text
		}
	}
}

// bestMoves works out the best moves of a position, in the order of its Moves;
// "" where the time does not do. Once the value is known, a move needs no value, only
// whether it is worth as much.
func bestMoves(t *testing.T, ctx context.Context, s exactSolver, p position) string {
	value, err := s.Value(ctx, p.Position)
	testenv.OK(t, err)
	if !value.Exact() {
		return ""
	}
	lead := func(q engine.Position) int { return q.Score()[p.Turn()-1] - q.Score()[p.Turn().Other()-1] }
	var best []string
	for _, m := range p.Moves() {
		next, err := p.Play(m)
		testenv.OK(t, err)
		need, again := value.Lower-(lead(next)-lead(p.Position)), next.Turn() == p.Turn()
		if !again {
			need = 1 - need // the other side must not get that much
		}
		r, err := s.AtLeast(ctx, next, need)
		testenv.OK(t, err)
		switch {
		case r.Lower < need && r.Upper >= need:
			return ""
		case again == (r.Lower >= need):
			best = append(best, p.MoveString(m))
		}
	}
	return strings.Join(best, " ")
}

// update writes the file as far as it gets, position after position.
func (s Sample) update(t *testing.T, nodes uint64) {
	file := "../../../data/" + s.File
	text, err := os.ReadFile(file)
	testenv.OK(t, err)
	games, err := s.read(string(text))
	testenv.OK(t, err)
	write := func() {
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				b.WriteString(line)
			}
		}
		for _, g := range games {
			fmt.Fprintf(&b, "%d %s\n", g.seed, g.moves)
			for _, left := range s.Left {
				if g.best[left] != "" {
					fmt.Fprintf(&b, "%d %d %s\n", g.seed, left, g.best[left])
				}
			}
		}
		testenv.OK(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	for i := range games {
		if g := &games[i]; g.moves == "" {
			g.moves = strings.Join(s.playGame(t, g.seed, nodes), " ")
			write()
			t.Logf("game %d played", g.seed)
		}
	}
	for _, left := range slices.Backward(s.Left) {
		for i := range games {
			g := &games[i]
			if g.best[left] != "" {
				continue
			}
			p, err := s.at(*g, left)
			testenv.OK(t, err)
			solver := s.solver(Options{Threads: 1, HashMB: 1024})
			ctx, took, cancel := machine.Limited(t.Context(), *longest, true, 1)
			g.best[left] = bestMoves(t, ctx, solver, p)
			cancel()
			write()
			t.Logf("game %d, %d left: %q in %v", g.seed, left, g.best[left], took())
		}
	}
}

package dotsandboxes

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
	dabbook "endwise/book/dotsandboxes"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
	"endwise/solver/dotsandboxes/exact"
)

var (
	update  = flag.Bool("update", false, "write the sample: play the games that have a seed alone, and solve what is not known")
	longest = flag.Duration("longest", 5*time.Minute, "with -update: the most time for a position")
)

// The sample's games are games, begin with the random lines of their seeds and
// end, and what the file says of their last positions is so.
func TestSample(t *testing.T) {
	t.Parallel()
	if *update {
		updateSample(t)
	}
	games, err := shippedSample()
	testenv.OK(t, err)
	if len(games) < 10 {
		t.Fatalf("%d games", len(games))
	}
	s := exact.New(exact.Options{Threads: 1, TableBytes: 64 << 20})
	seen := map[string]bool{}
	for _, g := range games {
		if begin := strings.Join(randomLines(t, g.seed), " "); !strings.HasPrefix(g.lines, begin) || seen[begin] {
			t.Errorf("game %d begins with other lines than its seed's, %s, or as another game does", g.seed, begin)
		}
		end, err := g.at(0)
		testenv.OK(t, err)
		if !end.Over() {
			t.Errorf("game %d is not over", g.seed)
		}
		for _, left := range sampleLeft {
			p, err := g.at(left)
			testenv.OK(t, err)
			if left > 32 || p.best == nil {
				continue
			}
			if now := bestLines(t, t.Context(), s, p); now != g.best[left] {
				t.Errorf("game %d, %d lines left: the best are %s, not %s", g.seed, left, now, g.best[left])
			}
		}
	}
}

const randomBegin = 6 // lines that begin a game

// randomLines are the first lines of a game.
func randomLines(t *testing.T, seed uint64) (lines []string) {
	p, err := dotsandboxes.Parse(dotsandboxes.UsualBoard)
	testenv.OK(t, err)
	r := rand.New(rand.NewPCG(seed, 0))
	for range randomBegin {
		moves := p.Moves()
		m := moves[r.IntN(len(moves))]
		lines = append(lines, p.MoveString(m))
		p, err = p.DrawLine(m)
		testenv.OK(t, err)
	}
	return lines
}

// sampleNodes is what the player of the sample spends on a move: some tenths of a
// second.
const sampleNodes = 20_000

// playSample plays a game from random lines on. Nothing that was found out for
// one move is there at the next, so that it is the same game in every run.
func playSample(t *testing.T, seed uint64) []string {
	lines := randomLines(t, seed)
	for {
		p, err := dotsandboxes.Parse(dotsandboxes.UsualBoard + " " + strings.Join(lines, " "))
		testenv.OK(t, err)
		if p.Over() {
			return lines
		}
		l, err := dabbook.Open(book.Options{Threads: 1, HashBytes: 8 << 20, Nodes: sampleNodes})
		testenv.OK(t, err)
		d, err := l.Decide(t.Context(), book.Question{Position: p, Play: true})
		testenv.OK(t, err)
		testenv.OK(t, l.Close())
		lines = append(lines, d.Move)
	}
}

// bestLines works out the best lines of a position, in the order of their
// numbers; "" where the time does not do.
func bestLines(t *testing.T, ctx context.Context, s *exact.Solver, p samplePosition) string {
	moves, value, err := s.Moves(ctx, p.Board(), p.Free())
	testenv.OK(t, err)
	var best []engine.Move
	for _, m := range moves {
		switch {
		case !value.Exact() || m.Lower < value.Lower && m.Upper >= value.Lower:
			return "" // this line may be as good
		case m.Lower >= value.Lower:
			best = append(best, engine.Move(m.Segment))
		}
	}
	slices.Sort(best)
	var text []string
	for _, m := range best {
		text = append(text, p.MoveString(m))
	}
	return strings.Join(text, " ")
}

// updateSample writes the file as far as it gets, position after position.
func updateSample(t *testing.T) {
	const file = "../../../data/" + sampleFile
	text, err := os.ReadFile(file)
	testenv.OK(t, err)
	games, err := readSample(string(text))
	testenv.OK(t, err)
	write := func() {
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") {
				b.WriteString(line)
			}
		}
		for _, g := range games {
			fmt.Fprintf(&b, "%d %s\n", g.seed, g.lines)
			for _, left := range sampleLeft {
				if g.best[left] != "" {
					fmt.Fprintf(&b, "%d %d %s\n", g.seed, left, g.best[left])
				}
			}
		}
		testenv.OK(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	for i := range games {
		if g := &games[i]; g.lines == "" {
			g.lines = strings.Join(playSample(t, g.seed), " ")
			write()
			t.Logf("game %d played", g.seed)
		}
	}
	for _, left := range slices.Backward(sampleLeft) {
		for i := range games {
			g := &games[i]
			if g.best[left] != "" {
				continue
			}
			p, err := g.at(left)
			testenv.OK(t, err)
			s := exact.New(exact.Options{Threads: 1, TableBytes: 1 << 30})
			ctx, cancel := context.WithTimeout(t.Context(), *longest)
			start := time.Now()
			g.best[left] = bestLines(t, ctx, s, p)
			cancel()
			write()
			t.Logf("game %d, %d lines left: %q in %v", g.seed, left, g.best[left], time.Since(start))
		}
	}
}

package circuitwars

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/search"
)

// BenchmarkHorizon measures the horizon: the largest number of free segments from which
// the exact solver proves the value of a position on 7x7, or the winner, within three
// seconds of processor time per thread and with an empty table. It goes back from the end
// of a game until a position is not solved. An iteration is one game of a sample of 200;
// -benchtime 50x takes every fourth. ENDWISE_LOGS=DIR measures on the logs in and below a
// directory instead, and -cpu sets the number of threads.
func BenchmarkHorizon(b *testing.B) {
	games := sample(b)
	for _, question := range []string{"value", "winner"} {
		b.Run(question, func(b *testing.B) {
			var horizons []int
			for i := range b.N {
				game := games[i*len(games)/b.N](b)
				horizons = append(horizons, horizon(b, game, question == "winner"))
			}
			slices.Sort(horizons)
			b.ReportMetric(float64(horizons[b.N/2]), "median-free")
			b.ReportMetric(float64(horizons[b.N/10]), "p10-free")
			b.ReportMetric(float64(horizons[0]), "least-free")
		})
	}
}

// horizon searches backwards from the end of a game.
func horizon(b *testing.B, game []circuitwars.Position, winner bool) (free int) {
	threads := runtime.GOMAXPROCS(0)
	s := exact.New(exact.Options{Threads: threads, TableBytes: 256 << 20})
	for _, p := range slices.Backward(game) {
		s.Clear()
		ctx, _ := booktest.Limited(b, 3*time.Second, threads)
		if winner {
			score := p.Score()
			need := score[p.Turn().Other()-engine.First] - score[p.Turn()-engine.First] + 1 // to be ahead at the end
			r, err := s.AtLeast(ctx, p.Board(), p.Free(), need)
			testenv.OK(b, err)
			if r.Lower < need && r.Upper >= need {
				break
			}
		} else {
			r, err := s.Value(ctx, p.Board(), p.Free())
			testenv.OK(b, err)
			if !r.Exact() {
				break
			}
		}
		free = p.Free().Len()
	}
	return free
}

// sample returns functions that make the games of a sample.
func sample(b *testing.B) (games []func(testing.TB) []circuitwars.Position) {
	dir := os.Getenv("ENDWISE_LOGS")
	if dir == "" {
		for n := range 200 {
			games = append(games, func(tb testing.TB) []circuitwars.Position { return sampleGame(tb, n) })
		}
		return games
	}
	testenv.OK(b, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".log" {
			return err
		}
		log, err := circuitwars.ReadLog(bytes.NewReader(testenv.ReadFile(b, path)))
		if err != nil {
			return err
		}
		v, err := circuitwars.Judge(log, 7, 7)
		if v.Final.Free().Len() <= 25 { // other games stop too early
			games = append(games, func(testing.TB) []circuitwars.Position { return v.Positions })
		}
		return err
	}))
	return games
}

// sampleGame plays a game on 7x7: some random moves, then the moves of two players that
// depend only on their seed. The players of 25 successive games are all pairs of three
// levels and two heuristic searches of a fixed depth.
func sampleGame(tb testing.TB, n int) (game []circuitwars.Position) {
	p, err := circuitwars.New(7, 7)
	testenv.OK(tb, err)
	seed := uint64(n) + 1
	players := [2]func(circuitwars.Position) engine.Move{
		samplePlayer(tb, n/5%5, 2*seed), samplePlayer(tb, n%5, 2*seed+1),
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	random := 4 + rng.IntN(8)
	for !p.Over() {
		game = append(game, p)
		moves := p.Moves()
		m := moves[rng.IntN(len(moves))]
		if len(game) > random {
			m = players[p.Turn()-engine.First](p)
		}
		p, err = p.Occupy(int(m))
		testenv.OK(tb, err)
	}
	return game
}

// samplePlayer returns level 1, 2 or 3, or the heuristic search to one or two plies.
func samplePlayer(tb testing.TB, n int, seed uint64) func(circuitwars.Position) engine.Move {
	if n < 3 {
		level, err := levels.New(n+1, seed)
		testenv.OK(tb, err)
		return func(p circuitwars.Position) engine.Move {
			d, err := level.Choose(tb.Context(), p, engine.Clock{})
			testenv.OK(tb, err)
			m, err := p.ParseMove(d.Move)
			testenv.OK(tb, err)
			return m
		}
	}
	p, err := circuitwars.New(7, 7)
	testenv.OK(tb, err)
	s, err := search.New(p.Board(), 1<<20)
	testenv.OK(tb, err)
	return func(p circuitwars.Position) engine.Move {
		return engine.Move(s.Search(tb.Context(), p, time.Time{}, n-2, false).Moves[0].Segment)
	}
}

// The sample of BenchmarkHorizon is the one that data/results measured.
func TestHorizonSample(t *testing.T) {
	t.Parallel()
	sum := sha256.New()
	for n := range 25 {
		for _, p := range sampleGame(t, n) {
			fmt.Fprintln(sum, p)
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil))[:16]; got != "93052fd9a7d0536f" {
		t.Errorf("the games have the digest %s: if this commit means to change a player, change the digest and measure BenchmarkHorizon again for data/results", got)
	}
}

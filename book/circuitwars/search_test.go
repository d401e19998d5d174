package circuitwars

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/data"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/search"
)

// tails reads the embedded games and returns from each the first position with at most free
// free segments.
func tails(t *testing.T, free int) []circuitwars.Position {
	t.Helper()
	const dir = "games/circuitwars"
	files, err := fs.ReadDir(data.Games, dir)
	testenv.OK(t, err)
	var out []circuitwars.Position
	for _, f := range files {
		text, err := fs.ReadFile(data.Games, path.Join(dir, f.Name()))
		testenv.OK(t, err)
		g, err := circuitwars.ReadLog(strings.NewReader(string(text)))
		testenv.OK(t, err)
		v, err := circuitwars.Judge(g, 7, 7)
		testenv.OK(t, err)
		for _, p := range v.Positions {
			if n := p.Free().Len(); n <= free && n > 0 {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// The moves of the heuristic search mostly keep the value, which the exact solver computes,
// and do so far more often than random moves. Depth and nodes are limited, so every run
// gives the same counts. With ENDWISE_DEEP=1 the positions have up to 46 free segments
// (some minutes of processor time), and the figures are logged.
func TestHeuristicSearchKeepsTheValue(t *testing.T) {
	ends, depth, limit := []int{24, 28}, 3, uint64(20_000)
	if os.Getenv("ENDWISE_DEEP") != "" {
		ends, depth, limit = []int{32, 34, 36, 38, 40, 42, 44, 46}, 4, 400_000
	}
	solver := exact.New(exact.Options{TableBytes: 32 << 20, TypeBytes: 64 << 20, NodeLimit: limit})
	rng := rand.New(rand.NewPCG(51, 52))
	asked, kept, random := 0, 0, 0
	for _, free := range ends {
		for _, p := range tails(t, free) {
			solver.Clear()
			whole, err := solver.Value(t.Context(), p.Board(), p.Free())
			testenv.OK(t, err)
			// keeps reports whether a move keeps the value.
			keeps := func(s int) (yes, known bool) {
				q, err := p.Occupy(s)
				testenv.OK(t, err)
				gain := p.Left() - q.Left()
				if q.Over() {
					return gain == whole.Lower, true
				}
				least := gain - whole.Lower + 1
				r, err := solver.AtLeast(t.Context(), q.Board(), q.Free(), least)
				testenv.OK(t, err)
				return r.Upper < least, r.Upper < least || r.Lower >= least
			}
			searcher, err := search.New(p.Board(), 4<<20)
			testenv.OK(t, err)
			segments := p.Free().Segments()
			chosen, known := keeps(searcher.Search(t.Context(), p, time.Time{}, depth, false).Moves[0].Segment)
			other, too := keeps(segments[rng.IntN(len(segments))])
			if !whole.Exact() || !known || !too {
				continue
			}
			asked++
			if chosen {
				kept++
			}
			if other {
				random++
			}
		}
	}
	t.Logf("of %d positions the heuristic search keeps the value of %d, a random move of %d", asked, kept, random)
	if asked < 20 {
		t.Fatalf("only %d positions were solved", asked)
	}
	if kept*10 < asked*7 || kept-random < asked/5 {
		t.Errorf("of %d positions the heuristic search keeps the value of %d, a random move of %d", asked, kept, random)
	}
}

// A panic of the search that runs concurrently with the solver is an error of the source.
func TestPanicOfConcurrentSearchIsAnError(t *testing.T) {
	s := &searchSource{tableBytes: 1 << 20}
	defer s.startConcurrent(t.Context(), &book.Question{}, circuitwars.Position{}, time.Minute)() // a position without a board
	if b := s.concurrent.Load(); b != nil {
		if <-b.done; b.err == nil || !strings.HasPrefix(b.err.Error(), "panic: ") {
			t.Errorf("error %v", b.err)
		}
		return
	}
	t.Error("no search has begun")
}

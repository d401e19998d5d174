package book_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver"
	cwexact "endwise/solver/circuitwars/exact"
	dabexact "endwise/solver/dotsandboxes/exact"
)

// goodPlay is a sample of games in which the program played against itself after six random
// moves. Their positions are harder than those of random play.
type goodPlay struct {
	name   string        // of the game, and of its file in testdata/goodplay
	left   []int         // the first positions with at most these numbers of segments left are measured
	easy   int           // positions with at most this number left are solved in a moment
	clock  time.Duration // per move in a competition
	begin  func() (engine.Position, error)
	open   func(book.Options) (*book.Lookup, error)
	solver func(threads int, hash int64) exactSolver // with an empty table
}

// exactSolver is a solver of either game.
type exactSolver interface {
	Value(context.Context, *grid.Board, grid.Set) (solver.Result, error)
	AtLeast(ctx context.Context, b *grid.Board, free grid.Set, need int) (solver.Result, error)
}

// segmentPosition is a position of either game.
type segmentPosition interface {
	engine.Position
	Board() *grid.Board
	Free() grid.Set
}

var goodPlays = []goodPlay{{
	name: "circuitwars", left: []int{75, 70, 65, 60, 55, 50, 45, 40}, easy: 40, clock: 3 * time.Second,
	begin: func() (engine.Position, error) { return circuitwars.Parse(circuitwars.UsualBoard) },
	open:  cwbook.Open,
	solver: func(threads int, hash int64) exactSolver {
		return cwexact.New(cwexact.Options{Threads: threads, TableBytes: hash})
	},
}, {
	name: "dotsandboxes", left: []int{46, 44, 42, 40, 38, 36, 34, 32, 30}, easy: 36, clock: 500 * time.Millisecond,
	begin: func() (engine.Position, error) { return dotsandboxes.Parse(dotsandboxes.UsualBoard) },
	open:  dabbook.Open,
	solver: func(threads int, hash int64) exactSolver {
		s := dabexact.New(dabexact.Options{Threads: threads, TableBytes: hash})
		s.Warm()
		return s
	},
}}

// goodPosition is a position of a game; best contains its best moves, none if they are
// unknown.
type goodPosition struct {
	segmentPosition
	best []string
}

// positions reads the positions with the given number of segments left, one per game.
// A line of the file is a game's number and its moves; the lines after it are the number,
// the segments left and the best moves of a position. # begins a comment.
func (s goodPlay) positions(t testing.TB, left int) (out []goodPosition) {
	last := ""
	for line := range strings.Lines(string(testenv.ReadFile(t, "testdata/goodplay/"+s.name+".games"))) {
		words := strings.Fields(line)
		switch {
		case words[0] == "#":
		case words[0] != last:
			last = words[0]
			out = append(out, goodPosition{s.after(t, words[1:], left), nil})
		case words[1] == strconv.Itoa(left):
			out[len(out)-1].best = words[2:]
		}
	}
	return out
}

// after plays moves until at most the given number of segments is left.
func (s goodPlay) after(t testing.TB, moves []string, left int) segmentPosition {
	p, err := s.begin()
	for _, text := range moves {
		testenv.OK(t, err)
		if len(p.Moves()) <= left {
			break
		}
		m, err2 := p.ParseMove(text)
		testenv.OK(t, err2)
		p, err = p.Play(m)
	}
	testenv.OK(t, err)
	return p.(segmentPosition)
}

// BenchmarkGoodPlaySolve measures the number of positions of good play whose value the
// exact solver proves within 3 s of processor time per thread, with an empty table, and
// within 0.5 s; a median of 3 s means that half of them are not solved. An iteration is one
// position of 12; -cpu sets the number of threads.
func BenchmarkGoodPlaySolve(b *testing.B) {
	threads := runtime.GOMAXPROCS(0)
	for _, s := range goodPlays {
		for _, left := range s.left {
			b.Run(fmt.Sprintf("%s/left=%d", s.name, left), func(b *testing.B) {
				positions := s.positions(b, left)
				solved, soon, times := 0, 0, []time.Duration{}
				for i := range b.N {
					cold := s.solver(threads, 256<<20)
					ctx, used := booktest.Limited(b, 3*time.Second, threads)
					p := positions[i*len(positions)/b.N]
					r, err := cold.Value(ctx, p.Board(), p.Free())
					took := used()
					testenv.OK(b, err)
					times = append(times, took)
					if r.Exact() {
						solved++
						if took <= 500*time.Millisecond {
							soon++
						}
					}
				}
				slices.Sort(times)
				b.ReportMetric(float64(solved)/float64(b.N), "solved/op")
				b.ReportMetric(float64(soon)/float64(b.N), "solved-in-0.5s/op")
				b.ReportMetric(times[b.N/2].Seconds(), "median-s")
			})
		}
	}
}

// BenchmarkGoodPlayMove measures how often the player's move in a position of good play
// is one of the best, without tables and with the clock of a competition. An iteration is
// one of the positions whose best moves are known.
func BenchmarkGoodPlayMove(b *testing.B) {
	for _, s := range goodPlays {
		for _, left := range s.left {
			b.Run(fmt.Sprintf("%s/left=%d", s.name, left), func(b *testing.B) {
				positions := slices.DeleteFunc(s.positions(b, left), func(p goodPosition) bool { return p.best == nil })
				if len(positions) == 0 {
					b.Skip("no best moves are known")
				}
				best := 0
				for i := range b.N {
					p := positions[i*len(positions)/b.N]
					l, err := s.open(book.Options{Threads: runtime.GOMAXPROCS(0), HashBytes: 256 << 20})
					testenv.OK(b, err)
					d, err := l.Decide(b.Context(), book.Question{Position: p.segmentPosition, Clock: engine.ClockFor(s.clock), Play: true})
					testenv.OK(b, err)
					testenv.OK(b, l.Close())
					if slices.Contains(p.best, d.Move) {
						best++
					}
				}
				b.ReportMetric(float64(best)/float64(b.N), "best/op")
			})
		}
	}
}

// The games of good play are over after their last move, and the best moves of their
// last positions are those of the solver.
func TestGoodPlay(t *testing.T) {
	t.Parallel()
	for _, s := range goodPlays {
		games := s.positions(t, 0)
		if len(games) != 12 {
			t.Errorf("%s: %d games, want 12", s.name, len(games))
		}
		for i, end := range games {
			if !end.Over() {
				t.Errorf("%s: game %d is not over", s.name, i)
			}
		}
		exact := s.solver(1, 64<<20)
		for _, left := range s.left {
			if left > s.easy {
				continue
			}
			for i, p := range s.positions(t, left) {
				if best := bestMoves(t, exact, p.segmentPosition); p.best != nil && !slices.Equal(best, p.best) {
					t.Errorf("%s: game %d, %d left: the best moves are %s, not %s", s.name, i, left, best, p.best)
				}
			}
		}
	}
}

// bestMoves solves a position and compares each move's value with the position's.
func bestMoves(t *testing.T, s exactSolver, p segmentPosition) (best []string) {
	value, err := s.Value(t.Context(), p.Board(), p.Free())
	testenv.OK(t, err)
	lead := func(q engine.Position) int { return q.Score()[p.Turn()-1] - q.Score()[p.Turn().Other()-1] }
	for _, m := range p.Moves() {
		next, err := p.Play(m)
		testenv.OK(t, err)
		need, again := value.Lower-(lead(next)-lead(p)), next.Turn() == p.Turn()
		if !again {
			need = 1 - need // the opponent must not get that much
		}
		after := next.(segmentPosition)
		r, err := s.AtLeast(t.Context(), after.Board(), after.Free(), need)
		testenv.OK(t, err)
		if again == (r.Lower >= need) {
			best = append(best, p.MoveString(m))
		}
	}
	return best
}

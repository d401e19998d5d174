package goodplay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"endwise/book"
	"endwise/cmd/endwise/machine"
	"endwise/engine"
	"endwise/solver"
)

// soon is the shorter time in which solved positions are counted.
const soon = 500 * time.Millisecond

// Options says how to measure.
type Options struct {
	Time    time.Duration // for a solve
	CPU     bool          // Time is of the processor, as in machine.Limited, and the player's about so
	Threads int
	HashMB  int
	Every   int  // so many games apart are those that count; 1 for all
	Verbose bool // a line a position
}

// HashBytes is the size of the transposition table.
func (o Options) HashBytes() int64 { return int64(o.HashMB) << 20 }

// Measure writes how many positions are solved from a cold table within half a second
// and within o.Time, in what time half of them are, and how often the move of the
// player, who has neither a table nor a book, is one of the best.
func (s Sample) Measure(ctx context.Context, w io.Writer, o Options) error {
	games, err := s.games()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%13s  positions  in %v    in %v   median  player's moves known  best\n", s.Unit+" left", soon, o.Time)
	for _, left := range s.Left {
		var times []time.Duration
		early, solved, known, best := 0, 0, 0, 0
		for i := 0; i < len(games); i += o.Every {
			p, err := s.at(games[i], left)
			if err != nil {
				return err
			}
			cold := s.solver(o)
			start := time.Now()
			r, took, err := o.solve(ctx, cold, p)
			if err != nil {
				return err
			}
			clock := s.PlayTime
			if o.CPU { // a busy machine's clock runs on: by as much as in the solve
				clock = time.Duration(float64(clock) * max(1, float64(time.Since(start))/float64(max(took, time.Millisecond))))
			}
			counts := unsolved
			if r.Exact() {
				solved++
				counts = took
			}
			if counts <= soon {
				early++
			}
			times = append(times, counts)
			what := ""
			if len(p.best) > 0 {
				used := book.ProcessorTime()
				m, err := s.play(ctx, o, p, clock)
				if err != nil {
					return err
				}
				used = book.ProcessorTime() - used
				known++
				what = "not one of the best"
				if slices.Contains(p.best, m) {
					best++
					what = "one of the best"
				}
				what = fmt.Sprintf(", plays %s, %s, in %.0f ms of the processor", p.MoveString(m), what, ms(used))
			}
			if o.Verbose {
				fmt.Fprintf(w, "game %d, %d %s left: value %v, %d expansions in %.0f ms%s\n", games[i].seed, left, s.Unit, r, r.Nodes, ms(took), what)
			}
		}
		slices.Sort(times)
		median := "more"
		if m := times[len(times)/2]; m != unsolved {
			median = fmt.Sprintf("%.2f s", m.Seconds())
		}
		fmt.Fprintf(w, "%13d  %9d  %8s  %6s  %7s  %20d  %4s\n", left, len(times), percent(early, len(times)), percent(solved, len(times)), median, known, percent(best, known))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// unsolved stands for the time of a position that is not solved.
const unsolved = time.Duration(math.MaxInt64)

// solve works out the value of a position within the time.
func (o Options) solve(ctx context.Context, cold exactSolver, p position) (solver.Result, time.Duration, error) {
	limited, took, cancel := machine.Limited(ctx, o.Time, o.CPU, o.Threads)
	defer cancel()
	r, err := cold.Value(limited, p.Position)
	return r, took(), cmp.Or(err, ctx.Err())
}

// Nodes is the node count of the exact solver in the first games' positions with so
// many segments left, each from a cold table.
func (s Sample) Nodes(ctx context.Context, left, games int) (nodes uint64, err error) {
	sample, err := s.games()
	if err != nil {
		return 0, err
	}
	for _, g := range sample[:games] {
		p, err := s.at(g, left)
		if err != nil {
			return 0, err
		}
		r, err := s.solver(Options{Threads: 1, HashMB: 16}).Value(ctx, p.Position)
		if err != nil {
			return 0, err
		}
		nodes += r.Nodes
	}
	return nodes, nil
}

// play asks the player for a move within the time.
func (s Sample) play(ctx context.Context, o Options, p position, within time.Duration) (engine.Move, error) {
	l, err := s.open(book.Options{Threads: o.Threads, HashBytes: o.HashBytes()})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	d, err := l.Decide(ctx, book.Question{Position: p.Position, Clock: engine.ClockFor(within), Play: true})
	if err != nil {
		return 0, err
	}
	return p.ParseMove(d.Move)
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d %%", (100*part+whole/2)/whole)
}

// Package bench measures the searches of Circuit Wars: node counts of the ends of
// games, and how many free segments are solved in time (the horizon).
package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/circuitwars/logs"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/goodplay"
	"endwise/cmd/endwise/machine"
	"endwise/cmd/endwise/progress"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/live"
)

// Searches are the searches of Circuit Wars, as bench without a game counts them.
var Searches = []cli.Search{{Name: "circuitwars solver", Count: countSolver}, {Name: "circuitwars wins", Count: countWins}, {Name: "circuitwars live", Count: countLive}}

// options are the flags of endwise bench circuitwars.
type options struct {
	goodplay.Options
	files    []string // logs, or folders of them
	seeds    bool
	goodPlay bool
	board    string
	nodes    uint64
	win      bool
}

// NewCmd is bench circuitwars.
func NewCmd(a *cli.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "circuitwars [LOG…]",
		Short: "Measure the exact solver of Circuit Wars",
		Long: `Without a LOG: solves the ends of the games that ship with the program, the
last 15, 20, … 60 free segments, from a cold table on one thread and with a
limit of nodes instead of time. The node counts are the same on every machine
and in every run; they change when the search does.

With LOG, game logs or folders of them, it measures the horizon: the largest
number of free segments that is solved exactly within --time, cold table,
walking back from the end of each game until a position is not solved in time.
Median, 10th percentile and worst over all games; games that stop early, with
more than 25 free segments left, don't count. --win asks only who wins from
the score, the faster question.

--seeds measures the horizon on 200 games that levels and searches of several
strengths play anew, the same ones everywhere (data/benchmark/circuitwars.seeds).

--good-play measures on positions of games that our own player played against
itself after six random moves, the first ones with at most 75, 70, … 40 free
segments (data/benchmark/circuitwars.games): how many are solved within half a
second and within --time from a cold table, in what time half of them are, and how
often the player's move, three seconds on the clock, is one of the best, where a
long solve has told which those are.`,
		Example: "  endwise bench circuitwars\n  endwise bench circuitwars --seeds --cpu --every 20\n  endwise bench circuitwars --good-play --cpu --every 4\n  endwise bench circuitwars games/ --time 3s --every 5",
		Args:    cli.Args(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, rest []string) error {
			o.files = rest
			b, err := logs.ParseBoard(o.board)
			switch {
			case err != nil:
				return cli.BadInput(fmt.Errorf("--board: %w", err))
			case o.Time <= 0:
				return cli.BadInput(fmt.Errorf("--time %v: want more than 0", o.Time))
			case o.Threads < 1 || o.HashMB < 1 || o.Every < 1:
				return cli.BadInput(errors.New("--threads, --hash and --every: want 1 or more"))
			case o.CPU && !book.HasProcessorTime:
				return cli.BadInput(errors.New("--cpu: this system does not tell processor time"))
			case (o.seeds || o.goodPlay) && len(o.files) > 0 || o.seeds && o.goodPlay:
				return cli.BadInput(errors.New("--seeds, --good-play and logs: want one of them"))
			case o.goodPlay:
				return goodplay.CircuitWars.Measure(cmd.Context(), a.Stdout, o.Options)
			case !o.horizons():
				return printTails(cmd.Context(), a, o)
			}
			games, err := o.games(a, b)
			if err != nil {
				return cli.BadInput(err)
			}
			return printHorizon(cmd.Context(), a, o, games)
		},
	}
	f := c.Flags()
	f.StringVar(&o.board, "board", circuitwars.UsualBoard, cli.BoardUsage+"; of the logs, which don't tell")
	f.DurationVar(&o.Time, "time", 3*time.Second, cli.TimeUsage+"; of a log")
	f.BoolVar(&o.CPU, "cpu", false, cli.CPUUsage)
	f.BoolVar(&o.win, "win", false, "ask who wins, not by how much")
	f.BoolVar(&o.seeds, "seeds", false, "measure the horizon on 200 games played anew from seeds")
	f.BoolVar(&o.goodPlay, "good-play", false, cli.GoodPlayUsage)
	f.IntVar(&o.Every, "every", 1, cli.EveryUsage)
	f.BoolVarP(&o.Verbose, "verbose", "v", false, cli.VerboseUsage+"; a line a log")
	f.Uint64Var(&o.nodes, "nodes-per-position", 200_000, cli.NodesUsage)
	f.IntVar(&o.Threads, "threads", 1, cli.ThreadsUsage+"; node counts repeat only with 1")
	f.IntVar(&o.HashMB, "hash", 256, cli.HashUsage)
	return c
}

// horizons says whether games are walked back, instead of tails solved.
func (o options) horizons() bool { return o.seeds || len(o.files) > 0 }

func (o options) solver() *exact.Solver {
	so := exact.Options{Threads: o.Threads, TableBytes: o.HashBytes()}
	if !o.horizons() {
		so.NodeLimit = o.nodes
	}
	return exact.New(so)
}

// tailSegments are the numbers of free segments of the suite of tails.
var tailSegments = []int{15, 20, 25, 30, 35, 40, 45, 50, 55, 60}

// tail is the first position of a game with at most so many free segments.
func tail(v circuitwars.Verdict, segments int) (circuitwars.Position, bool) {
	for _, p := range v.Positions {
		if n := p.Free().Len(); n <= segments {
			return p, n > 0
		}
	}
	return circuitwars.Position{}, false
}

// solvedTails is what came of tails that a solver was asked about.
type solvedTails struct {
	positions, solved int
	nodes             uint64
	took              time.Duration
}

// ask asks a solver about a position, and says whether the question is answered.
func (o options) ask(ctx context.Context, s *exact.Solver, p circuitwars.Position) (r solver.Result, ok bool, err error) {
	if !o.win {
		r, err = s.Value(ctx, p.Board(), p.Free())
		return r, r.Exact(), err
	}
	score := p.Score()
	// The least value with which the side to move has more than the opponent in the end.
	need := score[p.Turn().Other()-engine.First] - score[p.Turn()-engine.First] + 1
	r, err = s.AtLeast(ctx, p.Board(), p.Free(), need)
	return r, r.Lower >= need || r.Upper < need, err
}

// solveTails asks, each time with an empty table, about the tails of so many free
// segments of the games that ship with the program; each hears of one number of
// segments.
func (o options) solveTails(ctx context.Context, segments []int, each func(segments int, t solvedTails)) (all solvedTails, err error) {
	games, err := suite()
	if err != nil {
		return all, err
	}
	s := o.solver()
	for _, n := range segments {
		var t solvedTails
		for _, v := range games {
			p, ok := tail(v, n)
			if !ok {
				continue
			}
			s.Clear()
			start := time.Now()
			r, solved, err := o.ask(ctx, s, p)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return all, err
			}
			t.took += time.Since(start)
			t.positions++
			if solved {
				t.solved++
			}
			t.nodes += r.Nodes
		}
		each(n, t)
		all = solvedTails{all.positions + t.positions, all.solved + t.solved, all.nodes + t.nodes, all.took + t.took}
	}
	return all, nil
}

// printTails solves the tails of the games that ship with the program.
func printTails(ctx context.Context, a *cli.App, o options) error {
	o.win = false // a question about logs
	line := func(free string, t solvedTails) {
		fmt.Fprintf(a.Stdout, "%4s %10d %7d %11d %10.3f %10.0f\n", free, t.positions, t.solved, t.nodes, t.took.Seconds(), progress.Rate(t.nodes, t.took))
	}
	fmt.Fprintf(a.Stdout, "free  positions  solved       nodes    seconds    nodes/s\n")
	all, err := o.solveTails(ctx, tailSegments, func(segments int, t solvedTails) { line(strconv.Itoa(segments), t) })
	if err == nil {
		line("all", all)
	}
	return err
}

// countTails is how many nodes tails take on one thread.
func (o options) countTails(ctx context.Context, segments ...int) (uint64, error) {
	o.Threads, o.HashMB = 1, 32
	all, err := o.solveTails(ctx, segments, func(int, solvedTails) {})
	return all.nodes, err
}

// countSolver is the node count of the exact solver: the suite of
// tails with fewer nodes.
func countSolver(ctx context.Context) (uint64, error) {
	return options{nodes: 20_000}.countTails(ctx, tailSegments...)
}

// countWins is the node count of the question who wins from the
// score, which is searched in another way than the value.
func countWins(ctx context.Context) (uint64, error) {
	return options{nodes: 10_000, win: true}.countTails(ctx, 40, 50, 60)
}

// countLive is the node count of live search, on positions beyond
// the solver's reach.
func countLive(ctx context.Context) (nodes uint64, err error) {
	games, err := suite()
	if err != nil {
		return 0, err
	}
	for i, v := range games[:6] {
		p, ok := tail(v, 60+8*i)
		if !ok {
			continue
		}
		s, err := live.NewCircuitWars(p.Board(), 4<<20)
		if err != nil {
			return 0, err
		}
		nodes += s.Search(ctx, p, time.Time{}, 4, false).Nodes
	}
	return nodes, nil
}

// suite reads the games that ship with the program.
func suite() ([]circuitwars.Verdict, error) {
	files, err := fs.Glob(data.Benchmark, "benchmark/circuitwars/*")
	var out []circuitwars.Verdict
	for _, file := range files {
		text, err := fs.ReadFile(data.Benchmark, file)
		if err != nil {
			return nil, err
		}
		_, v, err := logs.Judge(bytes.NewReader(text), 7, 7)
		if err != nil {
			return nil, fmt.Errorf("benchmark game %s: %w", path.Base(file), err)
		}
		out = append(out, v)
	}
	return out, err
}

// Where the walk back from the end of a game begins, and how many free
// segments the last position may have for the game to count.
const (
	horizonStart = 24
	horizonEnd   = 25
)

// walkedGame is a game to measure the horizon on.
type walkedGame struct {
	name string
	read func(context.Context) (circuitwars.Verdict, error)
}

// games are those of the logs, or of the sample.
func (o options) games(a *cli.App, b *grid.Board) ([]walkedGame, error) {
	var out []walkedGame
	if o.seeds {
		games, err := readSample()
		for _, g := range games {
			out = append(out, walkedGame{g.name(), g.verdict})
		}
		return out, err
	}
	files, err := cli.FilesBelow(a.Stderr, o.files, ".log")
	for _, f := range files {
		out = append(out, walkedGame{f, func(context.Context) (circuitwars.Verdict, error) {
			_, v, err := logs.Read(f, b.Rows, b.Cols)
			return v, cli.BadInput(err)
		}})
	}
	return out, err
}

// printHorizon measures the horizon on games.
func printHorizon(ctx context.Context, a *cli.App, o options, games []walkedGame) error {
	s := o.solver()
	var horizons []int
	early := 0
	for i := 0; i < len(games); i += o.Every {
		v, err := games[i].read(ctx)
		if err != nil {
			return err
		}
		if v.Final.Free().Len() > horizonEnd {
			early++
			continue
		}
		h, err := o.horizon(ctx, s, v)
		if err != nil {
			return err
		}
		if o.Verbose {
			fmt.Fprintf(a.Stdout, "%s: %d\n", games[i].name, h)
		}
		horizons = append(horizons, h)
	}
	if len(horizons) == 0 {
		return errors.New("no game comes near enough to its end")
	}
	slices.Sort(horizons)
	n := len(horizons)
	question, clock := "value", "wall-clock time"
	if o.win {
		question = "win or loss"
	}
	if o.CPU {
		clock = "processor time"
	}
	fmt.Fprintf(a.Stdout, "horizon (%s, %v of %s, %s, cold table): median %d, 10th percentile %d, worst %d free segments over %s\n",
		question, o.Time, clock, cli.Count(o.Threads, "thread"), horizons[n/2], horizons[n/10], horizons[0], cli.Count(n, "game"))
	if early > 0 {
		fmt.Fprintf(a.Stdout, "%s left out that stopped early\n", cli.Count(early, "game"))
	}
	return nil
}

// horizon walks back from the end of a game until a position is not solved in
// time. Where not even the first one is, it looks for one on the way to the end.
func (o options) horizon(ctx context.Context, s *exact.Solver, v circuitwars.Verdict) (int, error) {
	begin := slices.IndexFunc(v.Positions, func(p circuitwars.Position) bool { return p.Free().Len() <= horizonStart })
	if begin < 0 {
		begin = len(v.Positions) - 1
	}
	best := 0
	for _, p := range slices.Backward(v.Positions[:begin+1]) {
		ok, err := o.solves(ctx, s, p)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		best = p.Free().Len()
	}
	if best > 0 {
		return best, nil
	}
	for _, p := range v.Positions[begin+1:] {
		if ok, err := o.solves(ctx, s, p); ok || err != nil {
			return p.Free().Len(), err
		}
	}
	return 0, nil
}

// solves tries to solve a position in time.
func (o options) solves(ctx context.Context, s *exact.Solver, p circuitwars.Position) (bool, error) {
	s.Clear()
	limited, _, cancel := machine.Limited(ctx, o.Time, o.CPU, o.Threads)
	defer cancel()
	_, ok, err := o.ask(limited, s, p)
	return ok, cmp.Or(err, ctx.Err())
}

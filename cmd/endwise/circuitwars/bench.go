package circuitwars

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/goodplay"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/live"
)

// benchOptions are the flags of endwise bench circuitwars.
type benchOptions struct {
	logs     []string // or folders of them
	seeds    bool
	goodPlay bool
	board    string
	time     time.Duration
	nodes    uint64
	threads  int
	hash     int // megabytes
	every    int
	cpu      bool
	win      bool
	verbose  bool
}

func newBenchCmd(a *cli.App) *cobra.Command {
	var o benchOptions
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
			o.logs = rest
			b, err := parseBoard(o.board)
			switch {
			case err != nil:
				return cli.BadInput(fmt.Errorf("--board: %w", err))
			case o.time <= 0:
				return cli.BadInput(fmt.Errorf("--time %v: want more than 0", o.time))
			case o.threads < 1 || o.hash < 1 || o.every < 1:
				return cli.BadInput(errors.New("--threads, --hash and --every: want 1 or more"))
			case o.cpu && !book.HasProcessorTime:
				return cli.BadInput(errors.New("--cpu: this system does not tell processor time"))
			}
			switch {
			case (o.seeds || o.goodPlay) && len(o.logs) > 0 || o.seeds && o.goodPlay:
				return cli.BadInput(errors.New("--seeds, --good-play and logs: want one of them"))
			case o.goodPlay:
				return goodplay.CircuitWars.Measure(cmd.Context(), a.Stdout, goodplay.Options{
					Time: o.time, CPU: o.cpu, Threads: o.threads, HashBytes: int64(o.hash) << 20, Every: o.every, Verbose: o.verbose})
			case !o.horizons():
				return benchNodes(cmd.Context(), a, o)
			}
			games, err := o.games(a, b)
			if err != nil {
				return cli.BadInput(err)
			}
			return benchHorizon(cmd.Context(), a, o, games)
		},
	}
	f := c.Flags()
	f.StringVar(&o.board, "board", circuitwars.UsualBoard, cli.BoardUsage+"; of the logs, which don't tell")
	f.DurationVar(&o.time, "time", 3*time.Second, cli.TimeUsage+"; of a log")
	f.BoolVar(&o.cpu, "cpu", false, cli.CPUUsage)
	f.BoolVar(&o.win, "win", false, "ask who wins, not by how much")
	f.BoolVar(&o.seeds, "seeds", false, "measure the horizon on 200 games played anew from seeds")
	f.BoolVar(&o.goodPlay, "good-play", false, cli.GoodPlayUsage)
	f.IntVar(&o.every, "every", 1, cli.EveryUsage)
	f.BoolVarP(&o.verbose, "verbose", "v", false, cli.VerboseUsage+"; a line a log")
	f.Uint64Var(&o.nodes, "nodes-per-position", 200_000, cli.NodesUsage)
	f.IntVar(&o.threads, "threads", 1, cli.ThreadsUsage+"; node counts repeat only with 1")
	f.IntVar(&o.hash, "hash", 256, cli.HashUsage)
	return c
}

// horizons says whether games are walked back, instead of tails solved.
func (o benchOptions) horizons() bool { return o.seeds || len(o.logs) > 0 }

func (o benchOptions) solver() *exact.Solver {
	so := exact.Options{Threads: o.threads, TableBytes: int64(o.hash) << 20}
	if !o.horizons() {
		so.NodeLimit = o.nodes
	}
	return exact.New(so)
}

// benchSegments are the numbers of free segments of the suite of tails.
var benchSegments = []int{15, 20, 25, 30, 35, 40, 45, 50, 55, 60}

// tail is the first position of a game with at most so many free segments.
func tail(v circuitwars.Verdict, segments int) (circuitwars.Position, bool) {
	for _, p := range v.Positions {
		if n := p.Free().Len(); n <= segments {
			return p, n > 0
		}
	}
	return circuitwars.Position{}, false
}

// solveTails solves the games' tails of so many free segments, each with an
// empty table.
func solveTails(ctx context.Context, s *exact.Solver, games []circuitwars.Verdict, segments int, each func(solver.Result, time.Duration)) error {
	for _, v := range games {
		p, ok := tail(v, segments)
		if !ok {
			continue
		}
		s.Clear()
		start := time.Now()
		r, err := s.Value(ctx, p.Board().Graph(p.Free()))
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		each(r, time.Since(start))
	}
	return nil
}

// benchNodes solves the tails of the games that ship with the program.
func benchNodes(ctx context.Context, a *cli.App, o benchOptions) error {
	games, err := suite()
	if err != nil {
		return err
	}
	s := o.solver()
	fmt.Fprintf(a.Stdout, "free  positions  solved       nodes    seconds    nodes/s\n")
	var nodes uint64
	var solved, positions int
	var elapsed time.Duration
	for _, segments := range benchSegments {
		var n uint64
		var done, count int
		var d time.Duration
		err := solveTails(ctx, s, games, segments, func(r solver.Result, took time.Duration) {
			count++
			if r.Exact() {
				done++
			}
			n += r.Nodes
			d += took
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%4d %10d %7d %11d %10.3f %10.0f\n", segments, count, done, n, d.Seconds(), cli.Rate(n, d))
		nodes, solved, positions, elapsed = nodes+n, solved+done, positions+count, elapsed+d
	}
	fmt.Fprintf(a.Stdout, " all %10d %7d %11d %10.3f %10.0f\n", positions, solved, nodes, elapsed.Seconds(), cli.Rate(nodes, elapsed))
	return nil
}

// countSolver is the node count of the exact solver: the suite of
// tails with fewer nodes.
func countSolver(ctx context.Context) (nodes uint64, err error) {
	games, err := suite()
	if err != nil {
		return 0, err
	}
	s := benchOptions{threads: 1, hash: 32, nodes: 20_000}.solver()
	for _, segments := range benchSegments {
		if err := solveTails(ctx, s, games, segments, func(r solver.Result, _ time.Duration) { nodes += r.Nodes }); err != nil {
			return 0, err
		}
	}
	return nodes, nil
}

// countWins is the node count of the question who wins from the
// score, which is searched in another way than the value.
func countWins(ctx context.Context) (nodes uint64, err error) {
	games, err := suite()
	if err != nil {
		return 0, err
	}
	s := benchOptions{threads: 1, hash: 32, nodes: 10_000}.solver()
	for _, segments := range []int{40, 50, 60} {
		for _, v := range games {
			p, ok := tail(v, segments)
			if !ok {
				continue
			}
			s.Clear()
			r, err := s.AtLeast(ctx, p.Board().Graph(p.Free()), winsWith(p))
			if err != nil {
				return 0, err
			}
			nodes += r.Nodes
		}
	}
	return nodes, nil
}

// winsWith is the least value with which the side to move has more than the
// opponent in the end.
func winsWith(p circuitwars.Position) int {
	score := p.Score()
	return score[p.Turn().Other()-engine.First] - score[p.Turn()-engine.First] + 1
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
	const dir = "benchmark/circuitwars"
	entries, err := fs.ReadDir(data.Benchmark, dir)
	if err != nil {
		return nil, fmt.Errorf("benchmark games: %w", err)
	}
	var out []circuitwars.Verdict
	for _, e := range entries {
		text, err := fs.ReadFile(data.Benchmark, path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("benchmark games: %w", err)
		}
		g, err := circuitwars.ReadLog(strings.NewReader(string(text)))
		if err != nil {
			return nil, fmt.Errorf("benchmark game %s: %w", e.Name(), err)
		}
		v, err := circuitwars.Judge(g, 7, 7)
		if err != nil {
			return nil, fmt.Errorf("benchmark game %s: %w", e.Name(), err)
		}
		out = append(out, v)
	}
	return out, nil
}

// Where the walk back from the end of a game begins, and how many free
// segments the last position may have for the game to count.
const (
	horizonStart = 24
	horizonEnd   = 25
)

// benchGame is a game to measure the horizon on.
type benchGame struct {
	name string
	read func(context.Context) (circuitwars.Verdict, error)
}

// games are those of the logs, or of the sample.
func (o benchOptions) games(a *cli.App, b *grid.Board) ([]benchGame, error) {
	var out []benchGame
	if o.seeds {
		games, err := readSample()
		for _, g := range games {
			out = append(out, benchGame{g.name(), g.verdict})
		}
		return out, err
	}
	files, err := cli.FilesBelow(a.Stderr, o.logs, ".log")
	for _, f := range files {
		out = append(out, benchGame{f, func(context.Context) (circuitwars.Verdict, error) {
			_, v, err := readGame(f, b.Rows, b.Cols)
			return v, cli.BadInput(err)
		}})
	}
	return out, err
}

// benchHorizon measures the horizon on games.
func benchHorizon(ctx context.Context, a *cli.App, o benchOptions, games []benchGame) error {
	s := o.solver()
	var horizons []int
	early := 0
	for i := 0; i < len(games); i += o.every {
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
		if o.verbose {
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
	if o.cpu {
		clock = "processor time"
	}
	fmt.Fprintf(a.Stdout, "horizon (%s, %v of %s, %s, cold table): median %d, 10th percentile %d, worst %d free segments over %s\n",
		question, o.time, clock, cli.Count(o.threads, "thread"), horizons[n/2], horizons[n/10], horizons[0], cli.Count(n, "game"))
	if early > 0 {
		fmt.Fprintf(a.Stdout, "%s left out that stopped early\n", cli.Count(early, "game"))
	}
	return nil
}

// horizon walks back from the end of a game until a position is not solved in
// time.
func (o benchOptions) horizon(ctx context.Context, s *exact.Solver, v circuitwars.Verdict) (int, error) {
	at := len(v.Positions) - 1
	for at > 0 && v.Positions[at-1].Free().Len() <= horizonStart {
		at--
	}
	best := 0
	for ; at >= 0; at-- {
		ok, err := o.solves(ctx, s, v.Positions[at])
		if err != nil {
			return 0, err
		}
		if ok {
			best = v.Positions[at].Free().Len()
			continue
		}
		if best > 0 {
			return best, nil
		}
		// Not even where the walk begins: look for it on the way to the end.
		for at++; at < len(v.Positions); at++ {
			if ok, err = o.solves(ctx, s, v.Positions[at]); ok || err != nil {
				return v.Positions[at].Free().Len(), err
			}
		}
		return 0, nil
	}
	return best, nil
}

// solves tries to solve a position in time.
func (o benchOptions) solves(ctx context.Context, s *exact.Solver, p circuitwars.Position) (bool, error) {
	s.Clear()
	limited, _, cancel := cli.Limited(ctx, o.time, o.cpu, o.threads)
	defer cancel()
	g := p.Board().Graph(p.Free())
	if !o.win {
		r, err := s.Value(limited, g)
		return r.Exact(), cmp.Or(err, ctx.Err())
	}
	need := winsWith(p)
	r, err := s.AtLeast(limited, g, need)
	return r.Lower >= need || r.Upper < need, cmp.Or(err, ctx.Err())
}

package circuitwars

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/solve"
	"endwise/cmd/endwise/workers"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/farm"
)

// answerNodes is the minimum number of searched positions for an answer in the embedded proof.
const answerNodes = 500

type solveOptions struct {
	board    string
	segments int
	endings  bool // --segments was given
	threads  int
	value    bool
	hash     int
	order    int
	json     bool
	force    bool
	answers  string // file
	nats     workers.NatsFlags
}

func newSolveCmd(a *cli.App) *cobra.Command {
	var o solveOptions
	c := &cobra.Command{
		Use:   "circuitwars --board RxC [--value] | --segments N",
		Short: "Solve Circuit Wars: all positions of a small board, or all short endings",
		Long: fmt.Sprintf(`Solves positions exactly and stores them as a table.

--board RxC solves every position of a board of at most 32 segments: 3x3 and 2x5
take seconds to minutes, 3x4 and 2x6 need 1 and 2 GB of memory.

--segments N solves every ending with at most N free segments on any board up to
7x7; %d is a sensible number.

--board RxC --value solves the empty board only, by search, so that boards far too
large for a table can be tried: 3x4 takes seconds. Its intermediate results are
kept in the store.

--nats distributes the work of --board and --segments, but not of --value, which
would take several times the nodes.

The work can be stopped at any time (Ctrl-C); the same command resumes it. At the
end a sample of a table is checked: most values against those after each move, some
against plain minimax.`, cwbook.SensibleEndings),
		Example: "  endwise solve circuitwars --board 3x3\n  endwise solve circuitwars --segments 12",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.endings = cmd.Flags().Changed("segments")
			return o.run(cmd.Context(), a.WithJSON(o.json))
		},
	}
	c.Flags().StringVar(&o.board, "board", "", cli.BoardUsage+", for instance 3x3")
	c.Flags().IntVar(&o.segments, "segments", 0, "solve every ending with at most this many free segments")
	c.Flags().IntVar(&o.threads, "threads", cli.Processors, cli.ThreadsUsage)
	c.Flags().BoolVar(&o.value, "value", false, "with --board: solve the empty board only")
	c.Flags().IntVar(&o.hash, "hash", 1024, "with --value: "+cli.HashUsage)
	c.Flags().IntVar(&o.order, "order", 1, solve.OrderUsage)
	c.Flags().BoolVar(&o.json, "json", false, solve.JSONUsage)
	c.Flags().BoolVar(&o.force, "force", false, solve.ForceUsage)
	// The file of data/proofs was made with this flag.
	c.Flags().StringVar(&o.answers, "answers", "", "write the part of the value's proof near the empty board to this file")
	o.nats.Register(c)
	return c
}

func (o *solveOptions) check() error {
	switch {
	case (o.board != "") == o.endings:
		return errors.New("give either --board RxC or --segments N")
	case o.value && o.board == "":
		return errors.New("--value wants --board RxC")
	case o.answers != "" && (o.value || o.board == ""):
		return errors.New("--answers wants --board RxC without --value")
	case (o.value || o.answers != "") && o.nats.URL != "":
		return errors.New("--value and --nats: the search for one value is not distributed, because in parts it takes longer")
	}
	return cmp.Or(cli.WantSizes(o.threads, o.hash), solve.WantOrder(o.order, o.value))
}

func (o *solveOptions) run(ctx context.Context, a *cli.App) error {
	dir, err := a.Store()
	if err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return cli.BadInput(err)
	}
	if o.endings {
		return o.solveEndings(ctx, a, dir)
	}
	b, err := grid.Parse(o.board)
	if err != nil {
		return cli.BadInput(err)
	}
	positions := solve.ForecastValue(circuitwars.Name, "", b)
	value := book.ValueOptions{Threads: o.threads, TableBytes: solve.TableBytes(o.hash, positions), Forecast: positions}
	forecast := func() error {
		return solve.Forecast(a, b.String(), positions, o.force, func() (uint64, error) {
			return sampleSearch(ctx, o.threads)
		})
	}
	switch {
	case o.value && o.order == 2:
		if err := forecast(); err != nil {
			return err
		}
		return solveOnce(ctx, a, b, value)
	case o.value:
		return solve.BoardValue(ctx, a, dir, circuitwars.Name, b, &workers.NatsFlags{}, workers.Coordination{}, forecast,
			func(_ farm.Farm, p *farm.Progress) (book.BoardValue, error) {
				return cwbook.SolveValue(ctx, dir, b, value, p)
			})
	case o.answers != "":
		return solve.WriteAnswers(a, b, o.answers, func(w io.Writer) (int, solver.Result, error) {
			return cwbook.WriteAnswers(ctx, w, b, answerNodes, value)
		})
	}
	return o.solveBoard(ctx, a, dir, b)
}

// solveBoard solves all positions of a board as a table in the store dir.
func (o *solveOptions) solveBoard(ctx context.Context, a *cli.App, dir string, b *grid.Board) error {
	if err := cwbook.CanSolveBoard(b); err != nil {
		return cli.BadInput(err)
	}
	if o.nats.URL == "" && !solve.Begun(dir, circuitwars.Name, b) {
		entries := math.Ldexp(1, b.Segments()) // the number of sets of segments
		sample := func() (uint64, error) { return sampleTable(ctx, o.threads) }
		if err := solve.Forecast(a, b.String(), entries, true, sample); err != nil {
			return err
		}
	}
	work := workers.Coordination{
		Title: "solve circuitwars --board " + b.String(), Kind: cwbook.BoardJobs,
		Memory: cwbook.BoardMemory(b), Threads: o.threads,
	}
	h, err := solve.Run(ctx, a, &o.nats, work, func(f farm.Farm, p *farm.Progress) (*store.Header, error) {
		return cwbook.SolveBoard(ctx, dir, b, f, p)
	})
	return solve.PrintSolved(ctx, a, h, err)
}

// sampleSearch solves the empty 2x5 board and returns the number of searched positions.
func sampleSearch(ctx context.Context, threads int) (uint64, error) {
	b, err := grid.New(2, 5)
	if err != nil {
		return 0, err
	}
	s := exact.New(exact.Options{Threads: threads, TableBytes: 16 << 20, TypeBytes: 64 << 20})
	r, err := s.Value(ctx, b, b.All())
	return r.Nodes, err
}

// sampleTable solves the table of 2x4 in a temporary directory and returns the number of its entries.
func sampleTable(ctx context.Context, threads int) (uint64, error) {
	b, err := grid.New(2, 4)
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "endwise-forecast-")
	if err != nil {
		return 0, err
	}
	_, err = cwbook.SolveBoard(ctx, dir, b, farm.InProcess(threads), nil)
	return 1 << b.Segments(), errors.Join(err, os.RemoveAll(dir))
}

// solveEndings solves all endings with at most o.segments free segments as a table in the store dir.
func (o *solveOptions) solveEndings(ctx context.Context, a *cli.App, dir string) error {
	if err := cwbook.CanSolveEndings(o.segments); err != nil {
		return cli.BadInput(err)
	}
	work := workers.Coordination{
		Title: fmt.Sprintf("solve circuitwars --segments %d", o.segments), Kind: cwbook.EndingsJobs,
		Memory: cwbook.EndingsMemory(o.segments), Threads: o.threads,
	}
	h, err := solve.Run(ctx, a, &o.nats, work, func(f farm.Farm, p *farm.Progress) (*store.Header, error) {
		return cwbook.SolveEndings(ctx, dir, o.segments, o.threads, f, p)
	})
	return solve.PrintSolved(ctx, a, h, err)
}

// solveOnce computes the value in the second order of moves, without a journal.
func solveOnce(ctx context.Context, a *cli.App, b *grid.Board, o book.ValueOptions) error {
	p, err := circuitwars.Game{}.Start(b.String())
	if err != nil {
		return cli.BadInput(err)
	}
	return solve.Value(ctx, a, circuitwars.Name, b.String(), p, o.Forecast, func(ctx context.Context, searched func(uint64)) (solver.Result, error) {
		s := exact.New(exact.Options{
			Threads: o.Threads, TableBytes: o.TableBytes, TypeBytes: 1536 << 20, SecondOrder: true, Searched: searched,
		})
		return s.Value(ctx, b, b.All())
	})
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	"endwise/book/store"
	"endwise/engine/grid"
	"endwise/solver/farm"
)

func newSolveCircuitWarsCmd(a *app) *cobra.Command {
	var (
		board    string
		segments int
		threads  int
		value    bool
		hash     int
		nats     natsFlags
	)
	c := &cobra.Command{
		Use:   "circuitwars --board RxC [--value] | --segments N",
		Short: "Solve Circuit Wars: all positions of a small board, or all short endings",
		Long: fmt.Sprintf(`Works out exact values and stores them as a table.

--board RxC solves every position of a board of at most 32 segments: 3x3 and
2x5 take seconds to minutes, 3x4 and 2x6 need 1 and 2 GB of memory.
--segments N solves every ending with at most N free segments on any board up
to 7x7; %d is a sensible number.
--board RxC --value works out only what the empty board is worth, by search, so
that boards far too large for a table can be tried: 3x4 takes seconds. What it
proves on the way is kept in the store.

--nats hands out the work of --board and --segments, not that of --value: the
search lives on one table and one order of moves. Cut into questions about the
positions after two moves, 3x4 took 4.2 times the nodes, and the questions that
must wait for one another 1.7 times those of the whole search.

The work can be stopped at any time (Ctrl-C); the same command goes on where
it was. At the end a share of the entries is worked out again by plain minimax.`, cwbook.SensibleEndings),
		Example: "  endwise solve circuitwars --board 3x3\n  endwise solve circuitwars --segments 12",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.store()
			if err != nil {
				return err
			}
			if threads < 1 {
				return badInput(fmt.Errorf("--threads %d: want 1 or more", threads))
			}
			switch {
			case (board == "") == !cmd.Flags().Changed("segments"):
				return badInput(errors.New("want either --board RxC or --segments N"))
			case value && board == "":
				return badInput(errors.New("--value wants --board RxC"))
			case value && nats.url != "":
				return badInput(errors.New("--value and --nats: the search for one value is not handed out, since in pieces it takes longer; see --help"))
			case hash < 1:
				return badInput(fmt.Errorf("--hash %d: want 1 or more megabytes", hash))
			case value:
				b, err := grid.Parse(board)
				if err != nil {
					return badInput(err)
				}
				return a.solveCircuitWarsValue(cmd.Context(), dir, b, book.ValueOptions{Threads: threads, TableBytes: int64(hash) << 20})
			case board != "":
				b, err := grid.Parse(board)
				if err != nil {
					return badInput(err)
				}
				if err := cwbook.CanSolveBoard(b); err != nil {
					return badInput(err)
				}
				o := coordination{"solve circuitwars --board " + b.String(), cwbook.BoardJobs, cwbook.BoardMemory(b), threads}
				return a.solve(cmd.Context(), &nats, o, func(f farm.Farm, p *farm.Progress) (*store.Header, error) {
					return cwbook.SolveBoard(cmd.Context(), dir, b, f, p)
				})
			}
			if err := cwbook.CanSolveEndings(segments); err != nil {
				return badInput(err)
			}
			o := coordination{fmt.Sprintf("solve circuitwars --segments %d", segments), cwbook.EndingsJobs, cwbook.EndingsMemory(segments), threads}
			return a.solve(cmd.Context(), &nats, o, func(f farm.Farm, p *farm.Progress) (*store.Header, error) {
				return cwbook.SolveEndings(cmd.Context(), dir, segments, threads, f, p)
			})
		},
	}
	c.Flags().StringVar(&board, "board", "", "solve every position of this board, for instance 3x3")
	c.Flags().IntVar(&segments, "segments", 0, "solve every ending with at most this many free segments")
	c.Flags().IntVar(&threads, "threads", processors, threadsUsage)
	c.Flags().BoolVar(&value, "value", false, "with --board: work out the value of the empty board only")
	c.Flags().IntVar(&hash, "hash", 1024, "with --value: "+hashUsage)
	nats.register(c)
	return c
}

// solveCircuitWarsValue works out the value of an empty board by search.
func (a *app) solveCircuitWarsValue(ctx context.Context, dir string, b *grid.Board, o book.ValueOptions) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	start := time.Now()
	var v book.BoardValue
	err := a.offline(ctx, &natsFlags{}, coordination{}, func(_ farm.Farm, p *farm.Progress) (err error) {
		v, err = cwbook.SolveValue(ctx, dir, b, o, p)
		return err
	})
	if err != nil {
		if v.Expansions > 0 {
			fmt.Fprintf(a.stdout, "%s so far: the value lies between %+d and %+d; what is proved about %s is kept\n", b, v.Lower, v.Upper, count(v.Subpositions, "position"))
		}
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s: value %+d for the player who moves first, proved; %d nodes in %v\n", b, v.Lower, v.Expansions, time.Since(start).Round(time.Millisecond))
	return err
}

package watchyourback

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/progress"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/live"
	"endwise/solver/watchyourback/tables"
)

// benchPositions are positions of games between levels, from the first
// placement to the turn before the second shrink.
var benchPositions = []string{
	"X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0",
	"X------X/--------/--OO@---/---@@-O-/--------/--OO@@--/----@---/X------X:placing:12",
	"X------X/-----O--/--@@OOO-/-@@@OOO-/-@@@OO--/----OO--/-@--@---/X--@---X:placing:23",
	"X------X/--O--@--/----O@--/--OOO-@-/--OO@@--/-OO-@-@-/-@-@-@O-/X------X:moving:23",
	"X@-----X/--------/O@-@-OO-/--@@----/-@@-OO--/----O-O-/-@-@O---/X@--@O-X:moving:47",
	"X---O--X/-@O-O-O-/----OO-O/--O@@@OO/---@@@--/@-@-@@--/-O--@---/X------X:moving:71",
	"X-@O-OOX/@-@O--O-/--O-O---/---O-@@O/-O--@@--/--O-@--@/--@-----/X-@@---X:moving:95",
	"X-O@@--X/------O-/--@-OO--/-----O--/---@@--O/-@-@@OO-/--@@-OO-/X@--@O-X:moving:119",
	"......../.X---OX./.---O@@./.-@O-@-./.--OO@@./.--OO-@./.X@@@-X./........:moving:143",
	"......../.X-O--X./.-@-OO-./.@-@OO-./.-@@---./.----@-./.X---@X./........:moving:167",
	"......../.X---OX./.--O--O./.OOO--O./.-O@@-@./.-@-@--./.X-@--X./........:moving:182",
	"......../.X-@--X./.--@OO-./.-@-O--./.-@@@O-./.--@@O-./.X-O--X./........:moving:184",
}

// finalOracle is the 4x4 board alone, which needs no store.
type finalOracle struct{ solved *tables.Final }

func (o finalOracle) Final(own, opp uint64) (value, distance int, ok bool) {
	return o.solved.Probe(own, opp)
}

func (finalOracle) Middle(_, _ uint64, _ int) (int, bool) { return 0, false }

// searchEach runs f on each position with a searcher of its own.
func searchEach(ctx context.Context, hash, threads int, f func(p watchyourback.Position, s *live.Searcher) error) error {
	oracle := finalOracle{tables.NewFinal()}
	for _, text := range benchPositions {
		p, err := watchyourback.Parse(text)
		if err != nil {
			return fmt.Errorf("benchmark position: %w", err)
		}
		if err := f(p, live.New(int64(hash)<<20, threads, oracle)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// countLive is the node count of live search.
func countLive(ctx context.Context) (nodes uint64, err error) {
	err = searchEach(ctx, 16, 1, func(p watchyourback.Position, s *live.Searcher) error {
		nodes += s.Search(ctx, p, live.Limits{Depth: 6}).Nodes
		return nil
	})
	return nodes, err
}

// countSolver is the node count of the search to the shrink, on
// the positions next to the second one.
func countSolver(ctx context.Context) (nodes uint64, err error) {
	err = searchEach(ctx, 16, 1, func(p watchyourback.Position, s *live.Searcher) error {
		if p.Stage() == watchyourback.Middle && p.ToShrink() <= 10 {
			_, _, n, _ := s.Solve(ctx, p, live.Limits{Nodes: 200_000})
			nodes += n
		}
		return nil
	})
	return nodes, err
}

func newBenchCmd(a *cli.App) *cobra.Command {
	var plies, hash, threads int
	c := &cobra.Command{
		Use:   "watchyourback",
		Short: "Measure the live search of Watch Your Back",
		Long: `Searches positions from all stages of the game to a fixed depth, from a cold
table. The number of nodes is the same on every machine and in every run; it
changes when the search does.`,
		Example: "  endwise bench watchyourback --plies 5",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plies < 1 || hash < 1 || threads < 1 {
				return cli.BadInput(errors.New("--plies, --hash and --threads: want 1 or more"))
			}
			fmt.Fprintf(a.Stdout, "phase    turn  depth      score       nodes    seconds    nodes/s\n")
			var nodes uint64
			var elapsed time.Duration
			err := searchEach(cmd.Context(), hash, threads, func(p watchyourback.Position, s *live.Searcher) error {
				start := time.Now()
				r := s.Search(cmd.Context(), p, live.Limits{Depth: plies})
				d := time.Since(start)
				nodes, elapsed = nodes+r.Nodes, elapsed+d
				_, err := fmt.Fprintf(a.Stdout, "%-7s %5d %6d %10d %11d %10.3f %10.0f\n",
					p.Phase(), p.Turns(), r.Depth, r.Moves[0].Score, r.Nodes, d.Seconds(), progress.Rate(r.Nodes, d))
				return err
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.Stdout, "all %31s %11d %10.3f %10.0f\n", "", nodes, elapsed.Seconds(), progress.Rate(nodes, elapsed))
			return err
		},
	}
	c.Flags().IntVar(&plies, "plies", 6, "plies to search")
	c.Flags().IntVar(&threads, "threads", 1, cli.ThreadsUsage+"; node counts repeat only with 1")
	c.Flags().IntVar(&hash, "hash", 256, cli.HashUsage)
	return c
}

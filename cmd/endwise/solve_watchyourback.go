package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"endwise/book"
	retrograde "endwise/solver/retrograde/watchyourback"
)

func newSolveWatchYourBackCmd(a *app) *cobra.Command {
	var pieces, samples int
	c := &cobra.Command{
		Use:   "watchyourback",
		Short: "Solve the 6x6 stage of Watch Your Back! for few pieces",
		Long: `Solves the last 64 turns on the 6x6 board for all positions of at most so many
pieces, both sides together, and keeps the tables in the store. The 4x4 board
behind them takes a tenth of a second and is worked out whenever it is needed.

Interrupted, the same command goes on where it stopped.`,
		Example: "  endwise solve watchyourback\n  endwise solve watchyourback --pieces 6",
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if pieces < 4 || pieces > retrograde.MaxTablePieces {
				return badInput(fmt.Errorf("--pieces %d: want 4 to %d", pieces, retrograde.MaxTablePieces))
			}
			if samples < 0 {
				return badInput(fmt.Errorf("--samples %d: want 0 or more", samples))
			}
			dir, err := a.store()
			if err != nil {
				return err
			}
			p := &stageProgress{w: a.stderr, terminal: isTerminal(a.stderr)}
			tables, err := book.SolveWatchYourBack(cmd.Context(), dir, pieces, samples, p.step)
			p.close()
			if err != nil {
				return err
			}
			for _, t := range tables {
				h := t.Header
				how := fmt.Sprintf("%d compared with a plain search", h.Verified)
				if t.Old {
					how = "was there already"
				}
				fmt.Fprintf(a.stdout, "%s: %d positions, won %.1f%%, tied %.1f%%, lost %.1f%% with %d turns left, %.1f MB, %s, SHA-256 %s\n",
					h.Name, h.Positions, share(h.Histogram[1], h.Positions), share(h.Histogram[0], h.Positions), share(h.Histogram[-1], h.Positions),
					retrograde.Planes, float64(h.Bytes())/1e6, how, h.SHA256)
			}
			return nil
		},
	}
	c.Flags().IntVar(&pieces, "pieces", 5, "most pieces of both sides together")
	c.Flags().IntVar(&samples, "samples", 20000, "positions of each table to compare with a plain search")
	return c
}

func share(n, of uint64) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// stageProgress shows work that goes through stages of known length: a bar a
// stage on a terminal, a line now and then elsewhere.
type stageProgress struct {
	w        io.Writer
	terminal bool
	stage    string
	bar      *progressbar.ProgressBar
	first    int // what was done when the stage was first heard of
	last     time.Time
}

// step takes note that done of total parts of a stage are done.
func (p *stageProgress) step(stage string, done, total int) {
	fresh := stage != p.stage
	if fresh {
		p.close()
		p.stage, p.first = stage, done
	}
	if p.terminal {
		if p.bar == nil {
			// A bar that begins in the middle shows a wrong rate: it gets what
			// remains.
			p.bar = progressbar.NewOptions(total-p.first, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(stage),
				progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish())
		}
		p.bar.Set(done - p.first)
		return
	}
	if now := time.Now(); fresh || done == total || now.Sub(p.last) >= progressEvery {
		p.last = now
		fmt.Fprintf(p.w, "%s: %d of %d\n", stage, done, total)
	}
}

// close ends the bar of the last stage.
func (p *stageProgress) close() {
	if p.bar != nil {
		p.bar.Finish()
		p.bar = nil
	}
}

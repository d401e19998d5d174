package books

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
)

func newStatsCmd(a *cli.App) *cobra.Command {
	var (
		place  bookPlace
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "stats GAME",
		Short: "Count the positions of a book by ply and by what is proved",
		Long: `Counts the positions of the working store by ply: how many are proved, bounded
and estimated, and what the position that the book starts from is worth.`,
		Example: "  endwise book stats circuitwars\n  endwise book stats circuitwars --json",
		Args:    cli.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, b, err := place.named(a, rest[0])
			if err != nil {
				return err
			}
			s, err := b.Stats()
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(a.Stdout, s)
			}
			var w strings.Builder
			fmt.Fprintf(&w, "%s %s: %s, %s between them, %s of games,\n%v of evaluation\n",
				s.Header.Game, s.Header.Board, cli.Count(s.Nodes, "position"), cli.Count(s.Links, "move"), cli.Count(s.Visited, "position"), (time.Duration(s.Millis) * time.Millisecond).Round(time.Second))
			if s.HasRoot {
				fmt.Fprintf(&w, "first position: %s\n", s.Root.Words(proofScale(g.Game)))
			}
			if s.Conflict > 0 {
				fmt.Fprintf(&w, "%s where proofs contradict each other: see book check\n", cli.Count(s.Conflict, "position"))
			}
			w.WriteByte('\n')
			tw := tabwriter.NewWriter(&w, 0, 0, 2, ' ', tabwriter.AlignRight)
			fmt.Fprintf(tw, "ply\tpositions\tproved\tbounded\testimated\t\n")
			for _, p := range append(s.ByPly, s.Total) {
				ply := fmt.Sprint(p.Ply)
				switch {
				case p == s.Total:
					ply = "all"
				case p.Ply < 0:
					ply = "off"
				}
				fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t\n", ply, p.Nodes, p.Exact, p.Bounded, p.Estimated)
			}
			tw.Flush()
			_, err = io.WriteString(a.Stdout, w.String())
			return err
		},
	}
	place.register(c)
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	return c
}

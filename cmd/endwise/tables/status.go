package tables

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/workers"
	"endwise/solver/farm/jetstream"
)

func NewStatusCmd(a *cli.App) *cobra.Command {
	var (
		f      workers.NatsFlags
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "status",
		Short: "List the tables and books in the store, or the state of a run",
		Long: `Lists what is in the store: for each table its positions, its size on disk,
bytes a position, how the values are spread, and the digest, which is the same
on every machine that solves the same table; then the books that are being grown.

With --nats it asks the command that coordinates a run over that NATS server how
far it is: what is done and left, the rate, the time left, and its workers.`,
		Example: "  endwise status\n  endwise status --nats nats://127.0.0.1:4222",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.URL == "" {
				return printStored(a, asJSON)
			}
			server, err := f.Server()
			if err != nil {
				return err
			}
			st, err := jetstream.AskStatus(cmd.Context(), server)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(a.Stdout, st)
			}
			return printRun(a.Stdout, st, time.Now())
		},
	}
	c.Flags().StringVar(&f.URL, "nats", "", workers.NatsUsage)
	f.Login(c)
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	return c
}

// printRun writes how far a run is.
func printRun(w io.Writer, st jetstream.Status, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, on %s for %s\n", st.Title, st.Host, cli.Duration(max(now.Sub(st.Began), 0)))
	if st.Stage != "" {
		fmt.Fprintf(&b, "%s: %s", st.Stage, cli.Amount(st.Done))
		if st.Total > 0 {
			fmt.Fprintf(&b, " of %s", cli.Amount(st.Total))
		}
		fmt.Fprintf(&b, " %s", st.Unit)
		if st.Rate > 0 {
			fmt.Fprintf(&b, ", %s/s", rounded(st.Rate))
		}
		if st.LeftMS > 0 {
			fmt.Fprintf(&b, ", %s left", cli.Duration(time.Duration(st.LeftMS)*time.Millisecond))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "jobs: %d handed out, %d of them not done, %d given up\n", st.Jobs, st.JobsLeft, st.Failed)
	if len(st.Workers) == 0 {
		b.WriteString("no workers yet\n")
		_, err := io.WriteString(w, b.String())
		return err
	}
	b.WriteByte('\n')
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "worker\thost\tthreads\tbusy\tjobs\ta minute\tmean\tfailed\tlast heard\n")
	for _, m := range st.Workers {
		heard := cli.Duration(time.Duration(m.SilentMS)*time.Millisecond) + " ago"
		if m.Gone {
			heard += ", gone"
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%d\t%d\t%s\t%s\t%d\t%s\n", m.Name, m.Host, m.Threads, m.Busy, m.Jobs, rounded(m.JobsPerMinute),
			cli.Duration(time.Duration(m.MeanMS*float64(time.Millisecond))), m.Failed, heard)
	}
	tw.Flush()
	_, err := io.WriteString(w, b.String())
	return err
}

// rounded writes a rate, small ones with three digits.
func rounded(rate float64) string {
	if rate < 100 {
		return fmt.Sprintf("%.3g", rate)
	}
	return cli.Amount(uint64(rate))
}

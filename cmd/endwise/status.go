package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/workers"
	"endwise/engine"
	"endwise/solver/farm/jetstream"
)

func newStatusCmd(a *cli.App) *cobra.Command {
	var f workers.NatsFlags
	var clean, asJSON bool
	c := &cobra.Command{
		Use:   "status [TABLE…]",
		Short: "List the tables and books in the store, or the state of a run",
		Long: `Lists the contents of the store in one table: solved tables, published and growing
books, values of solve --value, and leftovers of stopped runs. With TABLE it
describes these tables: positions, size, distribution of values, and the digest,
which is the same on every machine that solves the same table.

With --nats it requests the progress of the run that uses that NATS server: jobs
done and left, the remaining time, and the workers that returned results. --json
prints the same for scripts: the list, an object per table, or the progress.`,
		Example: "  endwise status\n  endwise status --nats nats://127.0.0.1:4222",
		RunE: func(cmd *cobra.Command, names []string) error {
			switch {
			case clean && (asJSON || len(names) > 0):
				return cli.BadInput(errors.New("--clean cannot be combined with a table or --json"))
			case f.URL == "":
				return printStored(a, names, clean, asJSON)
			case clean || len(names) > 0:
				return cli.BadInput(errors.New("--nats cannot be combined with a table or --clean"))
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
			return printRun(a, st, time.Now())
		},
	}
	c.Flags().BoolVar(&clean, "clean", false, "remove what stopped runs last wrote more than a day ago; such a run then starts from the beginning")
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	c.Flags().StringVar(&f.URL, "nats", "", workers.NatsUsage)
	f.Login(c)
	return c
}

func printRun(a *cli.App, st jetstream.Status, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, on %s for %s\n", st.Title, st.Host, cli.Duration(max(now.Sub(st.Began), 0)))
	if st.Progress.Stage != "" {
		fmt.Fprintln(&b, cli.ProgressLine(st.Progress, now))
	}
	fmt.Fprintf(&b, "jobs: %d so far, %d of them not done; workers have %d, %d wait\n", st.Jobs, st.JobsLeft, st.Held, st.Waiting)
	if len(st.Workers) > 0 {
		b.WriteByte('\n')
		t := cli.NewTable("worker", "jobs", "mean", "last result")
		for _, m := range st.Workers {
			t.Row("", m.Name, engine.Digits(m.Jobs), cli.Duration(time.Duration(m.MeanMS*float64(time.Millisecond))),
				cli.Duration(time.Duration(m.SilentMS)*time.Millisecond)+" ago")
		}
		t.Write(&b, false, a.Columns())
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

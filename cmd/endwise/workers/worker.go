// Package workers distributes work over machines. It contains the flags and the coordinator
// ([Coordinate]) of commands that distribute jobs, the jobs of growing books
// ([LeafEvaluator]), and the command worker, which carries out jobs.
package workers

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/solver/farm/jetstream"
)

// NewWorkerCmd returns the command worker.
func NewWorkerCmd(a *cli.App) *cobra.Command {
	var (
		f       NatsFlags
		threads int
		memory  int
		name    string
		once    bool
	)
	c := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Work on jobs of a command that runs with --nats",
		Long: `Carries out jobs for the command that runs with the same --nats on this or another
machine: solve or book grow. A worker needs no store; it fetches its data from the
NATS server. It may be started before that command, stopped, killed and started
again at any time, and there may be any number of workers. After a run it waits for
the next one.

Stopped with Ctrl-C it returns its jobs immediately; if it is killed, they go to
others after a minute. A worker of another version ends with the reason.`,
		Example: "  endwise worker --nats nats://127.0.0.1:4222 --threads 2",
		Args:    cli.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case f.URL == "":
				return cli.BadInput(fmt.Errorf("--nats: want the URL of a NATS server, like nats://127.0.0.1:%d", jetstream.DefaultPort))
			case threads < 1:
				return cli.BadInput(fmt.Errorf("--threads %d: want 1 or more", threads))
			case memory < 0:
				return cli.BadInput(fmt.Errorf("--memory %d: want megabytes, 0 for all there is", memory))
			case memory > 0:
				if err := cli.WantHash("--memory", memory); err != nil {
					return err
				}
			}
			server, err := f.Server()
			if err != nil {
				return err
			}
			room := cli.AvailableMemory()
			if memory > 0 {
				room = uint64(memory) << 20
			}
			runtime.GOMAXPROCS(threads)
			return jetstream.Work(cmd.Context(), jetstream.WorkerOptions{
				Server: server, Name: name, Threads: threads, Memory: room, Kinds: jobKinds(a.Games), Once: once,
				Log: a.Events(false, false),
			})
		},
	}
	c.Flags().StringVar(&f.URL, "nats", "", NatsUsage)
	f.Login(c)
	c.Flags().IntVar(&threads, "threads", cli.Processors, cli.ThreadsUsage+", one per job")
	c.Flags().IntVar(&memory, "memory", 0, "megabytes that it may use (default what is free)")
	c.Flags().StringVar(&name, "name", "", "name in status and messages (default made of host and process)")
	c.Flags().BoolVar(&once, "once", false, "end with the first run instead of waiting for another")
	return c
}

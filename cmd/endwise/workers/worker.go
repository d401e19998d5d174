// Package workers distributes jobs over machines: [Coordinate] for commands that have jobs,
// [LeafEvaluator] for the jobs of growing books, and the command worker, which carries out jobs.
package workers

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/solver/farm/jetstream"
)

type workerFlags struct {
	NatsFlags
	threads int
	memory  int // megabytes, 0 for the free memory
	name    string
	once    bool
}

// NewWorkerCmd returns the command worker.
func NewWorkerCmd(a *cli.App) *cobra.Command {
	var f workerFlags
	c := &cobra.Command{
		Use:   "worker --nats URL",
		Short: "Work on jobs of a command that runs with --nats",
		Long: `Carries out jobs for the command that runs with the same --nats on this or another
machine: solve or book grow. A worker needs no store; it fetches its data from the
NATS server. It may be started before that command, stopped, killed and started
again at any time, and there may be any number of workers. After a run it waits for
the next one.

Stopped with Ctrl-C, a worker returns its jobs immediately; if it is killed, other
workers get them after a minute. A worker of another version ends with an error.`,
		Example: "  endwise worker --nats nats://127.0.0.1:4222 --threads 2",
		Args:    cli.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.work(cmd.Context(), a) },
	}
	c.Flags().StringVar(&f.URL, "nats", "", NatsUsage)
	f.Login(c)
	c.Flags().IntVar(&f.threads, "threads", cli.Processors, cli.ThreadsUsage+", one per job")
	c.Flags().IntVar(&f.memory, "memory", 0, "memory limit in megabytes (default the free memory)")
	c.Flags().StringVar(&f.name, "name", "", "name in status and messages (default host and process)")
	c.Flags().BoolVar(&f.once, "once", false, "end after the first run")
	return c
}

// work checks the flags and carries out jobs until ctx ends or, with --once, to the end of a run.
func (f *workerFlags) work(ctx context.Context, a *cli.App) error {
	if f.URL == "" {
		return cli.BadInput(fmt.Errorf("--nats: want the URL of a NATS server, like nats://127.0.0.1:%d", jetstream.DefaultPort))
	}
	err := cmp.Or(
		cli.Want(f.threads >= 1, "--threads", f.threads, "1 or more"),
		cli.Want(f.memory >= 0, "--memory", f.memory, "megabytes, 0 for all there is"),
	)
	memory := cli.AvailableMemory()
	if err == nil && f.memory > 0 {
		err, memory = cli.WantHash("--memory", f.memory), uint64(f.memory)<<20
	}
	if err != nil {
		return err
	}
	server, err := f.Server()
	if err != nil {
		return err
	}
	runtime.GOMAXPROCS(f.threads)
	return jetstream.Work(ctx, jetstream.WorkerOptions{
		Server: server, Name: f.name, Threads: f.threads, Memory: memory, Kinds: jobKinds(a.Games), Once: f.once,
		Log: a.Events(false, false),
	})
}

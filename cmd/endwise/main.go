// Command endwise solves late positions of board games exactly, keeps them,
// looks them up and plays competitions with them. A subcommand is a file or a folder
// of its name, in the folder of its game if it is of one alone. games.go is the only
// place that lists the games.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"endwise/cmd/endwise/cli"
)

func main() {
	ignoreFileSizeSignal()
	log.SetFlags(0)
	log.SetOutput(lastWords{os.Stderr})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], interruptible(ctx, os.Stdin), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// lastWords writes what a library says before it ends the process, as Badger
// does where a directory vanishes, in one line like any other error.
type lastWords struct{ w io.Writer }

func (l lastWords) Write(text []byte) (int, error) {
	_, err := fmt.Fprintf(l.w, "endwise: %s\n", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; "))
	return len(text), err
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &cli.App{Stdin: stdin, Stdout: stdout, Stderr: stderr}
	root := newRootCmd(a)
	root.SetArgs(args)
	return exitCode(ctx, root.ExecuteContext(ctx), stderr)
}

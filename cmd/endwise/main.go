// Command endwise solves late positions of three board games exactly, stores them and plays
// in competitions.
//
// Most commands are a file with their name. Folders contain analyze, books (the command book), match
// (arena and championship), workers (worker), and the commands of each game, such as its bot and solve.
// The folder solve contains what the solve commands share, cli what all commands share, web the pages,
// faults the tests that kill, flood and starve processes, and scripts the tests of the command line.
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
	log.SetOutput(errorLine{os.Stderr})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], interruptible(ctx, os.Stdin), os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errorLine writes each message that a library logs as one line, in the form of an error.
type errorLine struct{ w io.Writer }

func (l errorLine) Write(text []byte) (int, error) {
	_, err := fmt.Fprintf(l.w, "endwise: %s\n", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; "))
	return len(text), err
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &cli.App{Stdin: stdin, Stdout: stdout, Stderr: stderr, Games: games()}
	root := newRootCmd(a)
	root.SetArgs(args)
	return exitCode(ctx, root.ExecuteContext(ctx), stderr)
}

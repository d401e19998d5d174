// Command endwise solves late positions of three board games exactly, stores them and plays
// in competitions.
//
// A command is a file with its name or a folder: analyze, books (book), match (arena and
// championship), workers (worker). status also uses tables.go, and verify claims.go. The folders
// circuitwars, dotsandboxes and watchyourback contain the commands of one game, such as its bot,
// its server or referee, and solve; solve contains what their solve commands share. cli contains
// what all commands share: the description of a game, flags, errors, progress. web contains the
// pages of serve and site. faults contains the tests that kill, flood and starve real processes,
// and the page of guarantees; scripts contains the tests of the command line.
//
// games.go lists the games, main.go handles signals, and exitcodes.go maps errors to exit codes.
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

// errorLine writes each message that a library logs as one line, in the form of an error. Badger
// logs the reason before it ends the process, for instance if a directory has vanished.
type errorLine struct{ w io.Writer }

func (l errorLine) Write(text []byte) (int, error) {
	_, err := fmt.Fprintf(l.w, "endwise: %s\n", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; "))
	return len(text), err
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &cli.App{Stdin: stdin, Stdout: stdout, Stderr: stderr, Games: games()}
	root := newRootCmd(a)
	root.SetArgs(args)
	return exitCode(ctx, root.ExecuteContext(ctx), stderr)
}

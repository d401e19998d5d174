// Command endwise solves late positions of board games exactly, keeps them,
// looks them up and plays competitions with them. One file holds one
// subcommand, named after it; games.go is the only place that lists the games.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailure     = 1   // the work was understood but could not be done
	exitBadInput    = 2   // the command line, a file or a position is wrong
	exitInterrupted = 130 // Ctrl-C or SIGTERM; long work resumes with the same command
)

func main() {
	ignoreFileSizeSignal()
	log.SetFlags(0)
	log.SetOutput(lastWords{os.Stderr})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], &interruptible{ctx: ctx, r: os.Stdin}, os.Stdout, os.Stderr)
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
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := newRootCmd(a)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		text := "interrupted"
		if u := new(unfinished); errors.As(err, &u) {
			text += "; " + u.next
		}
		fmt.Fprintf(stderr, "endwise: %s\n", text)
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "endwise: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	if bad := new(badInputError); errors.As(err, &bad) {
		return exitBadInput
	}
	return exitFailure
}

// unfinished is the error of an interrupted command that says what the same
// command does next time.
type unfinished struct {
	err  error
	next string
}

func (u *unfinished) Error() string { return u.err.Error() }
func (u *unfinished) Unwrap() error { return u.err }

// keepsOn marks the interruption of work that is kept as it is done; other
// errors stay as they are.
func keepsOn(err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &unfinished{err, "what is done is kept, and the same command goes on"}
}

// badInputError marks an error that the user can mend by writing something
// else: exit code 2.
type badInputError struct{ err error }

func (e *badInputError) Error() string { return e.err.Error() }
func (e *badInputError) Unwrap() error { return e.err }

// badInput marks err as the input's fault; nil stays nil.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &badInputError{err}
}

// args wraps a cobra argument check so that a wrong count is bad input.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, a []string) error {
		if check(cmd, a) == nil {
			return nil
		}
		return badInput(fmt.Errorf("%s: want %s", commandWords(cmd), strings.TrimSuffix(cmd.UseLine(), " [flags]")))
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
)

const (
	exitOK          = 0
	exitFailure     = 1   // valid input, but the work failed
	exitBadInput    = 2   // the command line, a file or a position is wrong
	exitInterrupted = 130 // Ctrl-C or SIGTERM; long work resumes with the same command
)

// exitCode prints err, unless it is nil, and returns the exit code. ctx is the context that a signal ends.
func exitCode(ctx context.Context, err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil && cli.Interrupted(err):
		text := "interrupted"
		if u := new(cli.Unfinished); errors.As(err, &u) {
			text += "; " + u.Next
		}
		fmt.Fprintf(stderr, "endwise: %s\n", text)
		return exitInterrupted
	}
	text := strings.ReplaceAll(cli.ErrorText(err), "\n", "; ")
	if cause := context.Cause(ctx); cause != nil {
		text = strings.NewReplacer(cause.Error(), "interrupted", ctx.Err().Error(), "interrupted").Replace(text)
	}
	fmt.Fprintf(stderr, "endwise: %s\n", engine.Printable(text))
	if bad := new(cli.DrawingError); errors.As(err, &bad) {
		fmt.Fprintf(stderr, "A 2x2 board with a square of player 1, the score 1-0 and player 2 to move:\n%s", bad.Example)
	}
	if bad := new(cli.BadInputError); errors.As(err, &bad) {
		return exitBadInput
	}
	return exitFailure
}

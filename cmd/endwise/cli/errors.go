package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Unfinished is the error of an interrupted command that says what the same
// command does next time.
type Unfinished struct {
	Err  error
	Next string
}

func (u *Unfinished) Error() string { return u.Err.Error() }

func (u *Unfinished) Unwrap() error { return u.Err }

// Resumable marks the interruption of work that is kept as it is done; other
// errors stay as they are.
func Resumable(err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &Unfinished{err, "what is done is kept, and the same command goes on"}
}

// BadInputError marks an error that the user can mend by writing something
// else: exit code 2.
type BadInputError struct{ err error }

func (e *BadInputError) Error() string { return e.err.Error() }

func (e *BadInputError) Unwrap() error { return e.err }

// BadInput marks err as the input's fault; nil stays nil.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return &BadInputError{err}
}

// Ended is the error of a process of this program that has said itself why it
// could not do its work.
type Ended struct{ Code int }

func (e *Ended) Error() string { return fmt.Sprintf("ended with exit code %d", e.Code) }

// Args wraps a cobra argument check so that a wrong count is bad input.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, a []string) error {
		if check(cmd, a) == nil {
			return nil
		}
		return BadInput(fmt.Errorf("%s: want %s", CommandWords(cmd), strings.TrimSuffix(cmd.UseLine(), " [flags]")))
	}
}

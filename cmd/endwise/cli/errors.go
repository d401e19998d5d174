package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Unfinished is the error of an interrupted command that says what the same
// command does next time.
type Unfinished struct {
	Err  error
	Next string
}

func (u *Unfinished) Error() string { return u.Err.Error() }

func (u *Unfinished) Unwrap() error { return u.Err }

// Interrupted reports whether err is the end of a context and nothing else: an error
// joined with that, such as one of saving, is a failure.
func Interrupted(err error) bool {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !Interrupted(err) })
	case interface{ Unwrap() error }:
		return Interrupted(e.Unwrap())
	}
	return errors.Is(err, context.Canceled)
}

// Resumable marks the interruption of work that is kept as it is done; other
// errors stay as they are.
func Resumable(err error) error {
	if !Interrupted(err) {
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

// Args wraps a cobra argument check so that a wrong count is bad input.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, a []string) error {
		if check(cmd, a) == nil {
			return nil
		}
		return BadInput(fmt.Errorf("%s: want %s", CommandWords(cmd), strings.TrimSuffix(cmd.UseLine(), " [flags]")))
	}
}

// UnknownCommand is the error of a word that is no subcommand of cmd, with those
// that cobra suggests.
func UnknownCommand(cmd *cobra.Command, word string) error {
	path := word
	if cmd.HasParent() {
		path = CommandWords(cmd) + " " + word
	}
	cmd.SuggestionsMinimumDistance = 2
	guess := ""
	if names := cmd.SuggestionsFor(word); len(names) > 0 {
		guess = fmt.Sprintf("; did you mean %s?", strings.Join(names, " or "))
	}
	return BadInput(fmt.Errorf("unknown command %q%s", path, guess))
}

// WrongFlag is the error of a flag that is unknown or has a wrong value.
func WrongFlag(cmd *cobra.Command, err error) error {
	// The flags after an unknown subcommand are unknown as well.
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		return UnknownCommand(cmd, words[0])
	}
	if wrong := new(pflag.InvalidValueError); errors.As(err, &wrong) {
		err = wrongValue(wrong)
	}
	return BadInput(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
}

// wrongValue names the form of value that a flag takes.
func wrongValue(wrong *pflag.InvalidValueError) error {
	want := wrong.Unwrap().Error()
	switch kind := wrong.GetFlag().Value.Type(); kind {
	case "int", "int64", "uint", "uint64":
		want = "want a whole number"
		if errors.Is(wrong, strconv.ErrRange) {
			want = "the number is too large"
		} else if strings.HasPrefix(kind, "u") {
			want += " from 0"
		}
	case "float64":
		want = "want a number"
	case "bool":
		want = "want true or false"
	case "duration":
		want = "want a time like 500ms, 3s or 2m"
	}
	return fmt.Errorf("--%s %s: %s", wrong.GetFlag().Name, strconv.Quote(wrong.GetValue()), want)
}

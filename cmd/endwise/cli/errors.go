package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"endwise/engine"
)

// Unfinished is the error of an interrupted command. Next describes the effect of repeating it.
type Unfinished struct {
	Err  error
	Next string
}

func (u *Unfinished) Error() string { return u.Err.Error() }

func (u *Unfinished) Unwrap() error { return u.Err }

// Interrupted reports whether err only means that a context was cancelled. A cancellation that is
// joined with another error, such as one of saving, is a failure.
func Interrupted(err error) bool {
	switch e := err.(type) {
	case interface{ Unwrap() []error }:
		return !slices.ContainsFunc(e.Unwrap(), func(err error) bool { return !Interrupted(err) })
	case interface{ Unwrap() error }:
		return Interrupted(e.Unwrap())
	}
	return errors.Is(err, context.Canceled)
}

// Resumable converts the interruption of work whose results are saved to an [Unfinished] error. It
// returns other errors and nil unchanged.
func Resumable(err error) error {
	if !Interrupted(err) {
		return err
	}
	return &Unfinished{err, "what is done is kept, and the same command resumes"}
}

// BadInputError marks an error that the user can correct by different input: exit code 2.
type BadInputError struct{ error }

func (e *BadInputError) Unwrap() error { return e.error }

// BadInput marks err as bad input; nil remains nil.
func BadInput(err error) error {
	if err == nil {
		return nil
	}
	return &BadInputError{err}
}

// DrawingError is the error of a drawing of a position. Example is a drawing that is right.
type DrawingError struct {
	error
	Example string
}

func (e *DrawingError) Unwrap() error { return e.error }

// Args wraps a cobra argument check: a wrong number of arguments is bad input.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, a []string) error {
		if check(cmd, a) == nil {
			return nil
		}
		use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		if use == cmd.CommandPath() && len(a) > 0 {
			return BadInput(fmt.Errorf("%q: want only flags after %s", a[0], use))
		}
		return BadInput(fmt.Errorf("%s: want %s", commandWords(cmd), use))
	}
}

// UnknownCommand returns the error for a word that is not a subcommand of cmd.
func UnknownCommand(cmd *cobra.Command, word string) error {
	path := word
	if cmd.HasParent() {
		path = commandWords(cmd) + " " + word
	}
	return BadInput(fmt.Errorf("unknown command %q%s", path, cmp.Or(suggestions(cmd, word), "; see "+cmd.CommandPath()+" --help")))
}

// suggestions returns "; did you mean x or y?" for the subcommands of cmd similar to word, "" for none.
func suggestions(cmd *cobra.Command, word string) string {
	cmd.SuggestionsMinimumDistance = 2
	names := cmd.SuggestionsFor(word)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(names, " or "))
}

// didYouMean is [suggestions] for any names.
func didYouMean(word string, names []string) string {
	all := new(cobra.Command)
	for _, n := range names {
		all.AddCommand(&cobra.Command{Use: n, Run: func(*cobra.Command, []string) {}})
	}
	return suggestions(all, word)
}

// WrongFlag returns the error for an unknown flag or a wrong value; err is the error of pflag.
func WrongFlag(cmd *cobra.Command, err error) error {
	// After an unknown subcommand, cobra reports its flags as unknown.
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		return UnknownCommand(cmd, words[0])
	}
	if wrong := new(pflag.InvalidValueError); errors.As(err, &wrong) {
		err = wrongValue(wrong)
	}
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		similar := didYouMean("--"+unknown.GetSpecifiedName(), names)
		if unknown.GetSpecifiedName() == "size" && slices.Contains(names, "--board") {
			similar = "; did you mean --board?"
		}
		err = fmt.Errorf("%w%s", err, similar)
	}
	return BadInput(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
}

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
		want = "want a time like 500ms, 3s or 2m, or a number of seconds"
		if n := wrong.GetValue(); engine.IsNumber(n) {
			want = fmt.Sprintf("want a time with a unit, %sms or %ss", n, n)
		}
	}
	return fmt.Errorf("--%s %s: %s", wrong.GetFlag().Name, strconv.Quote(wrong.GetValue()), want)
}

package usage

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// farthestTypo is how many slips of the finger are taken for a typing error.
const farthestTypo = 2

// DidYouMean names the word that was probably meant, "" if none is near.
func DidYouMean(typed string, words []string) string {
	best, word := farthestTypo+1, ""
	for _, w := range words {
		if d := slips(typed, w); d < best && d < len([]rune(w)) {
			best, word = d, w
		}
	}
	if word == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", word)
}

// slips counts what turns one word into another at the least: a letter left
// out, put in, replaced, or two neighbours swapped (the distance of Damerau and
// Levenshtein, each place changed once).
func slips(from, to string) int {
	a, b := []rune(from), []rune(to)
	row := make([][]int, len(a)+1)
	for i := range row {
		row[i] = make([]int, len(b)+1)
		row[i][0] = i
	}
	for j := range b {
		row[0][j+1] = j + 1
	}
	for i := range a {
		for j := range b {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			n := min(row[i][j]+change, row[i][j+1]+1, row[i+1][j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, row[i-1][j-1]+1)
			}
			row[i+1][j+1] = n
		}
	}
	return row[len(a)][len(b)]
}

// WrongFlag is the error of a flag that is wrong, with the flag that was
// probably meant.
func WrongFlag(cmd *cobra.Command, err error) error {
	// Behind a wrong word in front of it no flag is known: the word is the error.
	if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
		if err := cmd.ValidateArgs(words); err != nil {
			return err
		}
		if cmd.HasParent() {
			return cmd.RunE(cmd, words) // which refuses any word
		}
	}
	guess := ""
	unknown := new(pflag.NotExistError)
	isUnknown := errors.As(err, &unknown)
	if isUnknown {
		for _, sub := range cmd.Commands() {
			f := sub.Flags()
			if f.Lookup(unknown.GetSpecifiedName()) != nil || len(unknown.GetSpecifiedShortnames()) > 0 && f.ShorthandLookup(unknown.GetSpecifiedShortnames()[:1]) != nil {
				return fmt.Errorf("%w; it belongs behind %s %s", err, cmd.CommandPath(), sub.Name())
			}
		}
	}
	if isUnknown && unknown.GetSpecifiedShortnames() == "" {
		if now := saidToday(cmd, "--"+unknown.GetSpecifiedName()); now != "" {
			return fmt.Errorf("%w%s", err, now)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		guess = DidYouMean("--"+unknown.GetSpecifiedName(), names)
	}
	if wrong := new(pflag.InvalidValueError); errors.As(err, &wrong) {
		err = wrongValue(wrong)
	}
	return fmt.Errorf("%w%s; see %s --help", err, guess, cmd.CommandPath())
}

// wrongValue says what a flag wants instead of its value.
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
	case "share":
		want = "want a share like 1% or 0.01"
	case "duration":
		want = "want a time like 500ms, 3s or 2m"
	}
	return fmt.Errorf("--%s %s: %s", wrong.GetFlag().Name, strconv.Quote(wrong.GetValue()), want)
}

// Suggestion names the subcommand that was probably meant.
func Suggestion(cmd *cobra.Command, typed string) string {
	if now := saidToday(cmd, typed); now != "" {
		return now
	}
	if s := cmd.SuggestionsFor(typed); len(s) > 0 {
		return fmt.Sprintf("; did you mean %q?", s[0])
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return DidYouMean(typed, names)
}

package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Help texts of flags that several commands have.
const (
	AddrUsage      = "address to listen on, HOST:PORT; port 0 takes any that is free"
	BoardUsage     = "size of the board"
	BookUsage      = "directory of a book"
	ExercisesUsage = "file of exercises: positions with one best move"
	ForceUsage     = "do what is refused without it"
	GameTimeUsage  = "processor time for the whole game"
	OverheadUsage  = "time kept back from every limit for the network"
	NotationUsage  = "write the game, or the position, in this notation"
	StartUsage     = "named start, in a game that has them: american, icelandic or swedish"
	PonderUsage    = "think in the opponent's time; turn off if bots share a processor"
	SeedUsage      = "seed of random numbers"
	VerboseUsage   = "log more"
	JsonUsage      = "print JSON instead of text"
	TimeUsage      = "time limit per move or position"
	ThreadsUsage   = "number of threads"
	JobsUsage      = "number of parallel jobs"
	HashUsage      = "size of the transposition table in megabytes"
	StoreUsage     = "directory of tables and books (default $ENDWISE_STORE or in the user's cache directory)"
)

// dated matches a title that contains a date or a year.
var dated = regexp.MustCompile(`\b(?:19|20)\d\d\b|\b\d{1,2}[./]\d{1,2}\b`)

// WithDate returns a title followed by today's date, unless the title contains a date.
func WithDate(title string) string {
	if dated.MatchString(title) {
		return title
	}
	return title + time.Now().Format(", 2 January 2006")
}

// maxBareSeconds is the largest number that [AcceptSeconds] accepts; larger ones may be milliseconds.
const maxBareSeconds = 60

// seconds is the value of a duration flag after [AcceptSeconds].
type seconds struct{ pflag.Value }

func (s seconds) Set(text string) error {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n <= maxBareSeconds {
		text += "s"
	}
	return s.Value.Set(text)
}

// AcceptSeconds lets the duration flags of c and its subcommands accept numbers up to 60 as seconds.
func AcceptSeconds(c *cobra.Command) {
	for _, sub := range c.Commands() {
		AcceptSeconds(sub)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() != "duration" {
			return
		}
		f.Value = seconds{f.Value}
		if f.DefValue == "0s" {
			f.DefValue = "0" // the help shows a default of 0s unless pflag knows the type
		}
	})
}

// Want returns nil if ok, otherwise a bad-input error that names the flag's value and what is wanted.
func Want(ok bool, flag string, value any, want string) error {
	if ok {
		return nil
	}
	return BadInput(fmt.Errorf("%s %v: want %s", flag, value, want))
}

// WantSizes checks the values of --threads and --hash.
func WantSizes(threads, hash int) error {
	return cmp.Or(Want(threads >= 1, "--threads", threads, "1 or more"), WantHash("--hash", hash))
}

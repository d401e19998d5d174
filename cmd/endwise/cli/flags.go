package cli

import (
	"cmp"
	"fmt"
)

// What the flags mean that many commands have. A command may add to the
// sentence what is special about it; it never means something else by the
// name. flags_test.go walks all commands and checks it.
const (
	AddrUsage      = "address to listen on, HOST:PORT; port 0 takes any that is free"
	BoardUsage     = "size of the board"
	BookUsage      = "directory of a book"
	ExercisesUsage = "file of exercises: positions with one best move"
	ForceUsage     = "replace what is there"
	GameTimeUsage  = "processor time for the whole game"
	NoSolveUsage   = "play without missing 6x6 tables"
	OverheadUsage  = "time kept back from every limit for the network"
	NotationUsage  = "write the game, or the position, in this notation"
	StartUsage     = "named start of Dots and Boxes: american, icelandic or swedish"
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

// Want is the error of a flag with a value that makes no sense, nil where ok.
func Want(ok bool, flag string, value any, want string) error {
	if ok {
		return nil
	}
	return BadInput(fmt.Errorf("%s %v: want %s", flag, value, want))
}

// WantSizes checks the two flags that size a solver.
func WantSizes(threads, hash int) error {
	return cmp.Or(Want(threads >= 1, "--threads", threads, "1 or more"), WantHash("--hash", hash))
}

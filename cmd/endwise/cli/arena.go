package cli

import (
	"context"

	"endwise/engine"
	"endwise/engine/arena"
)

// ArenaGame describes a game for matches.
type ArenaGame struct {
	// Rules contains the game, its log format and the score of forfeits.
	Rules arena.Rules
	// Programs maps the prefix of a player's spec to the opener of external programs. The
	// opener is called with the spec without the prefix.
	Programs map[string]ProgramOpener
	// Help explains programs and levels in the help of commands with players.
	Help string
	// End, if not nil, releases resources after the last game with programs.
	End func()
}

// ProgramOpener checks the spec of a program and returns a function that starts it for one
// game.
type ProgramOpener func(env ProgramEnv, spec string) (func(context.Context, arena.Setup) (engine.Player, error), error)

// ProgramEnv is the environment of an external program in a run of games.
type ProgramEnv struct {
	Name string // the player's
	// Output is the directory for the output of the program; "" for none.
	Output string
	// Openings is the number of random moves before each game.
	Openings int
	// IsProgram reports whether another player of the run is an external program.
	IsProgram func(name string) bool
	// Before registers a check that runs before the first game. If it fails, no game is
	// played.
	Before func(func(context.Context) error)
}

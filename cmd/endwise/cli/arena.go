package cli

import (
	"context"

	"endwise/engine"
	"endwise/engine/arena"
)

// ArenaGame is what matches need of a game beyond what cli.Game says.
type ArenaGame struct {
	// Rules has the game, its log format and the score of games lost by rule.
	Rules arena.Rules
	// Programs opens players that are programs of their own, by the prefix of
	// their spec. The opener gets the spec without the prefix.
	Programs map[string]ProgramOpener
	// Levels are built-in opponents of the game's own beside the general
	// ones; NewLevel makes one.
	Levels   []string
	NewLevel func(name string, seed uint64) (engine.Player, error)
	// Help explains programs and levels in the help of commands that take
	// players.
	Help string
	// End cleans up after the last game with programs; nil for nothing.
	End func()
}

// ProgramOpener checks the spec of a program and returns a function that opens a player for one game.
type ProgramOpener func(env ProgramEnv, spec string) (func(context.Context, arena.Setup) (engine.Player, error), error)

// ProgramEnv is what a program is started with, besides its Setup.
type ProgramEnv struct {
	Name string // the player's
	// Output is the directory for what the program prints; "" for none.
	Output string
	// Openings is the length of random openings, 0 for none.
	Openings int
	// IsProgram says whether another player of the run is a program, too.
	IsProgram func(name string) bool
	// Before has something looked at before the first game, which is not
	// played if that fails.
	Before func(func(context.Context) error)
}

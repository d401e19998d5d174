package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/disk"
)

// arenaGame is what matches need of a game beyond its gameEntry.
type arenaGame struct {
	// rules has the log format and the score of games lost by rule; its Game
	// is filled in.
	rules arena.Rules
	// programs opens players that are programs of their own, by the prefix of
	// their spec. The opener gets the spec without the prefix.
	programs map[string]programOpener
	// levels are built-in opponents of the game's own beside the general
	// ones; newLevel makes one.
	levels   []string
	newLevel func(name string, seed uint64) (engine.Player, error)
	// help explains programs and levels in the help of commands that take
	// players.
	help string
	// end cleans up after the last game with programs; nil for nothing.
	end func()
}

// programOpener checks the spec of a program and returns what seats it.
type programOpener func(env programEnv, spec string) (func(context.Context, arena.Seat) (engine.Player, error), error)

// programEnv is what a program is started with besides its seat.
type programEnv struct {
	name string // the player's
	// output is the directory for what the program prints; "" for none.
	output string
	// openings is the length of random openings, 0 for none.
	openings int
}

// arenaRules are the rules of a game for the arena.
func arenaRules(g gameEntry) arena.Rules {
	r := g.arena.rules
	r.Game = g.Game
	return r
}

// gameLogs writes every game into a directory, one file a game.
type gameLogs struct {
	dir   string // "" writes nothing
	rules arena.Rules
	start engine.Position
}

// create makes the directory.
func (l gameLogs) create() error {
	if l.dir == "" {
		return nil
	}
	return os.MkdirAll(l.dir, 0o755)
}

// write writes the log of a game; it appears whole or not at all.
func (l gameLogs) write(r arena.Result) error {
	if l.dir == "" {
		return nil
	}
	write := l.rules.WriteLog
	if write == nil {
		write = arena.WriteLog
	}
	return disk.WriteFile(filepath.Join(l.dir, r.ID+".log"), 0o644, func(w io.Writer) error { return write(w, l.start, r) })
}

// writeMissing writes the logs of games from an earlier run that are not
// there.
func (l gameLogs) writeMissing(results []arena.Result) error {
	for _, r := range results {
		if l.dir == "" {
			break
		}
		if _, err := os.Stat(filepath.Join(l.dir, r.ID+".log")); err == nil {
			continue
		}
		if err := l.write(r); err != nil {
			return err
		}
	}
	return nil
}

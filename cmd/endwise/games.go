package main

import (
	"fmt"
	"log/slog"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/watchyourback"
)

// gameEntry is everything the commands know about one game. A new game is a
// line in games.
type gameEntry struct {
	engine.Game
	// lookup opens the game's sources: book, tables, solver, live search.
	lookup func(o book.Options) (*book.Lookup, error)
	// starters are the flags of the solve commands that build runs.
	starters [][]string
	// example is a position that the starter tables answer.
	example string
}

var games = []gameEntry{
	{
		circuitwars.Game, book.CircuitWars,
		[][]string{{"--board", "3x3"}, {"--segments", "12"}},
		"7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112....",
	},
	{
		watchyourback.Game{}, book.WatchYourBack,
		[][]string{{"--pieces", "4"}},
		"......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192",
	},
	{
		dotsandboxes.Game{}, book.DotsAndBoxes,
		[][]string{{"--board", "3x3"}, {"--board", "2x5"}},
		"3x3 h0,1 v1,2 h3,1 v0,0",
	},
}

// gameNamed finds a game by its word on the command line.
func gameNamed(name string) (gameEntry, error) {
	words := ""
	for i, g := range games {
		if g.Name() == name {
			return g, nil
		}
		if i > 0 {
			words += ", "
		}
		words += g.Name()
	}
	return gameEntry{}, badInput(fmt.Errorf("unknown game %q; known are %s", name, words))
}

// lookupFlags are the flags of every command that asks for moves.
type lookupFlags struct {
	time    time.Duration
	threads int
	hashMB  int
}

func (f *lookupFlags) options(a *app) (book.Options, error) {
	dir, err := a.store()
	if err != nil {
		return book.Options{}, err
	}
	if f.threads < 1 {
		return book.Options{}, badInput(fmt.Errorf("--threads %d: want 1 or more", f.threads))
	}
	if f.hashMB < 1 {
		return book.Options{}, badInput(fmt.Errorf("--hash %d: want 1 or more megabytes", f.hashMB))
	}
	return book.Options{
		Store:     dir,
		Threads:   f.threads,
		HashBytes: int64(f.hashMB) << 20,
		Log:       slog.New(slog.NewTextHandler(a.stderr, nil)),
	}, nil
}

package main

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/remote"
	"endwise/data"
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
	// unit is what a value counts, "" where it is a win, a tie or a loss.
	// estimateScale is the number of points of an estimate that are drawn as
	// one of it: squares as squares, eight pieces as a win.
	unit          string
	estimateScale int
	// boards are the sizes that pages and play offer, the usual one first.
	boards []string
	// readers read the game's records; the board is that of logs which don't
	// tell theirs.
	readers func(rows, cols int) []analysis.Reader
	// nearEnd gives positions for exercises where games are too long to be
	// played to their end for one; nil elsewhere.
	nearEnd func(*rand.Rand) engine.Position
}

var games = []gameEntry{
	{
		Game: circuitwars.Game, lookup: book.CircuitWars,
		starters: [][]string{{"--board", "3x3"}, {"--segments", "12"}},
		example:  "7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112....",
		unit:     "square", estimateScale: 1, boards: []string{"7x7", "5x5", "3x5", "4x4", "3x3"},
		readers: func(rows, cols int) []analysis.Reader {
			return []analysis.Reader{analysis.CircuitWars(rows, cols), analysis.Plain(circuitwars.Game)}
		},
	},
	{
		Game: watchyourback.Game{}, lookup: book.WatchYourBack,
		starters:      [][]string{{"--pieces", "5"}},
		example:       "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192",
		estimateScale: 800, boards: []string{"8x8"}, nearEnd: analysis.SmallWatchYourBack,
		readers: func(int, int) []analysis.Reader {
			return []analysis.Reader{analysis.WatchYourBack, analysis.Plain(watchyourback.Game{})}
		},
	},
	{
		Game: dotsandboxes.Game{}, lookup: book.DotsAndBoxes,
		starters: [][]string{{"--board", "3x3"}, {"--board", "2x5"}},
		example:  "3x3 h0,1 v1,2 h3,1 v0,0",
		unit:     "box", estimateScale: 1, boards: []string{"5x5", "3x3", "4x4", "6x6", "7x7", "2x5"},
		readers: func(int, int) []analysis.Reader {
			return []analysis.Reader{analysis.DotsAndBoxes, analysis.Plain(dotsandboxes.Game{})}
		},
	},
}

// rules says how the game's values are read.
func (g gameEntry) rules() analysis.Rules {
	return analysis.Rules{Game: g.Game, Scored: g.unit != "", Unit: g.unit, EstimateScale: g.estimateScale}
}

// rulesByName are the rules of all games.
func rulesByName() map[string]analysis.Rules {
	out := map[string]analysis.Rules{}
	for _, g := range games {
		out[g.Name()] = g.rules()
	}
	return out
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
	server  string // --lookup
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
		Starter:   data.Books(),
		Threads:   f.threads,
		HashBytes: int64(f.hashMB) << 20,
		Log:       slog.New(slog.NewTextHandler(a.stderr, nil)),
	}, nil
}

// open opens the sources of a game; with --lookup the server is asked before
// everything else.
func (f *lookupFlags) open(g gameEntry, o book.Options) (*book.Lookup, error) {
	l, err := g.lookup(o)
	if err != nil {
		return nil, err
	}
	if f.server != "" {
		c, err := remote.New(f.server, g.Game)
		if err != nil {
			l.Close()
			return nil, badInput(fmt.Errorf("--lookup: %w", err))
		}
		l.Sources = append([]book.Source{c}, l.Sources...)
	}
	return l, nil
}

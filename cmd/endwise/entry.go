package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/cmd/endwise/web"
	"endwise/engine"
	"endwise/engine/arena"
)

// gameEntry is everything the commands know about one game. newGame fills in
// what follows from the rules; all else may stay as it is.
type gameEntry struct {
	engine.Game
	// sources open the game's book, tables, solver and live search.
	sources book.Game
	// unit and units are what a value counts, one and several; "" where it is a
	// win, a tie or a loss. estimateScale is the number of points of an
	// estimate that are drawn as one of it: squares as squares, eight pieces as
	// a win. points is what estimates count in hundredths where values count
	// nothing.
	unit, units   string
	estimateScale int
	points        string
	// boards are the sizes that pages offer, the usual one first; "" stands for
	// it in a game that does not tell.
	boards []string

	// solve makes the command that writes the game's tables; bot, serve, shim
	// and bench one of those groups; others stand by themselves. nil for none.
	solve, bot, serve, shim, bench func(*app) *cobra.Command
	commands                       []func(*app) *cobra.Command
	// starters are the tables that build solves.
	starters []starter
	// example is a position that the starter tables answer, "" for none.
	example string
	// fingerprints are the game's searches.
	fingerprints []fingerprint
	// values are those of empty boards that results are written of.
	values []boardValue
	// ports are those that the game's programs listen on if not told otherwise.
	ports []portUse

	// positions says in a few words what the game's positions are read from.
	positions string
	// readers read the game's records, before the plain format. board is that
	// of records which don't tell theirs; logBoard is the usual one, "" where
	// all tell.
	readers  func(board string) ([]analysis.Reader, error)
	logBoard string
	// records says in a few words what the readers read.
	records string
	// readPositions reads the positions of a game from a file that begins with
	// logHead, for growing books; nil where there is no such file.
	readPositions func(r io.Reader, board string) ([]engine.Position, error)
	logHead       string
	// readResults reads and judges the logs of a championship; nil where that
	// can't be done.
	readResults func(dir string, first engine.Position) ([]arena.Result, error)

	// nearEnd gives positions for exercises where games are too long to be
	// played to their end for one; nil elsewhere.
	nearEnd func(*rand.Rand) engine.Position
	// draw draws positions for the pages; nil for the game's picture or text.
	draw web.Drawer

	// arena is what matches need of the game.
	arena arenaGame
	// prepare does before the first game what would cost a player time in it;
	// nil for nothing.
	prepare func(context.Context, *app, book.Options)
}

// newGame is an entry with what follows from the rules.
func newGame(b book.Game) gameEntry {
	g := gameEntry{Game: b.Game, sources: b, estimateScale: 1, boards: []string{""}, positions: "a position string"}
	if c, ok := g.Game.(engine.CanonicalGame); ok {
		g.solve = newSolveAnyCmd(c)
	}
	if c, ok := g.Game.(engine.Counted); ok {
		g.unit, g.units = c.Unit()
	}
	if b, ok := g.Game.(engine.Boarded); ok {
		g.boards = b.Boards()
	} else if p, err := g.Start(""); err == nil {
		if c, ok := p.(engine.Canonical); ok {
			g.boards = []string{c.BoardName()}
		}
	}
	return g
}

// portUse is a port and the command that listens on it.
type portUse struct{ port, what string }

// rules says how the game's values are read.
func (g gameEntry) rules() analysis.Rules {
	return analysis.Rules{Game: g.Game, Scored: g.unit != "", Unit: g.unit, Units: g.units, EstimateScale: g.estimateScale}
}

// recordReaders are the readers of the game's records, the plain format last.
func (g gameEntry) recordReaders(board string) ([]analysis.Reader, error) {
	var out []analysis.Reader
	if g.readers != nil {
		var err error
		if out, err = g.readers(board); err != nil {
			return nil, err
		}
	}
	return append(out, analysis.Plain(g.Game)), nil
}

// sides are what the players are called.
func (g gameEntry) sides() [2]string {
	if s, ok := g.Game.(engine.Sided); ok {
		return s.SideNames()
	}
	return [2]string{"Player 1", "Player 2"}
}

// words is the game as far as the pages need it to say what values mean.
func (g gameEntry) words() web.Game { return web.Game{Rules: g.rules(), Points: g.points} }

// page is the game as the pages know it, but for its sources.
func (g gameEntry) page() (web.Game, error) {
	p := g.words()
	p.Boards, p.Sides, p.Positions, p.Records = g.boards, g.sides(), g.positions, g.records
	p.NearEnd, p.Draw = g.nearEnd, g.draw
	var err error
	p.Readers, err = g.recordReaders(g.logBoard)
	return p, err
}

// pageGames are all games as the pages know them, but for their sources.
func pageGames() (web.Games, error) {
	var out web.Games
	for _, g := range games {
		p, err := g.page()
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// bookGames are all games as package book knows them.
func bookGames() book.Games {
	var out book.Games
	for _, g := range games {
		out = append(out, g.sources)
	}
	return out
}

// gameCommands makes the commands of one group, one a game that has it.
func gameCommands(a *app, of func(gameEntry) func(*app) *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, g := range games {
		if make := of(g); make != nil {
			out = append(out, make(a))
		}
	}
	return out
}

// logBoard is the board of records that don't tell theirs, and the title of
// the game whose records those are.
func logBoard() (board, title string) {
	for _, g := range games {
		if g.logBoard != "" {
			return g.logBoard, g.Title()
		}
	}
	return "", "some"
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
	return gameEntry{}, badInput(fmt.Errorf("unknown game %q; known are %s%s", name, words, didYouMean(name, strings.Split(words, ", "))))
}

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/cmd/endwise/web"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/solver/certificate"
)

// Game describes one game for the commands.
type Game struct {
	engine.Game
	// Alias is a shorter name on the command line.
	Alias string
	// Sources opens the game's books, tables and searches.
	Sources book.Game
	// Web describes the game for the pages, with the words for its values.
	Web web.Game

	// Solve, Bot, … construct the game's subcommand of solve, bot, …; nil for none.
	Solve, Bot, Serve, Shim, Replay, Referee func(*App) *cobra.Command
	// Starters are the tables that the command build solves.
	Starters []Starter
	// Example is a position whose value is in the starter tables, "" for none.
	Example string
	// Drawing is an example for errors of drawings: a square of player 1, the score 1-0 and player 2 to
	// move. "" for none.
	Drawing string
	// Prove returns the certificate of a board's value. board may be "" if only one board has a
	// certificate. The error wraps [certificate.ErrNone] if the board has none.
	Prove func(ctx context.Context, board string, o certificate.Options) (*certificate.Certificate, error)
	// SolveCommand returns the command that solves a table with p, "" if there is none; nil for none.
	SolveCommand func(p engine.Position) string
	// NamedStarts reports whether Start reads the name of a start after the size.
	NamedStarts bool
	// Searches are the searches that the command bench counts.
	Searches []Search
	// Ports are the default ports of the game's commands.
	Ports []PortUse

	// AssumedSize returns the size of the board that ReadGame assumes for a text, "" for none; nil if
	// every text gives the size.
	AssumedSize func(text string) string
	// SizeNote is a sentence on the assumed size, set by [Game.ForInput]; "" for none.
	SizeNote string
	// Notation explains the notation of moves; "" if a drawn board shows it.
	Notation string
	// MoveNotations are the notations of Write that consist of moves.
	MoveNotations []string
	otherName     func(move string) string // see [Game.WithOtherName]; nil for no other names
	turns         []int                    // see [Game.Turn]
	// LogReader, for a game whose logs do not name their board, returns the reader of logs of
	// games on the given board. It replaces the first of Web.Readers.
	LogReader func(board string) (analysis.Reader, error)
	// LogHeads are the possible beginnings of a log, of at most logHeadBytes.
	LogHeads []string
	// ReadResult reads the result of a game, without its ID, and its board from a log of a
	// championship. board is "" if it is unknown. The result is that of the moves; note says how the result
	// in the log contradicts it, "" for no contradiction. nil if Readers read all logs.
	ReadResult func(file, board string) (r arena.Result, logBoard, note string, err error)

	// Arena describes the game for matches.
	Arena ArenaGame
	// Prepare does work before the first game that would count as a player's time; nil for none.
	Prepare func(context.Context, *App, book.Options)
}

// NewGame returns a Game with the fields that follow from the rules.
func NewGame(b book.Game) Game {
	g := Game{Game: b.Game, Sources: b}
	g.Arena.Rules.Game = b.Game
	g.Web = web.Game{
		Game:   answer.NewGame(b.Game),
		Boards: b.Boards(), Sides: [2]string{"Player 1", "Player 2"}, Positions: "a position string",
	}
	if s, ok := g.Game.(engine.Sided); ok {
		g.Web.Sides = s.SideNames()
	}
	return g
}

// BoardAndStart is the function [BoardAndStart] for games that may have no named starts.
func (g Game) BoardAndStart(board, start string) (string, error) {
	if start != "" && !g.NamedStarts {
		return "", BadInput(fmt.Errorf("--start %s: %s has no named starts", start, g.Title()))
	}
	return BoardAndStart(board, start), nil
}

// Readers returns the readers of the game's records. board is the board of logs that do not name
// theirs; with "" the readers determine it.
func (g Game) Readers(board string) ([]analysis.Reader, error) {
	out := slices.Clone(g.Web.Readers) // the first reads the game's logs, if there is a LogReader
	if g.LogReader != nil && board != "" {
		var err error
		if out[0], err = g.LogReader(board); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// NameGame returns err, or an error that names the game of a file if the file is a record of another game
// than the one with the given name.
func (all Games) NameGame(name, file string, err error) error {
	data, readErr := ReadLimited(file, analysis.MaxRecordBytes)
	for _, other := range all {
		if readErr != nil || other.Name() == name {
			continue
		}
		if _, otherErr := analysis.ReadRecord(file, data, other.Web.Readers...); otherErr == nil {
			return fmt.Errorf("a game of %s, not of %s", other.Name(), name)
		}
	}
	return err
}

// PortUse is a port and the command that listens on it.
type PortUse struct{ Port, What string }

// logHeadBytes is the number of bytes that identify a game's log.
const logHeadBytes = 16

// Games is a list of games.
type Games []Game

// Web returns the games as the pages use them.
func (all Games) Web() web.Games {
	var out web.Games
	for _, g := range all {
		out = append(out, g.Web)
	}
	return out
}

// Book returns the games as package book uses them.
func (all Games) Book() book.Games {
	var out book.Games
	for _, g := range all {
		out = append(out, g.Sources)
	}
	return out
}

// Commands returns the games' subcommands of one command. constructor returns the function that
// constructs a game's subcommand, nil if the game has none.
func (a *App) Commands(constructor func(Game) func(*App) *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, g := range a.Games {
		if newCmd := constructor(g); newCmd != nil {
			c := newCmd(a)
			c.Aliases = []string{g.Alias}
			out = append(out, c)
		}
	}
	return out
}

// Named returns the game with a name, alias or title. Case and blanks are ignored. Another name is bad input.
func (all Games) Named(name string) (Game, error) {
	folded := func(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), "")) }
	word := folded(name)
	var known, names []string
	for _, g := range all {
		if g.Name() == word || g.Alias == word || folded(g.Title()) == word {
			return g, nil
		}
		known, names = append(known, g.Name()+" ("+g.Alias+")"), append(names, g.Name())
	}
	return Game{}, BadInput(fmt.Errorf("unknown game %q; known are %s%s", name, strings.Join(known, ", "), didYouMean(word, names)))
}

// Search counts the nodes of a search on a fixed set of positions with one thread.
type Search struct {
	Name  string
	Count func(context.Context) (uint64, error)
}

// Starter is a table that every installation should have.
type Starter struct {
	Game    Game
	Flags   []string // for the game's solve command
	Seconds int      // approximate time to solve it, on two cores
	Answers bool     // the tables up to this one contain the value of the game's Example
}

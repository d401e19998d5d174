package cli

import (
	"context"
	"fmt"
	"io"
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

// Game is everything the commands know about one game. NewGame fills in
// what follows from the rules; all else may stay as it is.
type Game struct {
	engine.Game
	// Alias is a shorter name on the command line.
	Alias string
	// Sources open the game's book, tables, solver and live search.
	Sources book.Game
	// Web is the game as the pages know it, but for its sources; it has the words for
	// values.
	Web web.Game

	// Solve makes the game's command of the group of that name, as the others do;
	// nil for none.
	Solve, Bot, Serve, Shim, Replay, Referee func(*App) *cobra.Command
	// Starters are the tables that build solves.
	Starters []Starter
	// Example is a position that the starter tables answer, "" for none.
	Example string
	// Prove makes the certificate of a board's value, for prove. It wraps certificate.ErrNone
	// if the board has none.
	Prove func(ctx context.Context, board string, o certificate.Options) (*certificate.Certificate, error)
	// Searches are the game's searches, as bench counts them.
	Searches []Search
	// Ports are those that the game's programs listen on if not told otherwise.
	Ports []PortUse

	// Notation says what a move is, where it is shown with a drawn board; "" where that
	// needs no word.
	Notation string
	// LogReader reads records which don't tell their board, nil where all tell;
	// LogBoard is the usual one.
	LogReader func(board string) (analysis.Reader, error)
	LogBoard  string
	// LogHeads are what a file of the game's own log format begins with, at most
	// LogHeadBytes long.
	LogHeads []string
	// ReadPositions reads the positions of a game from such a file, for growing
	// books; nil where there is none.
	ReadPositions func(r io.Reader, board string) ([]engine.Position, error)
	// ReadResult reads and judges a log of a championship; its ID is left to the
	// caller. nil where that can't be done.
	ReadResult func(file string, first engine.Position) (arena.Result, error)

	// Arena is what matches need of the game.
	Arena ArenaGame
	// Prepare does before the first game what would cost a player time in it;
	// nil for nothing.
	Prepare func(context.Context, *App, book.Options)
}

// NewGame is an entry with what follows from the rules.
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

// PortUse is a port and the command that listens on it.
type PortUse struct{ Port, What string }

// LogHeadBytes is how much of a file says whether it is a game's log.
const LogHeadBytes = 16

// BeginsLog says whether a file that begins with head is a log of the game.
func (g Game) BeginsLog(head []byte) bool {
	return slices.ContainsFunc(g.LogHeads, func(h string) bool { return strings.HasPrefix(string(head), h) })
}

// Games lists games in the order in which commands and pages show them.
type Games []Game

// Web returns the games as the pages use them, without their sources.
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

// Commands returns the commands of one group, one per game that has it.
func (a *App) Commands(of func(Game) func(*App) *cobra.Command) []*cobra.Command {
	var out []*cobra.Command
	for _, g := range a.Games {
		if make := of(g); make != nil {
			c := make(a)
			c.Aliases = []string{g.Alias}
			out = append(out, c)
		}
	}
	return out
}

// LogBoard is the board of records that don't tell theirs, and the title of
// the game whose records those are.
func (all Games) LogBoard() (board, title string) {
	for _, g := range all {
		if g.LogBoard != "" {
			return g.LogBoard, g.Title()
		}
	}
	return "", "some"
}

// Named returns the game with a name or alias.
func (all Games) Named(name string) (Game, error) {
	var words []string
	for _, g := range all {
		if g.Name() == name || g.Alias == name {
			return g, nil
		}
		words = append(words, g.Name())
	}
	return Game{}, BadInput(fmt.Errorf("unknown game %q; known are %s", name, strings.Join(words, ", ")))
}

// Search is a search and its node count on a fixed set of positions: with one
// thread, an empty table and a limit of depth or nodes, so that
// the count is the same in every run and changes when the search does.
type Search struct {
	Name  string
	Count func(context.Context) (uint64, error)
}

// Starter is a table that every installation should have.
type Starter struct {
	Game    Game
	Flags   []string // of the game's solve command
	Seconds int      // that solving takes on two cores, about
	Answers bool     // from this table on the game's tables answer its example
}

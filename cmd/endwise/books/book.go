// Package books implements the command book, with one file per subcommand.
package books

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
)

// NewCmd returns the command book and its subcommands.
func NewCmd(a *cli.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "book",
		Short: "Grow, check and publish opening books",
		Long: `An opening book is grown offline, position by position, along the lines that lose
least. book grow writes the working book. It can be shown, checked, exported,
published and merged into another book while it grows; to repair it or to merge
others into it, stop growing first. book publish writes the published book, the
compact, immutable form that players open. Both are in the store (--store): the
working book as books/GAME-BOARD, the published book as opening-GAME-BOARD.`,
		Example: "  endwise book grow circuitwars --positions 1000\n  endwise book show circuitwars\n  endwise book publish circuitwars",
		RunE: func(cmd *cobra.Command, rest []string) error {
			if len(rest) == 0 {
				return cmd.Help()
			}
			return cli.UnknownCommand(cmd, rest[0])
		},
	}
	c.AddCommand(
		newGrowCmd(a),
		newShowCmd(a),
		newCheckCmd(a),
		newMergeCmd(a),
		newPublishCmd(a),
		newExportCmd(a),
	)
	return c
}

const bookDefault = "; the working book (default books/GAME-BOARD in the store)"

// bookPlace contains the flags that name a book.
type bookPlace struct {
	board string // --board; "" for the game's usual one
	dir   string // --book; "" for the working book of the board
}

// flags returns the flags in f and --store, if set, as words of a command line.
func (f *bookPlace) flags(a *cli.App) string {
	var out []string
	if f.board != "" {
		out = append(out, "--board "+f.board)
	}
	if f.dir != "" {
		out = append(out, "--book "+f.dir)
	}
	if a.StoreDir != "" {
		out = append(out, "--store "+a.StoreDir)
	}
	return strings.Join(out, " ")
}

const boardUsage = cli.BoardUsage + " (default the game's usual one)"

func (f *bookPlace) register(c *cobra.Command) {
	c.Flags().StringVar(&f.board, "board", "", boardUsage)
	c.Flags().StringVar(&f.dir, "book", "", cli.BookUsage+bookDefault)
}

// afterGame reads args, the arguments after a game. Without --board, a size in front becomes f.board.
// afterGame returns the rest, or an error if the rest has more than limit arguments.
func (f *bookPlace) afterGame(args []string, limit int) (rest []string, err error) {
	if len(args) > 0 && f.board == "" && cli.IsSize(args[0]) {
		f.board, args = args[0], args[1:]
	}
	if len(args) > limit {
		return nil, cli.BadInput(fmt.Errorf("%q: want a board such as 5x5, or nothing", args[limit]))
	}
	return args, nil
}

// BoardName returns the canonical name of a board; "" is the game's usual one.
func BoardName(g cli.Game, board string) (string, error) {
	start, err := g.Start(board)
	if err != nil {
		return "", cli.BadInput(err)
	}
	return start.BoardName(), nil
}

// storeAndBoard returns the directory of the store and the canonical name of the board.
func (f *bookPlace) storeAndBoard(a *cli.App, g cli.Game) (dir, board string, err error) {
	if board, err = BoardName(g, f.board); err != nil {
		return "", "", err
	}
	dir, err = a.Store()
	return dir, board, err
}

// working returns the directory of the working book. It need not exist.
func (f *bookPlace) working(a *cli.App, g cli.Game) (string, error) {
	if f.dir != "" {
		return f.dir, nil
	}
	dir, board, err := f.storeAndBoard(a, g)
	return filepath.Join(dir, "books", g.Name()+"-"+board), err
}

// published returns the directory of the published book. It need not exist.
func (f *bookPlace) published(a *cli.App, g cli.Game) (string, error) {
	dir, board, err := f.storeAndBoard(a, g)
	return store.Dir(dir, opening.TableName(g.Name(), board)), err
}

// read reads the working book of the named game.
func (f *bookPlace) read(a *cli.App, name string) (*opening.Book, error) {
	g, err := a.Games.Named(name)
	if err != nil {
		return nil, err
	}
	dir, err := f.working(a, g)
	if err != nil {
		return nil, err
	}
	b, err := opening.Read(dir, g.Game, f.board)
	if errors.Is(err, opening.ErrMissing) {
		err = fmt.Errorf("%w; endwise book grow %s begins one", err, g.Name())
	}
	return b, bookError(err)
}

// position returns the game args[0] and the position in the other arguments, or the start of f.board. It
// sets f.board to the board of the position.
func (f *bookPlace) position(a *cli.App, args []string) (cli.Game, engine.Position, error) {
	g, err := a.Games.Named(args[0])
	if err != nil {
		return g, nil, err
	}
	in, err := a.Game(g, f.board, args[1:])
	if err != nil {
		return g, nil, cli.BadInput(err)
	}
	p, err := in.End()
	if err != nil {
		return g, nil, cli.BadInput(err)
	}
	f.board = p.BoardName()
	return g, p, nil
}

// closeBook closes b after work that ended with err. It joins both errors unless Close repeats the fault.
func closeBook(b *opening.Book, err error) error {
	closeErr := b.Close()
	// The texts are compared because a book returns a new error for the same fault.
	if err != nil && closeErr != nil && strings.Contains(err.Error(), closeErr.Error()) {
		return err
	}
	return errors.Join(err, closeErr)
}

// bookError marks errors that the user can correct by naming another book as bad input.
func bookError(err error) error {
	for _, e := range []error{opening.ErrMissing, opening.ErrForeign, store.ErrMissing, store.ErrForeign} {
		if errors.Is(err, e) {
			return cli.BadInput(err)
		}
	}
	return err
}

// searchWords describes a search, for instance "depth 8, 0.2s, 3 moves on", where the searched position
// is 3 moves later. It returns "" for the zero Origin.
func searchWords(o opening.Origin) string {
	if o == (opening.Origin{}) {
		return ""
	}
	s := fmt.Sprintf("%.1fs", float64(o.Millis)/1000)
	if o.Depth > 0 {
		s = fmt.Sprintf("depth %d, %s", o.Depth, s)
	}
	if o.Plies > 0 {
		s += fmt.Sprintf(", %s on", cli.Count(int(o.Plies), "move"))
	}
	return s
}

package books

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web/answer"
	"endwise/data"
	"endwise/engine"
)

func newShowCmd(a *cli.App) *cobra.Command {
	var (
		place bookPlace
		dirs  []string
		all   bool
	)
	c := &cobra.Command{
		Use:   "show GAME [POSITION | -]",
		Short: "Show what a book says about a position",
		Long: `Draws the position and lists its best ten moves, or with --all every move, with the
book's value, the loss against the best move, whether it is proved, and whether the
position after it is in the book. Moves that lead to the same position, turned or
mirrored, are listed once.

Several books are consulted: the working store, the published book and the embedded
one; with --book the named ones before the last two. The deepest estimate counts,
all proofs count, and the list names the book. The last line counts the positions of
a working store: proved, bounded and estimated.`,
		Example: "  endwise book show circuitwars\n  endwise book show circuitwars \"7x7 3,3,top\"",
		Args:    cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, c, err := place.position(a, rest)
			if err != nil {
				return err
			}
			editions, end, err := place.editions(a, g, dirs)
			defer end()
			if err != nil {
				return bookError(err)
			}
			page, err := editionsPage(g, editions, c)
			if err != nil {
				return bookError(err)
			}
			return printPage(a, g, c, page, all)
		},
	}
	c.Flags().StringVar(&place.board, "board", "", boardUsage)
	c.Flags().StringArrayVar(&dirs, "book", nil, cli.BooksUsage)
	c.Flags().BoolVar(&all, "all", false, cli.AllUsage)
	return c
}

// bookValue is a value from books, and their names.
type bookValue struct {
	value   opening.Value
	behind  opening.Behind
	edition string
}

// join adds the proofs of a later book.
func (s *bookValue) join(w bookValue) error {
	v, ok := s.value.Within(w.value)
	if !ok {
		return fmt.Errorf("%w: %s by the book %s, %s by the book %s", opening.ErrContradiction, s.value, s.edition, w.value, w.edition)
	}
	if v.Lo != s.value.Lo || v.Hi != s.value.Hi {
		s.edition += ", proof of " + w.edition
	}
	s.value = v
	return nil
}

// bookPage is the content of books for a position, in the position's orientation.
type bookPage struct {
	bookValue
	visits int
	moves  []bookMove
	stores []storeCounts
}

// storeCounts is the size of a working store.
type storeCounts struct {
	book string
	opening.Counts
}

type bookMove struct {
	bookValue
	move engine.Move
	more int // number of other moves that lead to the same position
	note string
}

// editions opens the books in lookup order: those of dirs or, without any, the working
// store; then the published and the embedded book.
func (f *bookPlace) editions(a *cli.App, g cli.Game, dirs []string) (out []*opening.NamedBook, end func(), err error) {
	end = func() {
		for _, l := range out {
			l.Close()
		}
	}
	for _, d := range dirs {
		if name, err := opening.GameOf(d); err != nil {
			return nil, end, err
		} else if name != g.Name() {
			return nil, end, fmt.Errorf("%s: %w: a book of %s, not of %s", d, opening.ErrForeign, name, g.Name())
		}
	}
	own := false
	if len(dirs) == 0 {
		working, err := f.working(a, g)
		if err != nil {
			return nil, end, err
		}
		if own = opening.Exists(working); own {
			dirs = []string{working}
		}
	}
	var failed []error
	out = opening.OpenBooks(dirs, a.StoreIfAny(), data.Books(), g.Game, func(err error) { failed = append(failed, err) })
	if failed != nil {
		return nil, end, errors.Join(failed...)
	}
	if own {
		out[0].Name = "working store"
	}
	if !slices.ContainsFunc(out, func(l *opening.NamedBook) bool { return l.Board() == f.board }) {
		return nil, end, fmt.Errorf("%s %s: %w; endwise book grow %s makes one", g.Name(), f.board, opening.ErrMissing, g.Name())
	}
	return out, end, nil
}

// editionsPage combines the contents of books for a position: estimates come from the first
// book that contains the move, proofs from all books.
func editionsPage(g cli.Game, editions []*opening.NamedBook, c engine.Position) (*bookPage, error) {
	type class struct { // identifies the position after a move
		key  string
		gain int
	}
	var out *bookPage
	var stores []storeCounts
	at := map[class]int{} // index in out.moves
	for _, l := range editions {
		if l.Board() != c.BoardName() {
			continue
		}
		if b := l.Working(); b != nil {
			stores = append(stores, storeCounts{l.Name, b.Counts()})
		}
		page, err := editionPage(g, l, c)
		if errors.Is(err, opening.ErrNotInBook) {
			continue
		}
		if err != nil {
			return nil, err
		}
		moves := page.moves
		if out == nil {
			out, page.moves = page, nil
		} else if err := out.join(page.bookValue); err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		for _, w := range moves {
			next, err := c.Play(w.move)
			if err != nil {
				return nil, err
			}
			k := class{gain: c.Gain(next)}
			if !next.Over() {
				key, _ := next.CanonicalKey(nil)
				k.key = string(key)
			}
			if i, ok := at[k]; !ok {
				at[k] = len(out.moves)
				out.moves = append(out.moves, w)
			} else if err := out.moves[i].join(w.bookValue); err != nil {
				return nil, fmt.Errorf("%s: move %s: %w", c, c.MoveString(w.move), err)
			}
		}
	}
	if out == nil {
		return nil, fmt.Errorf("%s: %w", c, opening.ErrNotInBook)
	}
	out.stores = stores
	slices.SortStableFunc(out.moves, func(x, y bookMove) int { return cmp.Compare(y.value.Est, x.value.Est) })
	return out, nil
}

// editionPage returns the content of one book for a position.
func editionPage(g cli.Game, l *opening.NamedBook, c engine.Position) (*bookPage, error) {
	if b := l.Working(); b != nil {
		return workingPage(l.Name, b, c)
	}
	return publishedPage(g, l, c)
}

func workingPage(name string, b *opening.Book, c engine.Position) (*bookPage, error) {
	id, o, ok, err := b.Find(c)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", c, opening.ErrNotInBook)
	}
	info, err := b.Info(id)
	if err != nil {
		return nil, err
	}
	page := &bookPage{bookValue: bookValue{info.Value, info.Behind, name}, visits: info.Visits}
	same := map[engine.Move]int{}
	for _, m := range c.Moves() {
		same[o.ToCanonical(m)]++
	}
	for _, m := range info.Moves {
		here, ok := o.FromCanonical(m.Move)
		if !ok {
			return nil, fmt.Errorf("move %s of the book is none here", info.Position.MoveString(m.Move))
		}
		w := bookMove{move: here, more: same[m.Move] - 1, bookValue: bookValue{m.Value, m.Behind, name}}
		switch {
		case m.Ends:
			w.note = "ends the game"
		case m.Linked:
			w.note = "in the book"
			if next, err := b.Info(m.Child); err == nil && next.Visits > 0 {
				w.note += ", " + cli.Count(next.Visits, "game")
			}
		}
		page.moves = append(page.moves, w)
	}
	return page, nil
}

func publishedPage(g cli.Game, b *opening.NamedBook, c engine.Position) (*bookPage, error) {
	e, o, ok, err := b.Lookup(c)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", c, opening.ErrNotInBook)
	}
	page := &bookPage{bookValue: bookValue{e.Value, e.Behind, b.Name}, visits: e.Visits}
	scale := g.ProofScale()
	for _, m := range c.Moves() {
		q, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if q.Over() {
			continue
		}
		child, _, ok, err := b.Lookup(q)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		w := bookMove{move: m, bookValue: bookValue{child.Value.Through(c.Gain(q)*scale, q.Turn() != c.Turn()), child.Behind, b.Name}, note: "in the book"}
		w.behind.Plies++
		if child.Visits > 0 {
			w.note += ", " + cli.Count(child.Visits, "game")
		}
		page.moves = append(page.moves, w)
	}
	if e.HasRest {
		if m, ok := o.FromCanonical(e.Rest); ok {
			page.moves = append(page.moves, bookMove{move: m, bookValue: bookValue{e.RestValue, opening.Behind{}, b.Name}, note: "best of the others"})
		}
	}
	return page, nil
}

// perPoint returns the number of units of an estimate in a point: hundredths if values are
// results.
func perPoint(scale int) float64 {
	if scale > 1 {
		return 100
	}
	return 1
}

func printPage(a *cli.App, g cli.Game, c engine.Position, page *bookPage, all bool) error {
	if err := c.Draw(a.Stdout, engine.DrawStyle{Color: a.Color()}); err != nil {
		return err
	}
	scale, words := g.ProofScale(), g.Web
	var b strings.Builder
	head := fmt.Sprintf("%s to move: %s", c.Turn(), page.value.Words(scale))
	if s := behind(page.behind); s != "" {
		head += fmt.Sprintf(" (%s)", s)
	}
	if page.visits > 0 {
		head += fmt.Sprintf(", reached by %s", cli.Count(page.visits, "game"))
	}
	fmt.Fprintf(&b, "\n%s\nbook %s\n\n", cli.Wrap(head, "  "), page.edition)
	t := cli.NewTable("move", "also", ">about", ">proved", ">loss", "search", "book", "then")
	for i, m := range page.moves {
		if i == cli.BestMoves && !all {
			break
		}
		loss := int(page.value.Est) - int(min(m.value.Est, page.value.Est))
		givesUp := fmt.Sprintf("%g", float64(loss)/perPoint(scale))
		switch exact := page.value.Exact(); {
		case exact && m.value.Exact():
			givesUp = words.Given(loss / scale)
		case scale > 1 && exact != m.value.Exact():
			givesUp = "?" // results and pieces cannot be compared
		case scale > 1:
			givesUp = fmt.Sprintf("%.2f", float64(loss)/perPoint(scale))
		}
		style, edition := "", m.edition
		switch {
		case i == 0:
			style = cli.Bold
		case !m.value.Exact():
			style = cli.Faint
		}
		if edition == page.edition {
			edition = "" // named above
		}
		t.Row(style, c.MoveString(m.move), cli.Also(m.more), m.value.About(scale), m.value.Proved(scale), givesUp, behind(m.behind), edition, m.note)
	}
	t.Write(&b, a.Color())
	cli.MoreMoves(&b, len(page.moves), all)
	for _, n := range page.stores {
		fmt.Fprintf(&b, "\n%s\n", cli.Wrap(fmt.Sprintf("%s: %s, %s proved, %s bounded, %s estimated; %s of games; %s between them; %v of evaluation",
			n.book, cli.Count(n.Positions, "position"), answer.Digits(n.Proved), answer.Digits(n.Bounded), answer.Digits(n.Estimated), answer.Digits(n.Visited), cli.Count(n.Links, "move"), time.Duration(n.Millis)*time.Millisecond), "  "))
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

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
	"endwise/data"
	"endwise/engine"
)

func newShowCmd(a *cli.App) *cobra.Command {
	var (
		place bookPlace
		dirs  []string
		all   bool
		json  bool
	)
	c := &cobra.Command{
		Use:   "show GAME [POSITION | -]",
		Short: "Show the book's values in a position",
		Long: `Draws the position and lists its best ten moves, or with --all every move, with the
book's value, the loss against the best move, whether it is proved, and whether the
position after it is in the book. Moves that lead to the same position, turned or
mirrored, share one row.

Several books are consulted: the working book, the published book and the embedded
one; with --book the named ones in place of the working book. The deepest estimate
counts, all proofs count, and the list names the book. The last lines count the
positions of each working book: proved, bounded and estimated. A number of games is
that of the run of grow with most games of the position, because runs may read the
same games again.

Exit code 1 if no book contains the position.`,
		Example: "  endwise book show circuitwars\n  endwise book show circuitwars \"7x7 3,3,top\"",
		Args:    cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, p, err := place.position(a, rest)
			if err != nil {
				return err
			}
			books, err := place.openBooks(a, g, dirs)
			for _, b := range books {
				defer b.Close()
			}
			if err != nil {
				return bookError(err)
			}
			page, err := combinedPage(g, books, p)
			if err != nil {
				return err
			}
			if json {
				return cli.WriteJSON(a.Stdout, page.decision(p, g.ProofScale()))
			}
			return printPage(a, g, p, page, all)
		},
	}
	c.Flags().StringVar(&place.board, "board", "", boardUsage)
	c.Flags().StringArrayVar(&dirs, "book", nil, cli.BooksUsage)
	c.Flags().BoolVar(&all, "all", false, cli.AllUsage)
	c.Flags().BoolVar(&json, "json", false, cli.JsonUsage+", as query --json; the source of a move is its book")
	return c
}

// bookValue is the value of a position or move in books.
type bookValue struct {
	value  opening.Value
	origin opening.Origin // of the estimate
	books  string         // names of the books that value comes from
}

// join adds the value w of a later book: the bounds of both, and the estimate of the deeper search. If
// the bounds exclude each other, the error wraps [opening.ErrContradiction].
func (s *bookValue) join(w bookValue) error {
	depth := func(o opening.Origin) int { return int(o.Depth) + int(o.Plies) }
	if depth(w.origin) > depth(s.origin) && !s.value.Exact() {
		*s, w = w, *s
	}
	v, ok := s.value.Within(w.value)
	if !ok {
		return fmt.Errorf("%w: %s by the book %s, %s by the book %s",
			opening.ErrContradiction, s.value, s.books, w.value, w.books)
	}
	if v.Lo != s.value.Lo || v.Hi != s.value.Hi {
		s.books += ", proof of " + w.books
	}
	s.value = v
	return nil
}

// bookPage contains what books say about a position.
type bookPage struct {
	bookValue
	visits int // number of games, of the first book with the position
	moves  []bookMove
	stores []storeCounts // of all working books of the board
}

type storeCounts struct {
	book string
	opening.Counts
}

type bookMove struct {
	bookValue
	move engine.Move
	more int // number of other moves that lead to the same position up to symmetry
	note string
}

// openBooks opens books in lookup order: those in dirs or, if dirs is empty, the working book; then the
// published and embedded ones. If none is of f.board, it returns an error. The caller closes the returned
// books, also after an error.
func (f *bookPlace) openBooks(a *cli.App, g cli.Game, dirs []string) (out []*opening.NamedBook, err error) {
	for _, d := range dirs {
		if name, err := opening.GameOf(d); err != nil {
			return nil, err
		} else if name != g.Name() {
			return nil, fmt.Errorf("%s: %w: a book of %s, not of %s", d, opening.ErrForeign, name, g.Name())
		}
	}
	working := ""
	if len(dirs) == 0 {
		if working, err = f.working(a, g); err != nil {
			return nil, err
		}
		if opening.Exists(working) {
			dirs = []string{working}
		}
	}
	out = opening.OpenBooks(dirs, a.StoreIfAny(), data.Books(), g.Game, func(e error) { err = errors.Join(err, e) })
	ofBoard := false
	for _, b := range out {
		ofBoard = ofBoard || b.Board() == f.board
		if b.Name == working {
			b.Name = "working book"
		}
	}
	if err == nil && !ofBoard {
		err = fmt.Errorf("%s %s: no such book; endwise book grow %[1]s --board %[2]s makes one", g.Name(), f.board)
	}
	return out, err
}

// successor identifies the position after a move up to symmetry. All ends of a game have the key "".
type successor struct {
	key  string // canonical
	gain int
}

// successorOf returns the successor of a legal move m in c.
func successorOf(c engine.Position, m engine.Move) (s successor, err error) {
	next, err := c.Play(m)
	if err != nil {
		return s, err
	}
	s.gain = c.Gain(next)
	if !next.Over() {
		key, _ := next.CanonicalKey(nil)
		s.key = string(key)
	}
	return s, nil
}

// countSuccessors returns the number of legal moves in c by successor.
func countSuccessors(c engine.Position) (map[successor]int, error) {
	count := map[successor]int{}
	for _, m := range c.Moves() {
		s, err := successorOf(c, m)
		if err != nil {
			return nil, err
		}
		count[s]++
	}
	return count, nil
}

// possible returns v, a book's value of p, with its estimate moved to a score that p can still reach.
func possible(p engine.Position, v opening.Value) opening.Value {
	if v.Exact() {
		return v
	}
	v.Est = int16(opening.PossibleValue(p, int(v.Est)))
	v, _ = v.Within(v)
	return v
}

// combinedPage combines the entries of the books of c's board for c: the deepest estimates and all
// proofs. Moves with the same successor are one move; the best come first. The error wraps
// [opening.ErrNotInBook] if no book contains c, and [opening.ErrContradiction] if two proofs do not agree.
func combinedPage(g cli.Game, books []*opening.NamedBook, c engine.Position) (*bookPage, error) {
	var out *bookPage
	var stores []storeCounts
	same, err := countSuccessors(c)
	if err != nil {
		return nil, err
	}
	index := map[successor]int{} // in out.moves
	for _, b := range books {
		if b.Board() != c.BoardName() {
			continue
		}
		if w := b.Working(); w != nil {
			stores = append(stores, storeCounts{b.Name, w.Counts()})
		}
		page, err := pageOf(g, b, c)
		if err != nil {
			return nil, err
		}
		if page == nil {
			continue
		}
		moves := page.moves
		if out == nil {
			out, page.moves = page, nil
		} else if err := out.join(page.bookValue); err != nil {
			return nil, fmt.Errorf("%s: %w", c, err)
		}
		for _, m := range moves {
			s, err := successorOf(c, m.move)
			if err != nil {
				return nil, err
			}
			if i, ok := index[s]; !ok {
				index[s], m.more = len(out.moves), same[s]-1
				out.moves = append(out.moves, m)
			} else if err := out.moves[i].join(m.bookValue); err != nil {
				return nil, fmt.Errorf("%s: move %s: %w", c, c.MoveString(m.move), err)
			}
		}
	}
	if out == nil {
		return nil, fmt.Errorf("%s: %w; endwise query %s searches it, endwise book grow %s --from adds it",
			c, opening.ErrNotInBook, g.Name(), g.Name())
	}
	out.stores = stores
	out.value = possible(c, out.value)
	for i := range out.moves {
		out.moves[i].value = possible(c, out.moves[i].value)
	}
	slices.SortStableFunc(out.moves, func(x, y bookMove) int { return cmp.Compare(y.value.Est, x.value.Est) })
	return out, nil
}

// pageOf returns the entries of a book for c, nil if it does not contain c.
func pageOf(g cli.Game, b *opening.NamedBook, c engine.Position) (*bookPage, error) {
	if w := b.Working(); w != nil {
		return workingPage(b.Name, w, c)
	}
	return publishedPage(g, b, c)
}

// workingPage is [pageOf] for a working book.
func workingPage(name string, b *opening.Book, c engine.Position) (*bookPage, error) {
	id, o, ok, err := b.Find(c)
	if err != nil || !ok {
		return nil, err
	}
	info, err := b.Info(id)
	if err != nil {
		return nil, err
	}
	page := &bookPage{bookValue: bookValue{info.Value, info.Origin, name}, visits: info.Visits}
	for _, m := range info.Moves {
		here, ok := o.FromCanonical(m.Move)
		if !ok {
			return nil, fmt.Errorf("%s: move %s of the book does not fit the position", c, info.Position.MoveString(m.Move))
		}
		w := bookMove{move: here, bookValue: bookValue{m.Value, m.Origin, name}}
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

// publishedPage is [pageOf] for a published book. The page contains the moves to positions of the book, with
// the values of these, and the best of the other moves if the book has its value.
func publishedPage(g cli.Game, b *opening.NamedBook, c engine.Position) (*bookPage, error) {
	e, o, ok, err := b.Lookup(c)
	if err != nil || !ok {
		return nil, err
	}
	page := &bookPage{bookValue: bookValue{e.Value, e.Origin, b.Name}, visits: e.Visits}
	scale := g.ProofScale()
	for _, m := range c.Moves() {
		next, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		if next.Over() {
			continue
		}
		child, _, ok, err := b.Lookup(next)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		value := child.Value.Through(c.Gain(next)*scale, next.Turn() != c.Turn())
		w := bookMove{move: m, bookValue: bookValue{value, child.Origin, b.Name}, note: "in the book"}
		w.origin.Plies++
		if child.Visits > 0 {
			w.note += ", " + cli.Count(child.Visits, "game")
		}
		page.moves = append(page.moves, w)
	}
	if e.HasUnlinked {
		if m, ok := o.FromCanonical(e.Unlinked); ok {
			rest := bookValue{value: e.UnlinkedValue, books: b.Name}
			page.moves = append(page.moves, bookMove{move: m, bookValue: rest, note: "best of the others"})
		}
	}
	return page, nil
}

// decision returns the page as a decision; scale is [book.Game.ProofScale].
func (p *bookPage) decision(c engine.Position, scale int) engine.Decision {
	own := p.moveValue("", scale)
	d := engine.Decision{
		Score: own.Score, Proof: own.Proof, Exact: own.Exact, Source: "book", Depth: int(p.origin.Depth),
		Line: []string{}, Moves: []engine.MoveValue{},
	}
	for _, m := range p.moves {
		d.Moves = append(d.Moves, m.moveValue(c.MoveString(m.move), scale))
	}
	if len(d.Moves) > 0 {
		d.Move = d.Moves[0].Move
		d.Line = append(d.Line, d.Move)
	}
	return d
}

// moveValue returns s as the value of a move. It divides proved scores by scale, but not estimates. If both
// bounds are proved but differ, it keeps the lower one.
func (s bookValue) moveValue(move string, scale int) engine.MoveValue {
	v, estimate := s.value, int(s.value.Est)
	out := engine.MoveValue{Move: move, Score: estimate, Source: s.books}
	switch {
	case v.Exact():
		out.Score, out.Proof, out.Exact = int(v.Lo)/scale, engine.Exact, true
	case v.Lo > -opening.Unbounded:
		out.Score, out.Proof, out.Estimate = int(v.Lo)/scale, engine.Lower, &estimate
	case v.Hi < opening.Unbounded:
		out.Score, out.Proof, out.Estimate = int(v.Hi)/scale, engine.Upper, &estimate
	}
	return out
}

// printPage draws c and prints the page of c, with the best ten moves or all.
func printPage(a *cli.App, g cli.Game, c engine.Position, page *bookPage, all bool) error {
	if err := c.Draw(a.Stdout, engine.DrawStyle{Color: a.Color()}); err != nil {
		return err
	}
	scale := g.ProofScale()
	var b strings.Builder
	head := fmt.Sprintf("%s to move: %s", g.SideName(c.Turn()), page.value.Words(scale))
	if s := searchWords(page.origin); s != "" {
		head += fmt.Sprintf(" (%s)", s)
	}
	if page.visits > 0 {
		head += fmt.Sprintf(", reached by %s of one run of grow", cli.Count(page.visits, "game"))
	}
	fmt.Fprintf(&b, "\n%s\nbook %s\n\n", cli.Wrap(head, "  ", a.Columns()), page.books)
	t := cli.NewTable("move", "also", ">about", ">proved", ">loss", "search", "book", "then")
	for i, m := range page.moves {
		if i == cli.BestMoves && !all {
			break
		}
		style, books := "", m.books
		switch {
		case i == 0:
			style = cli.Bold
		case !m.value.Exact():
			style = cli.Faint
		}
		if books == page.books {
			books = ""
		}
		t.Row(style, c.MoveString(m.move), cli.AlsoCell(m.more),
			m.value.About(scale), m.value.Proved(scale), moveLoss(g, page.value, m.value),
			searchWords(m.origin), books, m.note)
	}
	t.Optional("book", "search", "also")
	t.Write(&b, a.Color(), a.Columns())
	cli.WriteMoreMoves(&b, len(page.moves), all)
	for _, s := range page.stores {
		fmt.Fprintf(&b, "\n%s\n", cli.Wrap(s.String(), "  ", a.Columns()))
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// moveLoss formats the loss of a move, as [answer.Game.Loss] does. If the game's proved values are
// results, a loss between estimates is in pieces, and one between a result and an estimate is "?".
func moveLoss(g cli.Game, best, move opening.Value) string {
	scale := g.ProofScale()
	loss := int(best.Est) - int(min(move.Est, best.Est))
	switch {
	case scale > 1 && best.Exact() != move.Exact():
		return "?"
	case scale > 1 && !best.Exact():
		return fmt.Sprintf("%.2f", float64(loss)/100)
	}
	return g.Web.Loss(loss / scale)
}

func (s storeCounts) String() string {
	return fmt.Sprintf("%s: %s, %s proved, %s bounded, %s estimated; %s from recorded games; %s between positions of the book; evaluated in %s", s.book,
		cli.Count(s.Positions, "position"), engine.Digits(s.Proved), engine.Digits(s.Bounded), engine.Digits(s.Estimated),
		engine.Digits(s.Visited), cli.Count(s.Links, "move"), cli.Duration(time.Duration(s.Millis)*time.Millisecond))
}

package books

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
)

func newShowCmd(a *cli.App) *cobra.Command {
	var (
		place     bookPlace
		published bool
	)
	c := &cobra.Command{
		Use:   "show GAME [POSITION | -]",
		Short: "Show what a book says about a position",
		Long: `Draws the position and lists its moves with what the book says: the value, how
much each gives up against the best, what stands behind it, and whether the
position after it is in the book. Moves that lead to the same position, turned
or mirrored, are listed once.

The working store is asked, or where there is none the published book, or where
there is none either the one that ships with the program.`,
		Example: "  endwise book show circuitwars\n  endwise book show circuitwars \"7x7 3,3,top\"",
		Args:    cli.Args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := cli.GameNamed(rest[0])
			if err != nil {
				return err
			}
			p, err := a.Position(g, place.board, rest[1:])
			if err != nil {
				return cli.BadInput(err)
			}
			c, ok := p.(engine.Canonical)
			if !ok {
				return cli.BadInput(fmt.Errorf("%s has no opening books", g.Title()))
			}
			place.board = c.BoardName()
			dir, err := place.working(a, g)
			if err != nil {
				return err
			}
			var page *bookPage
			if published || !opening.Exists(dir) {
				page, err = publishedPage(a, g, &place, c)
			} else {
				page, err = workingPage(a, g, &place, c)
			}
			if err != nil {
				return bookError(err)
			}
			return printPage(a, g, c, page)
		},
	}
	place.register(c)
	c.Flags().BoolVar(&published, "published", false, "ask the published book")
	return c
}

// bookPage is what a book says about a position, in the position's own
// orientation.
type bookPage struct {
	source string
	value  opening.Value
	behind opening.Behind
	visits int
	moves  []bookMove
}

type bookMove struct {
	move   engine.Move
	more   int // other moves that lead to the same position
	value  opening.Value
	behind opening.Behind
	note   string
}

func workingPage(a *cli.App, g cli.Game, place *bookPlace, c engine.Canonical) (*bookPage, error) {
	b, err := place.read(a, g)
	if err != nil {
		return nil, err
	}
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
	page := &bookPage{source: "working store", value: info.Value, behind: info.Behind, visits: info.Visits}
	same := map[engine.Move]int{}
	for _, m := range c.Moves() {
		same[o.ToCanonical(m)]++
	}
	for _, m := range info.Moves {
		here, ok := o.FromCanonical(m.Move)
		if !ok {
			return nil, fmt.Errorf("move %s of the book is none here", info.Position.MoveString(m.Move))
		}
		w := bookMove{move: here, more: same[m.Move] - 1, value: m.Value, behind: m.Behind}
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

func publishedPage(a *cli.App, g cli.Game, place *bookPlace, c engine.Canonical) (*bookPage, error) {
	dir, err := place.published(a, g)
	if err != nil {
		return nil, err
	}
	title := "published book"
	b, err := opening.OpenPublished(dir, g.Game)
	if errors.Is(err, store.ErrMissing) {
		path, serr := shippedBook(filepath.Dir(dir), g.Name(), c.BoardName())
		switch {
		case serr != nil:
			return nil, serr
		case path == "":
			return nil, fmt.Errorf("%s %s: %w; endwise book grow %s makes one", g.Name(), c.BoardName(), opening.ErrMissing, g.Name())
		}
		title = "book that ships with the program"
		b, err = opening.OpenPublished(path, g.Game)
	}
	if err != nil {
		return nil, err
	}
	defer b.Close()
	e, o, ok, err := b.Lookup(c)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", c, opening.ErrNotInBook)
	}
	page := &bookPage{source: title, value: e.Value, behind: e.Behind, visits: e.Visits}
	scale := proofScale(g.Game)
	seen := map[string]bool{}
	for _, m := range c.Moves() {
		q, err := c.Play(m)
		if err != nil {
			return nil, err
		}
		next := q.(engine.Canonical)
		if q.Over() {
			continue
		}
		key, _ := next.CanonicalKey(nil)
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		child, _, ok, err := b.Lookup(next)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		w := bookMove{move: m, value: child.Value.Through(c.Gain(q)*scale, q.Turn() != c.Turn()), behind: child.Behind, note: "in the book"}
		w.behind.Plies++
		if child.Visits > 0 {
			w.note += ", " + cli.Count(child.Visits, "game")
		}
		page.moves = append(page.moves, w)
	}
	if e.HasRest {
		if m, ok := o.FromCanonical(e.Rest); ok {
			page.moves = append(page.moves, bookMove{move: m, value: e.RestValue, note: "best of the others"})
		}
	}
	slices.SortStableFunc(page.moves, func(x, y bookMove) int { return cmp.Compare(y.value.Est, x.value.Est) })
	return page, nil
}

func printPage(a *cli.App, g cli.Game, c engine.Canonical, page *bookPage) error {
	if err := c.Draw(a.Stdout, engine.DrawStyle{Color: a.Color()}); err != nil {
		return err
	}
	scale, words := proofScale(g.Game), g.WebGame()
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s to move: %s", c.Turn(), page.value.Words(scale))
	if s := behind(page.behind); s != "" {
		fmt.Fprintf(&b, " (%s)", s)
	}
	if page.visits > 0 {
		fmt.Fprintf(&b, ", reached by %s", cli.Count(page.visits, "game"))
	}
	fmt.Fprintf(&b, "\n%s\n\n", page.source)
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "move\talso\tvalue\tgives up\tbehind it\t\n")
	perPoint := 1.0
	if scale > 1 {
		perPoint = 100 // estimates are in hundredths
	}
	for _, m := range page.moves {
		also := ""
		if m.more > 0 {
			also = fmt.Sprintf("+%d", m.more)
		}
		loss := int(page.value.Est) - int(min(m.value.Est, page.value.Est))
		givesUp := fmt.Sprintf("%g", float64(loss)/perPoint)
		switch exact := page.value.Exact(); {
		case exact && m.value.Exact():
			givesUp = words.Given(loss / scale)
		case scale > 1 && exact != m.value.Exact():
			givesUp = "?" // a result and pieces can't be compared
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", c.MoveString(m.move), also, m.value.Words(scale), givesUp, behind(m.behind), m.note)
	}
	tw.Flush()
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"endwise/cmd/endwise/web"
	"endwise/engine"
)

const (
	BestMoves = 10 // number of moves that are listed without --all
	AllUsage  = "list all moves with a value, not only the best ten"
)

// ANSI sequences for the rows of a [Table].
const (
	Bold  = "\x1b[1m"
	Faint = "\x1b[2m"
	plain = "\x1b[0m"
)

// Table formats text in columns. Columns whose head begins with > are right-aligned, and columns whose
// cells are all empty are not shown.
type Table struct {
	head     []string
	rows     [][]string // of each row the style, then the cells
	optional []string
}

// NewTable returns a table with the given column heads.
func NewTable(head ...string) *Table { return &Table{head: head} }

// Row adds a row; style is an ANSI sequence, "" for none.
func (t *Table) Row(style string, cells ...string) {
	t.rows = append(t.rows, append([]string{style}, cells...))
}

// Optional names columns, by their heads, that are omitted if the table is too wide, from the last on.
func (t *Table) Optional(heads ...string) { t.optional = heads }

// widths returns the width of each column, 0 if it is empty or in without, and of the table.
func (t *Table) widths(without []string) (width []int, total int) {
	width = make([]int, len(t.head))
	for i, h := range t.head {
		h = strings.TrimPrefix(h, ">")
		for _, row := range t.rows {
			if row[i+1] != "" && !slices.Contains(without, h) {
				width[i] = max(width[i], engine.Width(row[i+1]), engine.Width(h))
			}
		}
		if width[i] > 0 {
			total += width[i] + gap
		}
	}
	return width, total - gap
}

const gap = 2

// Write writes the head and the rows, with colours if color is set. If the table is wider than columns,
// which is 0 for any width, it omits optional columns; if that does not suffice, each row becomes a
// paragraph.
func (t *Table) Write(w io.Writer, color bool, columns int) {
	full, total := t.widths(nil)
	width := full
	for n := len(t.optional) - 1; n >= 0 && columns > 0 && total > columns; n-- {
		width, total = t.widths(t.optional[n:])
	}
	if columns > 0 && total > columns {
		t.writeParagraphs(w, width, columns)
	} else {
		t.writeRows(w, width, color)
	}
	var omitted []string
	for i, h := range t.head {
		if full[i] > 0 && width[i] == 0 {
			omitted = append(omitted, strings.TrimPrefix(h, ">"))
		}
	}
	if len(omitted) > 0 {
		fmt.Fprintln(w, Wrap("no room for: "+strings.Join(omitted, ", "), "  ", columns))
	}
}

// writeRows writes the head and the rows. Columns whose width is 0 are not shown.
func (t *Table) writeRows(w io.Writer, width []int, color bool) {
	head := []string{""}
	for _, h := range t.head {
		head = append(head, strings.TrimPrefix(h, ">"))
	}
	for _, row := range append([][]string{head}, t.rows...) {
		line, fill := "", ""
		for i, cell := range row[1:] {
			if width[i] == 0 {
				continue
			}
			pad := strings.Repeat(" ", max(0, width[i]-engine.Width(cell)))
			if strings.HasPrefix(t.head[i], ">") {
				cell, pad = pad+cell, ""
			}
			line += fill + cell
			fill = pad + strings.Repeat(" ", gap)
		}
		line = strings.TrimRight(line, " ")
		if color && row[0] != "" {
			line = row[0] + line + plain
		}
		fmt.Fprintln(w, line)
	}
}

// writeParagraphs writes the first cell of each row, and below it the others after their heads.
func (t *Table) writeParagraphs(w io.Writer, width []int, columns int) {
	for _, row := range t.rows {
		var words []string
		for i, cell := range row[1:] {
			if i > 0 && width[i] > 0 && cell != "" {
				words = append(words, strings.TrimSpace(strings.TrimPrefix(t.head[i], ">")+" "+cell)+",")
			}
		}
		text := strings.TrimSuffix(WrapWords(append([]string{" "}, words...), "  ", columns), ",")
		fmt.Fprintf(w, "%s\n%s\n", row[1], text)
	}
}

const usualColumns = 80

// Columns returns the width of the terminal that w is, 0 if it is none.
func Columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

func (a *App) Columns() int { return Columns(a.Stdout) }

// Wrap wraps text at columns, or at 80 if columns is 0 or greater, and puts indent before all lines
// except the first.
func Wrap(text, indent string, columns int) string {
	return WrapWords(strings.Fields(text), indent, columns)
}

// WrapWords is [Wrap] for words that may contain blanks. A % stays with the number before it.
func WrapWords(words []string, indent string, columns int) string {
	for i := len(words) - 1; i > 0; i-- {
		if strings.HasPrefix(words[i], "%") {
			words = slices.Concat(words[:i-1], []string{words[i-1] + " " + words[i]}, words[i+1:])
		}
	}
	if columns <= 0 || columns > usualColumns {
		columns = usualColumns
	}
	out, line := "", ""
	for _, word := range words {
		if line != "" && engine.Width(line+" "+word) > columns {
			out += line + "\n"
			line = indent + word
			continue
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return out + line
}

// valueText formats the value of a move, with its distance if it has one.
func valueText(words web.Game, m engine.MoveValue) string {
	switch {
	case m.Distance > 0:
		return words.Marked(m.Score, m.Proof) + " in " + Count(m.Distance, "turn")
	case m.Proof != engine.Estimate:
		return words.Marked(m.Score, m.Proof)
	case words.Unit == "":
		return fmt.Sprintf("%+.2f", float64(m.Score)/100)
	}
	return words.Value(m.Score, m.Proof)
}

// twins are equivalent moves: the first of them and the number of others.
type twins struct {
	engine.MoveValue
	others int
}

// sorted returns the moves of a decision, the chosen one first and the others by score. Moves with the
// same score are in the order lower bounds, exact values, estimates, upper bounds.
func sorted(words web.Game, d engine.Decision) []engine.MoveValue {
	rank := func(m engine.MoveValue) int {
		worth := 8 * m.Score
		if words.Unit == "" && m.Proof != engine.Estimate {
			worth *= 10_000 // a result, -1, 0 or +1, is above every estimate in hundredths
		}
		switch {
		case m.Move == d.Move:
			return 1 << 40
		case m.Proof == engine.Upper:
			return worth - 2
		case m.Proof == engine.Estimate:
			return worth - 1
		case m.Proof == engine.Lower:
			return worth + 1
		}
		return worth
	}
	moves := slices.Clone(d.Moves)
	slices.SortStableFunc(moves, func(a, b engine.MoveValue) int { return rank(b) - rank(a) })
	return moves
}

// equivalent returns a text that is equal for moves of p that do not end the game and lead to the same
// position up to symmetry, with the same gain.
func equivalent(p engine.Position, move string) string {
	next, err := engine.PlayText(p, move)
	if err != nil || next.Over() {
		return move
	}
	canonical, _ := next.CanonicalKey(nil)
	return fmt.Sprintf("%x %d", canonical, p.Gain(next))
}

// foldTwins returns the moves of a decision in p in the order of [sorted], the first of equivalent moves.
// A proof of one of these replaces an estimate of the others, but not that of the chosen move. unevaluated
// is the number of moves of p that are equivalent to none of the decision.
func foldTwins(words web.Game, p engine.Position, d engine.Decision) (out []twins, unevaluated int) {
	proofs := map[string]engine.MoveValue{}
	for _, m := range d.Moves {
		if key := equivalent(p, m.Move); m.Proof != engine.Estimate && proofs[key].Proof != engine.Exact {
			proofs[key] = m
		}
	}
	d.Moves = slices.Clone(d.Moves)
	for i, m := range d.Moves {
		if proof, ok := proofs[equivalent(p, m.Move)]; ok && m.Proof == engine.Estimate && m.Move != d.Move {
			proof.Move = m.Move
			d.Moves[i] = proof
		}
	}
	at := map[string]int{}
	for _, m := range sorted(words, d) {
		if key := equivalent(p, m.Move); at[key] == 0 {
			out = append(out, twins{MoveValue: m, others: -1}) // the loop below counts m too
			at[key] = len(out)
		}
	}
	for _, m := range p.Moves() {
		if i, ok := at[equivalent(p, p.MoveString(m))]; ok {
			out[i-1].others++
		} else {
			unevaluated++
		}
	}
	return out, unevaluated
}

// PrintMoves writes the moves of a decision in p with their values, the best ten or all.
func PrintMoves(w io.Writer, color bool, columns int, g Game, p engine.Position, d engine.Decision, all bool) {
	words := g.Web
	list, unevaluated := foldTwins(words, p, d)
	t := NewTable("move", "also", ">value", "proof", "source", ">loss")
	t.Optional("proof", "source", "also")
	for i, m := range list {
		if i == BestMoves && !all {
			break
		}
		style := ""
		if i == 0 {
			style = Bold
		} else if m.Proof == engine.Estimate {
			style = Faint
		}
		t.Row(style, g.WithOtherName(m.Move), AlsoCell(m.others), valueText(words, m.MoveValue), m.Proof.String(), m.Source, loss(words.Loss, d, m.MoveValue))
	}
	t.Write(w, color, columns)
	WriteMoreMoves(w, len(list), all)
	writeUnevaluated(w, columns, unevaluated)
}

func writeUnevaluated(w io.Writer, columns, n int) {
	if n > 0 {
		fmt.Fprintln(w, Wrap("not evaluated: "+Count(n, "other move"), "  ", columns))
	}
}

// PrintGroups writes all moves of a decision in p, those with the same value in one paragraph.
func PrintGroups(w io.Writer, columns int, g Game, p engine.Position, d engine.Decision) {
	var heads []string
	groups := map[string][]string{}
	for _, m := range sorted(g.Web, d) {
		head := fmt.Sprintf("%s, %s, %s:", valueText(g.Web, m), m.Proof, m.Source)
		if groups[head] == nil {
			heads = append(heads, head)
		}
		groups[head] = append(groups[head], m.Move)
	}
	for _, head := range heads {
		fmt.Fprintln(w, WrapWords(append([]string{head}, groups[head]...), "    ", columns))
	}
	_, unevaluated := foldTwins(g.Web, p, d)
	writeUnevaluated(w, columns, unevaluated)
}

// AlsoCell formats the number of other equivalent moves, as in +2, "" for none.
func AlsoCell(others int) string {
	if others == 0 {
		return ""
	}
	return fmt.Sprintf("+%d", others)
}

// WriteMoreMoves writes the number of moves that a list of n moves does not show, if there are any.
func WriteMoreMoves(w io.Writer, n int, all bool) {
	if n > BestMoves && !all {
		fmt.Fprintf(w, "and %s: --all\n", Count(n-BestMoves, "more move"))
	}
}

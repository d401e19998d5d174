package arena

import (
	"fmt"
	"io"
	"strings"
	"time"

	"endwise/engine"
)

// Document is a report for a terminal or in Markdown.
type Document struct {
	strings.Builder
	markdown bool
	columns  int               // width of the terminal, 0 for any
	marks    *strings.Replacer // replaces boldOn and boldOff
}

// NewText returns a document for a terminal. color turns on bold text. Lines and tables that are
// wider than columns are wrapped, 0 meaning no limit; paragraphs are also wrapped at paragraphWidth.
func NewText(color bool, columns int) *Document {
	on, off := "", ""
	if color {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	return &Document{columns: columns, marks: strings.NewReplacer(boldOn, on, boldOff, off)}
}

func NewMarkdown() *Document {
	return &Document{markdown: true, marks: strings.NewReplacer(boldOn, "**", boldOff, "**")}
}

func (d *Document) Title(s string) {
	if d.markdown {
		s = "# " + s
	}
	d.WriteString(s + "\n")
}

func (d *Document) Section(s string) {
	if d.markdown {
		s = "## " + s + "\n"
	} else {
		s = Bold(s)
	}
	d.WriteString("\n" + s + "\n")
}

const paragraphWidth = 80

// Paragraph adds a paragraph; in a terminal its lines are wrapped.
func (d *Document) Paragraph(s string) {
	if !d.markdown {
		columns := paragraphWidth
		if d.columns > 0 {
			columns = min(columns, d.columns)
		}
		s = wrap(strings.Fields(s), "", columns)
	}
	d.WriteString("\n" + s + "\n")
}

// Line adds a line that begins with indent, and in a terminal wraps it.
func (d *Document) Line(indent, s string) {
	words := strings.Fields(s)
	if s = indent + s; d.columns > 0 && width(s) > d.columns && len(words) > 0 {
		words[0] = indent + words[0]
		s = wrap(words, indent+"  ", d.columns)
	}
	d.WriteString(s + "\n")
}

// wrap joins words to lines of at most columns; a longer word has its own line. Lines after the
// first begin with indent.
func wrap(words []string, indent string, columns int) string {
	text, line := "", ""
	for _, word := range words {
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) > columns:
			text, line = text+line+"\n", indent+word
		default:
			line += " " + word
		}
	}
	return text + line
}

// Faults adds a section with the sentences of the function [Faults], if there are any.
func (d *Document) Faults(sentences []string) {
	if len(sentences) == 0 {
		return
	}
	d.Section("Forfeited or stopped")
	for _, s := range sentences {
		if d.markdown { // s may contain text from players
			s = "- `" + strings.ReplaceAll(s, "`", "'") + "`"
		}
		d.Line("", s)
	}
}

func (d *Document) Table(t Table) {
	if d.markdown {
		t.markdown(&d.Builder)
	} else {
		t.text(d)
	}
}

func (d *Document) Print(w io.Writer) error {
	_, err := d.marks.WriteString(w, d.String())
	return err
}

// Marks around bold text.
const (
	boldOn  = "\x01"
	boldOff = "\x02"
)

// Bold returns s between the marks for bold text.
func Bold(s string) string { return boldOn + s + boldOff }

// Table is a table with a heading row.
type Table struct {
	Head []string
	Rows [][]string // each has the length of Head
	Left int        // the number of left-aligned columns; the others are right-aligned
}

// Add adds a row of values, formatted like [fmt.Sprint].
func (t *Table) Add(values ...any) {
	row := make([]string, len(values))
	for i, v := range values {
		row[i] = fmt.Sprint(v)
	}
	t.Rows = append(t.Rows, row)
}

func width(s string) int {
	return engine.Width(s) - strings.Count(s, boldOn) - strings.Count(s, boldOff)
}

// text writes the table in columns or, if these are wider than the terminal, each row as a paragraph.
func (t Table) text(d *Document) {
	widths, total := make([]int, len(t.Head)), -2 // no gap after the last column
	all := append([][]string{t.Head}, t.Rows...)
	for _, row := range all {
		for i, c := range row {
			widths[i] = max(widths[i], width(c))
		}
	}
	for _, w := range widths {
		total += w + 2
	}
	if d.columns > 0 && total > d.columns {
		t.paragraphs(d)
		return
	}
	for _, row := range all {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-width(c))
			if i < t.Left {
				line.WriteString(c + pad + "  ")
			} else {
				line.WriteString(pad + c + "  ")
			}
		}
		d.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// paragraphs writes for each row a line with its first value, and one with the other values after their
// headings, without empty values.
func (t Table) paragraphs(d *Document) {
	for _, row := range t.Rows {
		var cells []string
		for i, c := range row[1:] {
			if c != "" {
				cells = append(cells, strings.TrimSpace(t.Head[i+1]+" "+c))
			}
		}
		d.Line("", row[0])
		d.Line("  ", strings.Join(cells, ", "))
	}
}

func (t Table) markdown(b *strings.Builder) {
	escape := strings.NewReplacer("|", "\\|")
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + escape.Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Head)
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---:"
		if i < t.Left {
			rule[i] = ":---"
		}
	}
	line(rule)
	for _, r := range t.Rows {
		line(r)
	}
}

// Heading returns a title such as "circuitwars 7x7, 500ms a move", without an empty board and a time of 0.
func Heading(game, board string, timeMS int64) string {
	s := game
	if board != "" {
		s += " " + board
	}
	if timeMS > 0 {
		s += fmt.Sprintf(", %v a move", time.Duration(timeMS)*time.Millisecond)
	}
	return s
}

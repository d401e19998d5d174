package arena

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// Document is a report that is written piece by piece.
type Document struct {
	strings.Builder
	markdown bool
	marks    *strings.Replacer // replaces boldOn and boldOff
}

// NewText returns a document for a terminal. color turns on bold text.
func NewText(color bool) *Document {
	on, off := "", ""
	if color {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	return &Document{marks: strings.NewReplacer(boldOn, on, boldOff, off)}
}

// NewMarkdown returns a Markdown document.
func NewMarkdown() *Document {
	return &Document{markdown: true, marks: strings.NewReplacer(boldOn, "**", boldOff, "**")}
}

// Title adds the first line.
func (d *Document) Title(s string) {
	if d.markdown {
		s = "# " + s
	}
	d.WriteString(s + "\n")
}

// Section begins a section.
func (d *Document) Section(s string) {
	if d.markdown {
		s = "## " + s + "\n"
	} else {
		s = Bold(s)
	}
	d.WriteString("\n" + s + "\n")
}

// lineWidth is the width of a paragraph in a terminal.
const lineWidth = 80

// Paragraph adds a paragraph; on a terminal its lines are wrapped.
func (d *Document) Paragraph(s string) {
	if !d.markdown {
		var wrapped, line string
		for _, word := range strings.Fields(s) {
			if line != "" && width(line)+1+width(word) > lineWidth {
				wrapped, line = wrapped+line+"\n", ""
			}
			line = strings.TrimLeft(line+" "+word, " ")
		}
		s = wrapped + line
	}
	d.WriteString("\n" + s + "\n")
}

// Faults adds a section with the first most sentences about forfeited or stopped games and
// the number of others. Without sentences it adds nothing.
func (d *Document) Faults(sentences []string, most int) {
	n := len(sentences)
	if n == 0 {
		return
	}
	d.Section("Forfeited or stopped")
	for _, s := range sentences[:min(n, most)] {
		if d.markdown { // s may contain text from players
			s = "- `" + strings.ReplaceAll(s, "`", "'") + "`"
		}
		d.WriteString(s + "\n")
	}
	if n > most {
		fmt.Fprintf(d, "and %d more\n", n-most)
	}
}

// Table adds a table.
func (d *Document) Table(t Table) {
	if d.markdown {
		t.markdown(&d.Builder)
	} else {
		t.text(&d.Builder)
	}
}

// Print writes the finished document to w, with bold text in the form of the document.
func (d *Document) Print(w io.Writer) error {
	_, err := d.marks.WriteString(w, d.String())
	return err
}

// Marks around bold text in a document; [Document.Print] replaces them.
const (
	boldOn  = "\x01"
	boldOff = "\x02"
)

// Bold returns s between the marks for bold text.
func Bold(s string) string { return boldOn + s + boldOff }

// Table is a table of cells with a heading row.
type Table struct {
	Head []string
	Rows [][]string // each as long as Head
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

// width returns the number of terminal columns that the text occupies.
func width(s string) int {
	return utf8.RuneCountInString(s) - strings.Count(s, boldOn) - strings.Count(s, boldOff)
}

// text writes the table with spaces between the columns.
func (t Table) text(b *strings.Builder) {
	widths := make([]int, len(t.Head))
	all := append([][]string{t.Head}, t.Rows...)
	for _, row := range all {
		for i, c := range row {
			widths[i] = max(widths[i], width(c))
		}
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
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// markdown writes the table with pipes.
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

// Heading returns a title such as "circuitwars 7x7, 500ms a move". An empty board and a
// time of 0 are omitted.
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

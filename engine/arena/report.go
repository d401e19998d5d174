package arena

import (
	"io"
	"strings"
	"unicode/utf8"
)

// document is a report in the making, for a terminal or as Markdown.
type document struct {
	strings.Builder
	markdown bool
	marks    *strings.Replacer // writes bold text
}

// newText is a document for a terminal, with bold text if that has colours.
func newText(color bool) *document {
	on, off := "", ""
	if color {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	return &document{marks: strings.NewReplacer(boldOn, on, boldOff, off)}
}

// newMarkdown is a document in Markdown.
func newMarkdown() *document {
	return &document{markdown: true, marks: strings.NewReplacer(boldOn, "**", boldOff, "**")}
}

// title is the first line.
func (d *document) title(s string) {
	if d.markdown {
		s = "# " + s
	}
	d.WriteString(s + "\n")
}

// section begins a part of the document.
func (d *document) section(s string) {
	if d.markdown {
		s = "## " + s + "\n"
	} else {
		s = bold(s)
	}
	d.WriteString("\n" + s + "\n")
}

// paragraph is a line of its own.
func (d *document) paragraph(s string) { d.WriteString("\n" + s + "\n") }

// list writes sentences that players may have had a part in.
func (d *document) list(lines []string) {
	for _, s := range lines {
		if d.markdown {
			s = "- `" + strings.ReplaceAll(s, "`", "'") + "`"
		}
		d.WriteString(s + "\n")
	}
}

// table writes a layout.
func (d *document) table(l layout) {
	if d.markdown {
		l.markdown(&d.Builder)
	} else {
		l.text(&d.Builder)
	}
}

// write writes the finished document.
func (d *document) write(w io.Writer) error {
	_, err := d.marks.WriteString(w, d.String())
	return err
}

// Marks around bold text in a document; they have no width.
const (
	boldOn  = "\x01"
	boldOff = "\x02"
)

func bold(s string) string { return boldOn + s + boldOff }

// layout is a table of cells with a heading row.
type layout struct {
	head []string
	rows [][]string
	left int // the first so many columns are flush left, the others right
}

// width is how many columns of a terminal the text takes.
func width(s string) int {
	return utf8.RuneCountInString(s) - strings.Count(s, boldOn) - strings.Count(s, boldOff)
}

// text writes the table with spaces between the columns.
func (l layout) text(b *strings.Builder) {
	widths := make([]int, len(l.head))
	all := append([][]string{l.head}, l.rows...)
	for _, row := range all {
		for i, c := range row {
			widths[i] = max(widths[i], width(c))
		}
	}
	for _, row := range all {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", widths[i]-width(c))
			if i < l.left {
				line.WriteString(c + pad + "  ")
			} else {
				line.WriteString(pad + c + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// markdown writes the table with pipes.
func (l layout) markdown(b *strings.Builder) {
	escape := strings.NewReplacer("|", "\\|")
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + escape.Replace(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(l.head)
	rule := make([]string, len(l.head))
	for i := range rule {
		rule[i] = "---:"
		if i < l.left {
			rule[i] = ":---"
		}
	}
	line(rule)
	for _, r := range l.rows {
		line(r)
	}
}

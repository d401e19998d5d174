package arena

import (
	"strings"
	"unicode/utf8"
)

// Marks around bold text in a layout; they have no width.
const (
	boldOn  = "\x01"
	boldOff = "\x02"
)

func bold(s string) string { return boldOn + s + boldOff }

var (
	plainStyle    = strings.NewReplacer(boldOn, "", boldOff, "")
	terminalStyle = strings.NewReplacer(boldOn, "\x1b[1m", boldOff, "\x1b[0m")
	markdownStyle = strings.NewReplacer(boldOn, "**", boldOff, "**")
)

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

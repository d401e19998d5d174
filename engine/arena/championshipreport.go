package arena

import (
	"fmt"
	"io"
)

// legend explains the marks of ScoreText.
const legend = "The player named by the row moves first. ^ lost by timeout or not there any more, ! lost by an illegal move."

// standingsLayout is a group's table.
func standingsLayout(table []Standing) layout {
	l := layout{head: []string{"team", "#", "games", "won", "tied", "lost", "score", "ratio", "timeouts", "illegal", "bonus"}, left: 1}
	for _, s := range table {
		bonus := ""
		if s.Bonus != 0 {
			bonus = fmt.Sprint(s.Bonus)
		}
		l.rows = append(l.rows, []string{s.Team, fmt.Sprint(s.Place), fmt.Sprint(s.Played), fmt.Sprint(s.Won), fmt.Sprint(s.Tied), fmt.Sprint(s.Lost),
			fmt.Sprintf("%d:%d", s.For, s.Against), s.ratio(), fmt.Sprint(s.Timeouts), fmt.Sprint(s.Illegal), bonus})
	}
	return l
}

// crossLayout is a group's results, first player by row, second by column.
func crossLayout(g GroupOutcome) layout {
	l := layout{head: append([]string{"results"}, g.Teams...), left: 1}
	cells := map[[2]string]string{}
	for _, r := range g.Results {
		cells[r.Players] = ScoreText(r, bold)
	}
	for _, a := range g.Teams {
		row := []string{a}
		for _, b := range g.Teams {
			row = append(row, cells[[2]string{a, b}])
		}
		l.rows = append(l.rows, row)
	}
	return l
}

// knockoutLayout is a round of the knockout.
func knockoutLayout(round []Duel) layout {
	l := layout{head: []string{"duel", "first game", "", "second game", "", "goes on", "by"}, left: 7}
	for _, d := range round {
		row := []string{d.Name, d.Teams[0], "", "", "", d.Winner, d.Decided}
		if d.Teams[1] != "" {
			row[1], row[3] = d.Teams[0]+" - "+d.Teams[1], d.Teams[1]+" - "+d.Teams[0]
		}
		for i, g := range d.Games {
			if g != nil {
				row[2+2*i] = ScoreText(*g, bold)
			}
		}
		l.rows = append(l.rows, row)
	}
	return l
}

func roundTitle(duels int) string {
	switch duels {
	case 1:
		return "Final"
	case 2:
		return "Semifinals"
	case 4:
		return "Quarterfinals"
	}
	return fmt.Sprintf("Round of %d", 2*duels)
}

func bonusLayout(o Outcome) layout {
	l := layout{head: []string{"team", "group", "final", "bonus points"}, left: 1}
	for _, b := range o.Bonus {
		l.rows = append(l.rows, []string{b.Team, fmt.Sprint(b.Group), fmt.Sprint(b.Final), fmt.Sprint(b.Total)})
	}
	return l
}

// faultsTitle stands above the games that did not end by their last move.
const faultsTitle = "Lost by rule or stopped"

// faultLines has a line for each of them.
func faultLines(results []Result) []string {
	lines := []string{}
	for _, r := range results {
		if r.Fault != "" {
			lines = append(lines, r.ID+": "+r.Fault)
		}
	}
	return lines
}

// WriteText writes standings and results for a terminal.
func (o Outcome) WriteText(w io.Writer, color bool) error { return o.write(newText(color), w) }

// WriteMarkdown writes standings and results as Markdown.
func (o Outcome) WriteMarkdown(w io.Writer) error { return o.write(newMarkdown(), w) }

func (o Outcome) write(d *document, w io.Writer) error {
	d.title(fmt.Sprintf("%s, %d of %d games", playedTitle(o.Game, o.Board, o.TimeMS), o.Played, o.Games))
	for _, g := range o.Groups {
		d.section("Group " + g.Name)
		d.table(standingsLayout(g.Table))
		d.WriteString("\n")
		d.table(crossLayout(g))
	}
	d.paragraph(legend)
	for _, round := range o.Knockout {
		d.section(roundTitle(len(round)))
		d.table(knockoutLayout(round))
	}
	if o.Champion != "" {
		d.paragraph("The champion is " + bold(o.Champion) + ".")
	}
	if len(o.Bonus) > 0 {
		d.section("Bonus points")
		d.table(bonusLayout(o))
	}
	if faults := faultLines(o.results()); len(faults) > 0 {
		d.section(faultsTitle)
		d.list(faults)
	}
	return d.write(w)
}

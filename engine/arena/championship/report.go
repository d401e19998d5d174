package championship

import (
	"cmp"
	"fmt"
	"io"

	"endwise/engine/arena"
)

const legend = "The player named by the row moves first. ^ lost by timeout, crash or absence, ! lost by an illegal move."

func standingsTable(table []Standing) arena.Table {
	t := arena.Table{Left: 1, Head: []string{
		"team", "place", "games", "won", "tied", "lost", "score", "ratio", "forfeits", "illegal", "bonus",
	}}
	for _, s := range table {
		bonus := ""
		if s.Bonus != 0 {
			bonus = fmt.Sprint(s.Bonus)
		}
		score := fmt.Sprintf("%d:%d", s.For, s.Against)
		t.Add(s.Team, s.Place, s.Played, s.Won, s.Tied, s.Lost, score, s.RatioText(), s.Forfeits, s.Illegal, bonus)
	}
	return t
}

// crossTable returns the results of a group. The team of the row moved first.
func crossTable(g GroupOutcome) arena.Table {
	t := arena.Table{Head: append([]string{"results"}, g.Teams...), Left: 1}
	cells := map[[2]string]string{}
	for _, r := range g.Results {
		cells[r.Players] = ScoreText(r, arena.Bold)
	}
	for _, a := range g.Teams {
		row := []string{a}
		for _, b := range g.Teams {
			row = append(row, cells[[2]string{a, b}])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func knockoutTable(round []Duel) arena.Table {
	t := arena.Table{Head: []string{"duel", "first game", "", "second game", "", "winner", "by"}, Left: 7}
	for _, d := range round {
		row := []string{d.Name, d.Teams[0], "", "", "", d.Winner, d.Decided}
		if d.Teams[1] != "" {
			row[1], row[3] = d.Teams[0]+" - "+d.Teams[1], d.Teams[1]+" - "+d.Teams[0]
		}
		for i, g := range d.Games {
			if g != nil {
				row[2+2*i] = ScoreText(*g, arena.Bold)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
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

func bonusTable(o Outcome) arena.Table {
	t := arena.Table{Head: []string{"team", "for the group", "for the final", "bonus points"}, Left: 1}
	for _, b := range o.Bonus {
		t.Add(b.Team, b.Group, b.Final, b.Total)
	}
	return t
}

// WriteText writes the outcome for a terminal with the given number of columns, 0 for no limit;
// color turns on bold text.
func (o Outcome) WriteText(w io.Writer, color bool, columns int) error {
	return o.write(arena.NewText(color, columns), w)
}

func (o Outcome) WriteMarkdown(w io.Writer) error { return o.write(arena.NewMarkdown(), w) }

func (o Outcome) write(d *arena.Document, w io.Writer) error {
	heading := fmt.Sprintf("%s, %d of %s", arena.Heading(o.Game, o.Board, o.TimeMS), o.Played, arena.Count(o.Games, "game"))
	d.Title(cmp.Or(o.Title, heading))
	if o.Title != "" {
		d.Paragraph(heading)
	}
	for _, g := range o.Groups {
		d.Section("Group " + g.Name)
		d.Table(standingsTable(g.Table))
		if len(g.Results) < g.Games {
			games := arena.Count(g.Games, "game")
			d.Paragraph(fmt.Sprintf("%d of %s: ranked by points per game played, then by ratio.", len(g.Results), games))
		}
		if equal := g.EqualTeams(); equal != "" {
			d.Paragraph(equal)
		}
		d.WriteString("\n")
		d.Table(crossTable(g))
	}
	d.Paragraph(legend + " The column forfeits includes illegal.")
	for _, round := range o.Knockout {
		d.Section(roundTitle(DuelsOf(round[0].Name)))
		d.Table(knockoutTable(round))
	}
	if o.Champion != "" {
		d.Paragraph("The champion is " + arena.Bold(o.Champion) + ".")
	}
	if len(o.Bonus) > 0 {
		d.Section("Bonus points")
		d.Table(bonusTable(o))
	}
	d.Faults(arena.Faults(o.Results()))
	return d.Print(w)
}

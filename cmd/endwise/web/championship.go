package web

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/svg"
)

// Championship is the state of a championship, for a projector.
type Championship struct {
	Title   string
	Outcome championship.Outcome
	Running []RunningGame
	// Finished contains the results, the latest first.
	Finished []FinishedGame
	Reported []string  // IDs of the games in the report
	End      time.Time // the expected end, zero if unknown
}

// InReport reports whether the report contains a game.
func (c Championship) InReport(id string) bool { return slices.Contains(c.Reported, id) }

// FinishedGame is the result of a game.
type FinishedGame struct{ arena.Result }

// Text returns the result with a bold winner.
func (g FinishedGame) Text() template.HTML {
	names := [2]string{template.HTMLEscapeString(g.Players[0]), template.HTMLEscapeString(g.Players[1])}
	if g.Winner != engine.None {
		names[g.Winner-1] = "<b>" + names[g.Winner-1] + "</b>"
	}
	return template.HTML(names[0] + " " + answer.Score(g.Score, "–") + " " + names[1])
}

// RunningGame is a game in play. Before is the position before Position, nil if there is none;
// Since is the time from which Position is shown.
type RunningGame struct {
	ID               string
	Players          [2]string
	Before, Position engine.Position
	Since            time.Time
}

// Thinking returns the time since the last move, such as "5 s", or "" for less than a second.
func (g RunningGame) Thinking() string {
	if s := int(time.Since(g.Since).Seconds()); s > 0 && !g.Since.IsZero() {
		return fmt.Sprintf("%d s", s)
	}
	return ""
}

// Moves reports whether player i, 0 or 1, is to move.
func (g RunningGame) Moves(i int) bool {
	return !g.Position.Over() && g.Position.Turn() == engine.First+engine.Side(i)
}

// Heading returns the group or duel of a running game; of a duel also the number of the game and the
// result of the other one, if it is finished.
func (c Championship) Heading(g RunningGame) string {
	round := championship.RoundOf(g.ID, g.Players)
	text := capital(championship.InWords(round))
	for _, d := range slices.Concat(c.Outcome.Knockout...) {
		if d.Name != round || d.Teams[1] == "" {
			continue
		}
		text += fmt.Sprintf(", game %d of 2", 1+slices.Index(d.Teams[:], g.Players[0]))
		for _, f := range c.Finished {
			if championship.RoundOf(f.ID, f.Players) == round {
				text += fmt.Sprintf("; %s %s %s", f.Players[0], answer.Score(f.Score, "–"), f.Players[1])
			}
		}
	}
	return text
}

// Reason returns why a duel was won, if the scores do not show it.
func (c Championship) Reason(d championship.Duel) string {
	return map[string]string{"score ratio": "by the score ratio", "seed": "by the better seed", "bye": "bye"}[d.Decided]
}

// Podium returns the champion, the loser of the final and the losers of the semifinals, or without a
// knockout the first three places of each group. It is empty until all games are played.
func (c Championship) Podium() (places [3][]string) {
	if c.Outcome.Champion == "" {
		for _, g := range c.Outcome.Groups {
			for _, s := range g.Table {
				if s.Place <= len(places) && c.Outcome.Played == c.Outcome.Games && len(c.Outcome.Knockout) == 0 {
					places[s.Place-1] = append(places[s.Place-1], s.Team)
				}
			}
		}
		return places
	}
	places[0] = []string{c.Outcome.Champion}
	for _, d := range slices.Concat(c.Outcome.Knockout...) {
		place := 2
		if d.Name == "final" {
			place = 1
		} else if !strings.HasPrefix(d.Name, "semifinal") {
			continue
		}
		for _, team := range d.Teams {
			if team != "" && team != d.Winner {
				places[place] = append(places[place], team)
			}
		}
	}
	return places
}

// Final describes the final by its scores, the champion's first: "25–24 and 24–25 in the final, by the
// better seed".
func (c Championship) Final() string {
	for _, d := range slices.Concat(c.Outcome.Knockout...) {
		other := slices.Index(d.Teams[:], d.Winner) ^ 1
		if d.Name != "final" || d.Winner == "" || d.Games[1] == nil {
			continue
		}
		text := fmt.Sprintf("%s and %s in the final", duelScore(d.Games[0], other^1), duelScore(d.Games[1], other))
		if reason := c.Reason(d); reason != "" {
			text += ", " + reason
		}
		return text
	}
	return ""
}

// Bonus returns the bonus points of a team so far, "" without any.
func (c Championship) Bonus(team string) string {
	for _, b := range c.Outcome.Bonus {
		if b.Team == team {
			return fmt.Sprint(b.Total)
		}
	}
	return ""
}

// roundOf returns the name of a round of the knockout.
func roundOf(duels []championship.Duel) string {
	name, _, _ := strings.Cut(capital(championship.InWords(duels[0].Name)), ", ")
	if strings.HasPrefix(name, "Round") {
		return name
	}
	return strings.TrimRight(name, " 0123456789")
}

// duelScore returns the score of a game, that of its player i, 0 or 1, first.
func duelScore(g *arena.Result, i int) string {
	return answer.Score([2]int{points(g, 0, i), points(g, 1, i)}, "–")
}

// points returns the score that team 0 or 1 of a duel has in its game i, 0 or 1.
func points(g *arena.Result, team, i int) int { return g.Score[team^i] }

// Board draws the position and marks the last move.
func (g RunningGame) Board() template.HTML {
	var b strings.Builder
	pic := g.Position.Picture(nil, 0)
	if g.Before != nil {
		for _, m := range g.Before.Moves() {
			if p, err := g.Before.Play(m); err == nil && p.String() == g.Position.String() {
				pic = g.Position.Picture(g.Before, m)
			}
		}
	}
	fmt.Fprintf(&b, `<svg class="board small" viewBox="%s" role="img" aria-label="Board">`, svg.ViewBox(pic))
	svg.Write(&b, pic, nil)
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// Any reports which of the columns Tied, Forfeits and Bonus of a group's table are not empty.
func (c Championship) Any(table []championship.Standing) (any struct{ Tied, Forfeits, Bonus bool }) {
	for _, s := range table {
		any.Tied = any.Tied || s.Tied > 0
		any.Forfeits = any.Forfeits || s.Forfeits > 0
		any.Bonus = any.Bonus || s.Bonus > 0
	}
	return any
}

// Progress returns a line such as "3 of 12 games, ends about 14:30". The end is omitted if it is unknown
// or all games are played.
func (c Championship) Progress() string {
	text := fmt.Sprintf("%d of %s", c.Outcome.Played, answer.Count(c.Outcome.Games, "game"))
	if !c.End.IsZero() && c.Outcome.Played < c.Outcome.Games {
		text += ", ends about " + c.End.Format("15:04")
	}
	return text
}

// ChampionshipScript is the script of the page, championship.js.
//
//go:embed championship.js
var ChampionshipScript []byte

// Write writes the page. It loads championship.js from its own folder.
func (c Championship) Write(w io.Writer) error {
	css, err := styles("championship.css")
	if err != nil {
		return err
	}
	return reportTemplates.ExecuteTemplate(w, "championship", struct {
		CSS template.CSS
		Championship
	}{css, c})
}

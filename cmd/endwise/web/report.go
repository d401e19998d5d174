package web

import (
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strings"

	"endwise/book/analysis"
)

// Report is what WriteReport shows.
type Report struct {
	Games   []analysis.Analysis
	Summary analysis.Summary
	// Known are the games that Games may be of.
	Known Games
}

// reportGame is one game with the functions that the template calls.
type reportGame struct {
	analysis.Analysis
	game Game
	// Linked says that positions link to the explore page.
	Linked bool
}

var reportTemplates = template.Must(template.New("report").Funcs(template.FuncMap{
	"accuracy": func(p analysis.Player) string {
		if a, ok := p.Accuracy(); ok {
			return fmt.Sprintf("%.1f %%", 100*a)
		}
		return "–"
	},
	"truth": Truth,
	"loss":  Loss,
	"inc":   func(i int) int { return i + 1 },
}).ParseFS(files, "report.html"))

// WriteReport writes a page that needs nothing else: no script, no address.
func WriteReport(w io.Writer, r Report) error {
	css, err := files.ReadFile("style.css")
	if err != nil {
		return err
	}
	own, err := files.ReadFile("report.css")
	if err != nil {
		return err
	}
	var games []reportGame
	for _, g := range r.Games {
		games = append(games, reportGame{Analysis: g, game: r.Known.named(g.Game)})
	}
	return reportTemplates.ExecuteTemplate(w, "page", struct {
		CSS     template.CSS
		Summary analysis.Summary
		Games   []reportGame
	}{template.CSS(string(css) + string(own)), r.Summary, games})
}

// WriteGame writes one game's part of a report, for the analyse page.
func WriteGame(w io.Writer, known Games, g analysis.Analysis) error {
	return reportTemplates.ExecuteTemplate(w, "game", reportGame{Analysis: g, game: known.named(g.Game), Linked: true})
}

// Plot draws the evaluation.
func (g reportGame) Plot() template.HTML { return plotSVG(g.Analysis, g.game.Scored) }

// Board draws the position of a mistake.
func (g reportGame) Board(m analysis.Mistake) (template.HTML, error) {
	p, err := g.game.Parse(m.Position)
	if err != nil {
		return "", err
	}
	return g.game.boardSVG(p, m.Move, m.Better)
}

// Link is the explore page's address of a position.
func (g reportGame) Link(position string) string {
	return "/explore?" + url.Values{"game": {g.Game}, "position": {position}}.Encode()
}

// Player is the name of a side.
func (g reportGame) Player(side int) string { return g.Players[side-1].Name }

// Lost says what a mistake cost, in words.
func (g reportGame) Lost(n int, exact bool) string {
	what := fmt.Sprint(n)
	switch one, more := g.game.Unit, g.game.Units; {
	case one == "" && n == 2:
		what = "a win"
	case one == "":
		what = "half a win"
	case n == 1:
		what += " " + one
	default:
		what += " " + more
	}
	if !exact {
		what = "at least " + what
	}
	return what
}

// Verdict says where the game was decided.
func (g reportGame) Verdict() string { return Verdict(g.Analysis) }

// Verdict says in a sentence where a game was decided.
func Verdict(g analysis.Analysis) string {
	if g.FirstSolved == 0 {
		return "no part of the game was solved up to its end"
	}
	who := "it is a tie"
	if g.Expected != 0 {
		who = g.Players[g.Expected-1].Name + " wins"
	}
	s := fmt.Sprintf("solved from move %d on: with best play %s", g.FirstSolved, who)
	if g.Turned == 0 {
		return s + "; nothing after that changed it"
	}
	return s + fmt.Sprintf("; it turned last at move %d, by %s", g.Turned, g.Players[g.Moves[g.Turned-1].Player-1].Name)
}

// Truth writes what is known of a value: "+3", ">=+1", "<=+2", "about +4".
func Truth(t analysis.Truth) string {
	if v, ok := t.Exact(); ok {
		return fmt.Sprintf("%+d", v)
	}
	var parts []string
	if t.Lower != nil {
		parts = append(parts, fmt.Sprintf(">=%+d", *t.Lower))
	}
	if t.Upper != nil {
		parts = append(parts, fmt.Sprintf("<=%+d", *t.Upper))
	}
	if t.Estimate != nil {
		parts = append(parts, fmt.Sprintf("about %+d", *t.Estimate))
	}
	return strings.Join(parts, " ")
}

// Loss writes what a move gave up, "" where that is not known.
func Loss(m analysis.Move) string {
	switch {
	case m.GivesUp != nil:
		return fmt.Sprint(*m.GivesUp)
	case m.AtLeast != nil:
		return fmt.Sprintf("at least %d", *m.AtLeast)
	}
	return ""
}

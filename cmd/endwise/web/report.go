package web

import (
	"fmt"
	"html/template"
	"io"
	"net/url"

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
	Words Game // the game, which knows the words for its values
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
		games = append(games, reportGame{Analysis: g, Words: r.Known.Named(g.Game)})
	}
	return reportTemplates.ExecuteTemplate(w, "page", struct {
		CSS     template.CSS
		Summary analysis.Summary
		Words   Game
		Games   []reportGame
	}{template.CSS(string(css) + string(own)), r.Summary, r.Known.Together(r.Games), games})
}

// WriteGame writes one game's part of a report, for the analyse page.
func WriteGame(w io.Writer, known Games, g analysis.Analysis) error {
	return reportTemplates.ExecuteTemplate(w, "game", reportGame{Analysis: g, Words: known.Named(g.Game), Linked: true})
}

// Plot draws the evaluation.
func (g reportGame) Plot() template.HTML { return plotSVG(g.Analysis, g.Words) }

// Board draws the position of a mistake, with the move that was played and the
// better one.
func (g reportGame) Board(m analysis.Mistake) (template.HTML, error) {
	p, err := g.Words.Parse(m.Position)
	if err != nil {
		return "", err
	}
	v, err := g.Words.view(p, nil, 0)
	if err != nil {
		return "", err
	}
	classes := map[string]string{m.Move: "bad", m.Better: "better"}
	title := template.HTMLEscapeString(fmt.Sprintf("Board: player %d to move; played %s, better %s", v.Turn, m.Move, m.Better))
	b := boardSVG{cell: 20, margin: 12, label: 5, class: func(move string) string { return classes[move] }}
	width, height, places, drawn := b.draw(v.Drawing)
	if !drawn {
		return template.HTML(fmt.Sprintf(`<pre class="board small" role="img" aria-label="%s">%s</pre>`, title, template.HTMLEscapeString(v.Text))), nil
	}
	for _, move := range []string{m.Move, m.Better} {
		if at, ok := places[move]; ok && v.Squares != nil {
			b.arrow(classes[move], at)
			fmt.Fprintf(&b, `<circle class="%s ends" cx="%d" cy="%d" r="4"/>`, classes[move], at.x, at.y)
		}
	}
	return template.HTML(fmt.Sprintf(`<svg class="board small" viewBox="0 0 %d %d" role="img" aria-label="%s">%s</svg>`, width, height, title, b.String())), nil
}

// Link is the explore page's address of a position.
func (g reportGame) Link(position string) string {
	return "/explore?" + url.Values{"game": {g.Game}, "position": {position}}.Encode()
}

// Player is the name of a side.
func (g reportGame) Player(side int) string { return g.Players[side-1].Name }

// Result says who played and how it ended.
func (g reportGame) Result() string { return g.Words.Result(g.Analysis, "–") }

// Verdict says where the game was decided.
func (g reportGame) Verdict() string { return Verdict(g.Analysis) }

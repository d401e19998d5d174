package web

import (
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strings"

	"endwise/book/analysis"
	"endwise/engine"
	"endwise/engine/svg"
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
	css := svg.Style
	for _, name := range []string{"style.css", "report.css"} {
		more, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		css += string(more)
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
	}{template.CSS(css), r.Summary, r.Known.Together(r.Games), games})
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
	title := template.HTMLEscapeString(fmt.Sprintf("Board: player %d to move; played %s, better %s", p.Turn(), m.Move, m.Better))
	var b strings.Builder
	drawn, ok := p.(engine.Pictured)
	if !ok {
		err := p.Draw(&b, engine.DrawStyle{})
		return template.HTML(fmt.Sprintf(`<pre class="board small" role="img" aria-label="%s">%s</pre>`, title, template.HTMLEscapeString(b.String()))), err
	}
	pic := drawn.Picture(nil, 0)
	fmt.Fprintf(&b, `<svg class="board small" viewBox="%s" role="img" aria-label="%s">`, svg.ViewBox(pic), title)
	svg.Write(&b, pic, map[string]svg.Mark{m.Move: {Class: "bad"}, m.Better: {Class: "better"}})
	b.WriteString("</svg>")
	return template.HTML(b.String()), nil
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

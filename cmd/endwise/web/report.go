package web

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"endwise/book/analysis"
	"endwise/book/why"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/svg"
)

// reportGame is one game with the functions that the template calls.
type reportGame struct {
	analysis.Analysis
	Words Game // words for the game's values
}

var reportTemplates = template.Must(template.New("report").Funcs(template.FuncMap{
	"accuracy": func(p analysis.Player) string {
		if a, ok := p.Accuracy(); ok {
			return fmt.Sprintf("%.1f %%", 100*a)
		}
		return "–"
	},
	"count":   answer.Count,
	"digits":  answer.Digits[int],
	"verdict": answer.Verdict, "result": func(a analysis.Analysis) string { return answer.Result(a, "–") }, "score": func(s [2]int) string { return answer.Score(s, "–") },
}).ParseFS(files, "report.html"))

// WriteReport writes a self-contained page of analyses, without scripts and external
// addresses.
func (all Games) WriteReport(w io.Writer, analyses []analysis.Analysis, summary analysis.Summary) error {
	css := svg.Style
	for _, name := range []string{"style.css", "report.css"} {
		more, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		css += string(more)
	}
	var games []reportGame
	for _, a := range analyses {
		games = append(games, reportGame{Analysis: a, Words: all.Named(a.Game)})
	}
	return reportTemplates.ExecuteTemplate(w, "page", struct {
		CSS     template.CSS
		Summary analysis.Summary
		Words   Game
		Games   []reportGame
	}{template.CSS(css), summary, all.Together(analyses), games})
}

// Together returns the game whose words describe the sums of several analyses: one with
// scores if there is one.
func (all Games) Together(analyses []analysis.Analysis) Game {
	var out Game
	for i, a := range analyses {
		if g := all.Named(a.Game); i == 0 || g.Unit != "" {
			out = g
		}
	}
	return out
}

// Plot draws the evaluation.
func (g reportGame) Plot() template.HTML { return template.HTML(g.Words.Plot(g.Analysis)) }

// Board draws the position of a mistake, with the move that was played and the better one.
func (g reportGame) Board(m analysis.Mistake) (template.HTML, error) {
	p, err := g.Words.Parse(m.Position)
	if err != nil {
		return "", err
	}
	title := template.HTMLEscapeString(fmt.Sprintf("Board: player %d to move; played %s, better %s", p.Turn(), m.Move, m.Better))
	var b strings.Builder
	pic := p.Picture(nil, 0)
	fmt.Fprintf(&b, `<svg class="board small" viewBox="%s" role="img" aria-label="%s">`, svg.ViewBox(pic), title)
	svg.Write(&b, pic, map[string]svg.Mark{m.Move: {Class: "bad"}, m.Better: {Class: "better"}})
	b.WriteString("</svg>")
	return template.HTML(b.String()), nil
}

// Why compares a mistake with the better move.
func (g reportGame) Why(m analysis.Mistake) []why.Reason { return g.Moves[m.Ply-1].Why }

// Player returns the name of a side.
func (g reportGame) Player(side int) string { return g.Players[side-1].Name }

package web

import (
	"fmt"
	"html/template"
	"io"
	"strings"

	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/svg"
)

// Championship is the state of a championship, for a projector.
type Championship struct {
	Outcome championship.Outcome
	Running []RunningGame
	// Finished contains the results of this run, the last first.
	Finished []arena.Result
}

// RunningGame is a game in play.
type RunningGame struct {
	ID       string
	Players  [2]string
	Position engine.Position
}

// Score returns the scores of both players.
func (g RunningGame) Score() []int { s := g.Position.Score(); return s[:] }

// Board draws the position.
func (g RunningGame) Board() template.HTML {
	var b strings.Builder
	pic := g.Position.Picture(nil, 0)
	fmt.Fprintf(&b, `<svg class="board small" viewBox="%s" role="img" aria-label="Board">`, svg.ViewBox(pic))
	svg.Write(&b, pic, nil)
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// Title returns what is played, and how much of it.
func (c Championship) Title() string {
	return fmt.Sprintf("%s, %d of %s", arena.Heading(c.Outcome.Game, c.Outcome.Board, c.Outcome.TimeMS), c.Outcome.Played, answer.Count(c.Outcome.Games, "game"))
}

// Write writes the page.
func (c Championship) Write(w io.Writer) error {
	css, err := styles()
	if err != nil {
		return err
	}
	return reportTemplates.ExecuteTemplate(w, "championship", struct {
		CSS template.CSS
		Championship
	}{css, c})
}

package web

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"

	"endwise/book/analysis"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/svg"
)

// reportGame is one game with the functions that the template calls.
type reportGame struct {
	analysis.Analysis
	Words Game // words for the game's values
	Alone bool // the report contains no other game
	// ID is the name, made unique in the report by Number, the index of the game.
	Number int
	ID     string
	boards *drawings
}

var (
	separators = regexp.MustCompile(`[_-]`)
	longWords  = regexp.MustCompile(`[^_-]{21,}`)
	syllables  = regexp.MustCompile(`.{7}`)
)

// breakable returns a name that may be broken after _ and -, and inside words of more than 20 letters.
func breakable(name string) template.HTML {
	name = longWords.ReplaceAllStringFunc(name, func(word string) string { return syllables.ReplaceAllString(word, "$0\n") })
	name = separators.ReplaceAllString(name, "$0\n")
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "\n", "<wbr>"))
}

var reportTemplates = template.Must(template.New("report").Funcs(template.FuncMap{
	"accuracy": func(p analysis.Player) string {
		if a, ok := p.Accuracy(); ok {
			return fmt.Sprintf("%.0f %%", math.Round(100*a)) // a half is rounded up
		}
		return "too few"
	},
	"count":   answer.Count,
	"points":  points,
	"roundOf": roundOf,

	"minus":     func(value string) string { return strings.ReplaceAll(value, "-", "−") },
	"costliest": costliestOf,
	"largest":   byLargestMistake,
	"inc":       func(i int) int { return i + 1 },
	"name":      breakable,
	"capital":   capital,
	"digits":    engine.Digits[int],
	"fault":     answer.Fault,
	"result":    func(a analysis.Analysis) string { return answer.Result(a, "–") },
	"score":     func(s [2]int) string { return answer.Score(s, "–") },
}).ParseFS(files, "report.html", "championship.html"))

// capital returns s with a capital first letter; s must not be empty.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Report is a page that needs no other file. It contains at least one analysis; all have the same rules.
type Report struct {
	Title     string
	Standings string // address of the championship, "" without one
	Games     []analysis.Analysis
	Limits    analysis.Limits // of the analyses
	Summary   analysis.Summary
	Exercises []analysis.Exercise
}

// Forfeits reports whether a player forfeited a game.
func (r Report) Forfeits() bool {
	return slices.ContainsFunc(r.Summary.Players, func(p analysis.Standing) bool { return p.Forfeits > 0 })
}

// mistake is a mistake with its game.
type mistake struct {
	Game reportGame
	analysis.Mistake
}

const (
	costliest      = 3 // maximum number of mistakes shown per player
	exercisesShown = 6 // maximum number of exercises shown per difficulty
)

// shownExercise is an exercise with the words for its game.
type shownExercise struct {
	Words Game
	analysis.Exercise
	boards *drawings
}

// section is a part of a page: the exercises of one difficulty, or those on one sheet.
type section struct {
	Title     string
	Exercises []shownExercise
}

// reportScript is the script of a report, which the policy of the page allows by its digest.
//
//go:embed report.js
var reportScript string

// script is reportScript, and the source that the policy of the page allows.
type script struct {
	Script  template.JS
	Allowed string
}

func newScript() script {
	digest := sha256.Sum256([]byte(reportScript))
	return script{template.JS(reportScript), fmt.Sprintf("'sha256-%s'", base64.StdEncoding.EncodeToString(digest[:]))}
}

// WriteReport writes a report as a self-contained page. Its boards and texts need no script; with
// report.js the games can be stepped through. The report on one game draws its largest mistakes; the
// report on several games draws each player's costliest mistakes and some exercises.
func (all Games) WriteReport(w io.Writer, r Report) error {
	css, err := styles()
	if err != nil {
		return err
	}
	boards := &drawings{numbers: map[marked]int{}}
	var games []reportGame
	ids := map[string]bool{}
	r.Games = slices.Clone(r.Games)
	slices.SortStableFunc(r.Games, func(x, y analysis.Analysis) int {
		return cmp.Or(cmp.Compare(y.Duels(), x.Duels()), cmp.Compare(x.Number(), y.Number()))
	})
	for i, a := range r.Games {
		id := a.Name
		if ids[id] {
			id = fmt.Sprintf("%s %d", id, i)
		}
		ids[id] = true
		games = append(games, reportGame{Analysis: a, Words: all.Named(a.Game), Alone: len(r.Games) == 1, Number: i, ID: id, boards: boards})
	}
	var sections []section
	for _, difficulty := range analysis.Difficulties {
		var shown []shownExercise
		for _, e := range inTurn(r.Exercises, difficulty) {
			shown = append(shown, shownExercise{all.Named(e.Game), e, boards})
		}
		if len(shown) > 0 {
			sections = append(sections, section{difficulty, shown})
		}
	}
	return reportTemplates.ExecuteTemplate(w, "page", struct {
		CSS template.CSS
		Report
		Words    Game
		Games    []reportGame
		Sections []section
		*drawings
		script
	}{css, r, all.Named(r.Games[0].Game), games, sections, boards, newScript()})
}

// inTurn returns at most exercisesShown exercises of a difficulty, one of each player in turn.
func inTurn(exercises []analysis.Exercise, difficulty string) []analysis.Exercise {
	rank := map[string]int{}   // by position: the exercise's number among those of its player
	number := map[string]int{} // by player: the number of exercises so far
	exercises = slices.DeleteFunc(slices.Clone(exercises), func(e analysis.Exercise) bool { return e.Difficulty != difficulty })
	for _, e := range exercises {
		number[e.By]++
		rank[e.Position] = number[e.By]
	}
	slices.SortStableFunc(exercises, func(x, y analysis.Exercise) int { return cmp.Compare(rank[x.Position], rank[y.Position]) })
	return exercises[:min(len(exercises), exercisesShown)]
}

// onSheet is the maximum number of exercises on a printed page.
const onSheet = 6

// WriteExercises writes exercises as an HTML page: for each player the exercises from its own largest
// mistakes, folded on a screen like each solution, and on paper a sheet with the solutions overleaf. It
// returns the number of exercises on all sheets.
func (all Games) WriteExercises(w io.Writer, r Report) (number int, err error) {
	css, err := styles()
	if err != nil {
		return 0, err
	}
	boards := &drawings{numbers: map[marked]int{}}
	var names []string
	own := map[string][]shownExercise{}
	for _, e := range r.Exercises {
		if own[e.By] == nil {
			names = append(names, e.By)
		}
		own[e.By] = append(own[e.By], shownExercise{all.Named(e.Game), e, boards})
	}
	slices.Sort(names)
	var sheets []section
	for _, name := range names {
		sheets = append(sheets, section{name, largest(own[name])})
		number += len(sheets[len(sheets)-1].Exercises)
	}
	return number, reportTemplates.ExecuteTemplate(w, "exercises", struct {
		CSS template.CSS
		Report
		Sheets []section
		*drawings
		script
	}{css, r, sheets, boards, newScript()})
}

// largest returns as many exercises as a sheet holds, in the order of the given ones. It takes one exercise of
// each difficulty in turn, those from larger mistakes first.
func largest(exercises []shownExercise) []shownExercise {
	graded := map[string]int{} // by From: the place of the exercise in the given order, which is by difficulty
	for i, e := range exercises {
		graded[e.From] = i
	}
	slices.SortStableFunc(exercises, func(x, y shownExercise) int { return cmp.Compare(y.Loss, x.Loss) })
	of := map[string][]shownExercise{}
	for _, e := range exercises {
		of[e.Difficulty] = append(of[e.Difficulty], e)
	}
	var chosen []shownExercise
	for rank := range exercises {
		for _, difficulty := range analysis.Difficulties {
			if rank < len(of[difficulty]) && len(chosen) < onSheet {
				chosen = append(chosen, of[difficulty][rank])
			}
		}
	}
	slices.SortFunc(chosen, func(x, y shownExercise) int { return cmp.Compare(graded[x.From], graded[y.From]) })
	return chosen
}

// styles returns the style sheets of boards, pages and reports, and those in more, in one text.
func styles(more ...string) (template.CSS, error) {
	css := svg.Style
	for _, name := range append([]string{"style.css", "report.css"}, more...) {
		text, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		css += string(text)
	}
	return template.CSS(css), nil
}

// Plot draws the expected result after each move, as SVG.
func (g reportGame) Plot() template.HTML {
	return template.HTML(g.Words.Plot(g.Analysis, answer.PlotWidth))
}

// Film returns the game for report.js.
func (g reportGame) Film() (string, error) { return g.boards.film(g.Words, g.Analysis) }

// At returns the number of moves before the position that is shown first: the one before the turning
// point, or else before the likely mistake that decided the game, or the largest mistake, or else the last one.
func (g reportGame) At() int {
	switch {
	case g.Turned > 0:
		return g.Turned - 1
	case g.Decisive != nil:
		return g.Decisive.Ply - 1
	case len(g.Worst) > 0:
		return g.Worst[0].Ply - 1
	}
	return len(g.Analysis.Moves)
}

// Mistakes returns the moves with a proved loss in the order of play. The field Only is true at most
// for mistakes in Worst. Errors are those of the start and of illegal moves.
func (g reportGame) Mistakes() (out []mistake, err error) {
	p, err := g.Words.Parse(g.Start)
	for _, m := range g.Analysis.Moves {
		if err != nil {
			return nil, err
		}
		if m.ProvedLoss() > 0 {
			only := slices.ContainsFunc(g.Worst, func(w analysis.Mistake) bool { return w.Ply == m.Ply && w.Only })
			out = append(out, mistake{g, analysis.Mistake{
				Ply: m.Ply, Player: m.Player, Position: p.String(), Move: m.Move, Better: m.Best, Loss: m.ProvedLoss(), Exact: m.Loss != nil, Only: only,
			}})
		}
		var played engine.Move
		if played, err = p.ParseMove(m.Move); err == nil {
			p, err = p.Play(played)
		}
	}
	return out, err
}

// Largest returns the largest mistakes of the game, with their positions.
func (g reportGame) Largest() (out []mistake) {
	for _, m := range g.Worst {
		out = append(out, mistake{g, m})
	}
	return out
}

// costliestOf returns the costliest mistakes of a player in several games, the costliest first. Of
// mistakes that are close to each other in a game ([analysis.Near]), it returns only the costliest.
func costliestOf(games []reportGame, player string) (out []mistake) {
	for _, g := range games {
		for _, m := range g.Largest() {
			if g.Player(m.Player) == player {
				out = append(out, m)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y mistake) int { return cmp.Compare(y.Loss, x.Loss) })
	var kept []mistake
	for _, m := range out {
		near := func(k mistake) bool { return k.Game.Name == m.Game.Name && analysis.Near(k.Ply, m.Ply) }
		if len(kept) < costliest && !slices.ContainsFunc(kept, near) {
			kept = append(kept, m)
		}
	}
	return kept
}

// byLargestMistake returns the players in the order of their largest mistakes, the largest first.
func byLargestMistake(players []analysis.Standing) []analysis.Standing {
	sorted := slices.Clone(players)
	slices.SortStableFunc(sorted, func(x, y analysis.Standing) int { return cmp.Compare(y.WorstLoss, x.WorstLoss) })
	return sorted
}

// Board draws the position of the mistake, with the move that was played and the better one.
func (m mistake) Board() (template.HTML, error) {
	words := fmt.Sprintf("; played %s, better %s", m.Move, m.Better)
	return m.Game.boards.board(m.Game.Words, m.Position, words, mistakeMarks(m.Move, m.Better))
}

// Why compares the mistake with the better move in sentences, with the names of the players.
func (m mistake) Why() string {
	var texts []string
	for _, r := range m.Game.Moves[m.Ply-1].Why {
		texts = append(texts, r.Text)
	}
	return m.Game.Words.WithNames(strings.Join(texts, " "), [2]string{m.Game.Player(1), m.Game.Player(2)})
}

// By returns the name of the player who made the mistake.
func (m mistake) By() string { return m.Game.Player(m.Player) }

// Board draws the position of the exercise.
func (e shownExercise) Board() (template.HTML, error) {
	return e.boards.board(e.Words, e.Position, "", nil)
}

// Solution draws the position of the exercise with its answer.
func (e shownExercise) Solution() (template.HTML, error) {
	return e.boards.board(e.Words, e.Position, "; the answer is "+e.Answer, map[string]svg.Mark{e.Answer: {Class: "better"}})
}

// Spoken returns the place of the answer in words, "" if the board does not name it.
func (e shownExercise) Spoken() (string, error) {
	p, err := e.Words.Parse(e.Position)
	if err != nil {
		return "", err
	}
	var column, row int
	var side string
	if n, _ := fmt.Sscanf(strings.ReplaceAll(e.Answer, ",", " "), "%d %d %s", &column, &row, &side); n == 3 {
		place := map[string]string{"top": "above", "bottom": "below", "left": "to the left of", "right": "to the right of"}[side]
		return fmt.Sprintf("%s the square in row %d, column %d", place, row, column), nil
	}
	for _, s := range p.Picture(nil, 0).Shapes {
		if s.Move == e.Answer && s.Name != "" && s.Kind != engine.Arrow {
			return "the " + s.Name, nil
		}
	}
	return "", nil
}

// Side returns the name of the side to move.
func (e shownExercise) Side() (string, error) {
	p, err := e.Words.Parse(e.Position)
	if err != nil {
		return "", err
	}
	return e.Words.Sides[p.Turn()-1], nil
}

// Player returns the name of the player on side 1 or 2.
func (g reportGame) Player(side int) string { return g.Players[side-1].Name }

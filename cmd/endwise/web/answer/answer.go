// Package answer answers the requests of the pages (ask.js): over HTTP for `endwise serve`,
// and in a worker of the browser for the static site. With `endwise serve`, lookups are
// answered by package remote instead, for pages and programs alike. The package imports no
// network and no templates, to keep the browser's program small.
package answer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/why"
	"endwise/engine"
	"endwise/engine/levels"
)

// Limits of requests.
const (
	// analysisTime is the time per position of an analysis on the page, analysisTotal the
	// time for the whole analysis.
	analysisTime  = 500 * time.Millisecond
	analysisTotal = 2 * time.Minute
	// maxAnalyses is the maximum number of concurrent analyses.
	maxAnalyses = 2
	// exerciseTime is the time limit for solving a position while generating an exercise,
	// exerciseTotal the limit for the exercise. Positions near the end take milliseconds.
	// The limits are generous, so that the exercise of a seed is the same on slow machines.
	exerciseTime  = 5 * time.Second
	exerciseTotal = 20 * time.Second
)

// Game describes a game for answers.
type Game struct {
	analysis.Rules
	// Points is the unit of estimates in a game without scores: "pieces". An estimate of 100 is
	// one unit.
	Points string
	// NearEnd returns a position near the end of a game, for exercises; nil if playing from
	// the first position reaches the end soon.
	NearEnd func(*rand.Rand) engine.Position
	// TooEarly returns a sentence if a proof of a position's value within a minute is unlikely,
	// else ""; nil means that it is never unlikely.
	TooEarly func(engine.Position) string
	// Readers read the game's records, except lists of moves; its own formats come first.
	Readers []analysis.Reader
}

// NewGame returns a Game with what follows from its rules.
func NewGame(g engine.Game) Game {
	out := Game{Rules: analysis.Rules{Game: g, EstimateScale: 1}, Readers: []analysis.Reader{analysis.PlainReader(g)}}
	if c, ok := g.(engine.Counted); ok {
		out.Scored = true
		out.Unit, out.Units = c.Unit()
	}
	return out
}

// Handler answers requests and stores nothing about clients.
type Handler struct {
	Games []Game
	// Lookups and Analyses evaluate positions for moves and for analyses.
	Lookups, Analyses analysis.Decider
	// MaxTime is the maximum time that a request may specify.
	MaxTime time.Duration
	// Exercises are prepared exercises, in addition to generated ones.
	Exercises []analysis.Exercise

	analysing chan struct{}
}

// NewHandler returns a handler with the exported fields of d.
func NewHandler(d Handler) *Handler {
	d.analysing = make(chan struct{}, maxAnalyses)
	return &d
}

// Question is one request.
type Question struct {
	What   string                   // the path, such as "GAME/view"
	Params func(name string) string // returns a parameter, "" if it is missing
	Body   string                   // a position or a record
}

// Refusal is an error that is reported to the client.
type Refusal struct {
	Status int // HTTP status: bad request, not found, or try again later
	error
}

const wrongStatus, unknownStatus, busyStatus = 400, 404, 503

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.error }

// wrong returns a refusal of a malformed request, with the cause err.
func wrong(err error) error { return &Refusal{wrongStatus, err} }

// Answer answers a question with a value to be encoded as JSON. It calls update with
// intermediate results. Errors other than [Refusal] are internal or come from ctx.
//
//	GAME/view      a position as the pages draw it; parameters moves, board (without a position),
//	               notation (for a text in place of the drawing)
//	GAME/lookup    a decision; parameters time, moves (best or all), play
//	GAME/why       the reasons for a position's value, or what the move played has changed;
//	               parameters time (of each lookup), played
//	GAME/choose    the move of a level or the engine; parameters time, player
//	GAME/exercise  a position with one move that keeps the result, if generated a win; parameters seed, board,
//	               difficulty, from (class for a prepared exercise), by (the player whose
//	               mistakes to use)
//	analysis       the analysis of a game record; parameters name, width (of the plot)
func (d *Handler) Answer(ctx context.Context, q Question, update func(any)) (any, error) {
	name, what, _ := strings.Cut(q.What, "/")
	if q.What == "analysis" {
		return d.analyse(ctx, q, update)
	}
	i := slices.IndexFunc(d.Games, func(g Game) bool { return g.Name() == name })
	ask := map[string]func(context.Context, Game, Question, func(any)) (any, error){
		"view": d.view, "lookup": d.look, "why": d.explain, "choose": d.choose, "exercise": d.exercise,
	}[what]
	switch {
	case ask == nil:
		return nil, &Refusal{unknownStatus, errors.New("no such path; the pages are at /, lookups at /v1/GAME/lookup")}
	case i < 0:
		return nil, &Refusal{unknownStatus, fmt.Errorf("unknown game %.40q", name)}
	}
	return ask(ctx, d.Games[i], q, update)
}

// Written is a game or position in the requested notation.
type Written struct {
	Text string `json:"text"`
}

// view answers with a position, by default the board's first one, after the given moves,
// separated by semicolons. With a notation it answers with the game as text.
func (d *Handler) view(_ context.Context, g Game, q Question, _ func(any)) (any, error) {
	var start, p engine.Position
	var played []engine.Move
	var err error
	if q.Body != "" {
		start, played, err = g.ReadGame(q.Body)
	} else {
		start, err = g.Start(q.Params("board"))
	}
	if err == nil {
		p, err = engine.PlayAll(start, played)
	}
	var before engine.Position
	var last engine.Move
	for _, text := range strings.Split(q.Params("moves"), ";") {
		if text = strings.TrimSpace(text); text == "" || err != nil {
			continue
		}
		before = p
		if last, err = p.ParseMove(text); err == nil {
			p, err = p.Play(last)
			played = append(played, last)
		}
	}
	if notation := q.Params("notation"); notation != "" && err == nil {
		var out Written
		if out.Text, err = g.Write(notation, start, played); err == nil {
			return out, nil
		}
	}
	if err != nil {
		return nil, wrong(err)
	}
	v := g.View(p, before, last)
	if q.Params("moves") == "" && len(played) > 0 {
		v.Start = start.String()
		for _, m := range played {
			v.Played = append(v.Played, start.MoveString(m))
			start, _ = start.Play(m) // legal: it was played above
		}
	}
	return v, nil
}

// look answers with an evaluation of a position; update is called with weaker evaluations
// before it. The answer for a finished game has no move. Only the static site uses it.
func (d *Handler) look(ctx context.Context, g Game, q Question, update func(any)) (any, error) {
	asked, err := book.ReadQuestion(g.Game, q.Body, q.Params, d.MaxTime)
	if err != nil {
		return nil, wrong(err)
	}
	asked.Improved = func(d engine.Decision) { update(d) }
	decided, err := d.Lookups.Decide(ctx, asked)
	if errors.Is(err, engine.ErrGameOver) {
		err = nil
	}
	return decided, err
}

// Explained contains the reasons for the value of a position, or what a move changed.
type Explained struct {
	Why []why.Reason `json:"why"`
}

// explain answers with the reasons for the value of a position, or with what the move
// played changed compared with the best one.
func (d *Handler) explain(ctx context.Context, g Game, q Question, _ func(any)) (any, error) {
	asked, err := book.ReadQuestion(g.Game, q.Body, q.Params, d.MaxTime)
	if err != nil {
		return nil, wrong(err)
	}
	left, _ := asked.Clock.Remaining()
	// The position and the one after the move played are each evaluated for left at most.
	ctx, cancel := context.WithTimeout(ctx, 2*left+time.Second)
	defer cancel()
	solve := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		return d.Lookups.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(left), AllMoves: true})
	}
	decided, err := solve(ctx, asked.Position)
	if err != nil && !errors.Is(err, engine.ErrGameOver) {
		return nil, err
	}
	out := Explained{}
	played := q.Params("played")
	if played == "" {
		out.Why, err = why.Position(ctx, asked.Position, decided, solve)
		return out, err
	}
	if _, err := engine.PlayText(asked.Position, played); err != nil {
		return nil, wrong(err)
	}
	out.Why, err = why.Played(ctx, asked.Position, decided, played, solve)
	return out, err
}

// choose answers with the move of a level (player=level1 and so on) or of the engine
// (player=engine).
func (d *Handler) choose(ctx context.Context, g Game, q Question, _ func(any)) (any, error) {
	asked, err := book.ReadQuestion(g.Game, q.Body, q.Params, d.MaxTime)
	if err == nil && asked.Position.Over() {
		err = engine.ErrGameOver
	}
	if err != nil {
		return nil, wrong(err)
	}
	left, _ := asked.Clock.Remaining()
	ctx, cancel := context.WithTimeout(ctx, left+time.Second)
	defer cancel()
	player := q.Params("player")
	if player == "engine" {
		asked.Play = true
		return d.Lookups.Decide(ctx, asked)
	}
	if l, ok := levels.Named(g.Name(), player, rand.Uint64()); ok {
		return l.Choose(ctx, asked.Position, asked.Clock)
	}
	return nil, wrong(fmt.Errorf("player=%.40s: want engine, %s", player, levels.Wanted(g.Name())))
}

// Prepared is a prepared exercise: the one with the given Number, from 1 to Of.
type Prepared struct {
	analysis.Exercise
	Number int `json:"number"`
	Of     int `json:"of"`
}

// PreparedExercises returns the prepared exercises of a game in their order: those whose By is by, or
// all if by is "".
func (d *Handler) PreparedExercises(game, by string) []analysis.Exercise {
	var prepared []analysis.Exercise
	for _, e := range d.Exercises {
		if e.Game == game && (by == "" || e.By == by) {
			prepared = append(prepared, e)
		}
	}
	return prepared
}

// exercise answers with a prepared or a generated exercise. With the same parameters it is the same
// one.
func (d *Handler) exercise(ctx context.Context, g Game, q Question, _ func(any)) (any, error) {
	seed, err := strconv.ParseUint(q.Params("seed"), 10, 64)
	if err != nil {
		return nil, wrong(fmt.Errorf("seed=%.40s: want a number from 0", q.Params("seed")))
	}
	if q.Params("from") == "class" {
		by := q.Params("by")
		prepared := d.PreparedExercises(g.Name(), by)
		if len(prepared) == 0 && by != "" {
			return nil, wrong(fmt.Errorf("no exercises from mistakes of %.40s", by))
		}
		if len(prepared) == 0 {
			return nil, wrong(errors.New("no exercises of a class: start the server with --exercises"))
		}
		n := int(seed % uint64(len(prepared)))
		return Prepared{prepared[n], n + 1, len(prepared)}, nil
	}
	difficulty := q.Params("difficulty")
	rank := slices.Index(analysis.Difficulties, difficulty)
	if difficulty != "" && rank < 0 {
		return nil, wrong(fmt.Errorf("difficulty=%.40s: want %s", difficulty, strings.Join(analysis.Difficulties, ", ")))
	}
	start, err := g.Start(q.Params("board"))
	if err != nil {
		return nil, wrong(err)
	}
	o := analysis.ExerciseOptions{
		Rules: g.Rules, Start: func(*rand.Rand) engine.Position { return start }, Lookup: d.Lookups,
		Time: exerciseTime, Seed: seed, Difficulty: difficulty,
		MinMoves: 6, MaxMoves: 10 + 4*max(rank, 0), // positions with so few moves are solved soon
	}
	if g.NearEnd != nil {
		o.Start, o.MinMoves, o.MaxMoves = g.NearEnd, 2, 40
	}
	for i := range o.Players {
		if o.Players[i], err = levels.New(2, seed+uint64(i)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, exerciseTotal)
	defer cancel()
	return analysis.MakeExercise(ctx, o)
}

// Progress is the progress of an analysis in positions.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// Analysed is the answer to a record.
type Analysed struct {
	Analysis  analysis.Analysis   `json:"analysis"`
	Result    string              `json:"result"`             // players and score
	Plot      string              `json:"plot"`               // the evaluation, as SVG
	Decisive  string              `json:"decisive,omitempty"` // Analysis.Proved and Analysis.Decisive in words
	Exercises []analysis.Exercise `json:"exercises,omitempty"`
}

// analyse returns the Analysed of the record in the body. update is called with an Analysed without
// values first, and then with a Progress after each position. It refuses the question if too many
// analyses are running, or if this one takes longer than analysisTotal.
func (d *Handler) analyse(ctx context.Context, q Question, update func(any)) (any, error) {
	var readers, moves []analysis.Reader // a log may look like a list of moves
	for _, g := range d.Games {
		readers = append(readers, g.Readers...)
		moves = append(moves, analysis.MovesReader(g.Rules.Game, g.Rules.ReadGame))
	}
	readers = append(readers, moves...)
	name := q.Params("name")
	if name == "" || len(name) > 100 {
		name = "this game"
	}
	record, err := analysis.ReadRecord(name, []byte(q.Body), readers...)
	if err != nil {
		return nil, wrong(err)
	}
	select {
	case d.analysing <- struct{}{}:
		defer func() { <-d.analysing }()
	default:
		return nil, &Refusal{busyStatus, errors.New("other games are being analysed; try again in a moment")}
	}
	game := record.Final().Game()
	g := d.Games[slices.IndexFunc(d.Games, func(g Game) bool { return g.Name() == game })]
	ctx, cancel := context.WithTimeout(ctx, analysisTotal)
	defer cancel()
	width, _ := strconv.Atoi(q.Params("width"))
	out, err := d.analyseRecord(ctx, g, record, max(PlotWidth, min(width, 3*PlotWidth)), update)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, &Refusal{busyStatus, errors.New("the analysis was not finished in time; try again when the server is less busy")}
	}
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	return out, nil
}

// analyseRecord is analyse for a record that was read, with a plot of the given width.
func (d *Handler) analyseRecord(ctx context.Context, g Game, record analysis.Record, width int, update func(any)) (out Analysed, err error) {
	outline, err := analysis.Outline(ctx, g.Rules, record)
	if err != nil {
		return out, err
	}
	update(Analysed{Analysis: outline, Result: Result(outline, "–"), Plot: g.Plot(outline, width)})
	done, stored := example(outline)
	if !stored {
		limits := analysis.DefaultLimits
		limits.Solve = analysisTime
		done, err = analysis.Analyze(ctx, g.Rules, record, d.Analyses, limits, func(st analysis.Step) {
			update(Progress{st.Done, st.Total})
		})
		if err != nil {
			return out, err
		}
	}
	exercises, err := analysis.Exercises(func(string) engine.Game { return g.Rules.Game }, []analysis.Analysis{done})
	out = Analysed{Analysis: done, Result: Result(done, "–"), Plot: g.Plot(done, width), Exercises: exercises}
	texts := []string{ProvedWinner(done)}
	if m := done.Decisive; m != nil {
		texts = append(texts, g.Decisive(*m, m.Move))
	}
	out.Decisive = strings.TrimPrefix(strings.Join(texts, "; "), "; ")
	return out, err
}

// Package answer answers the requests of the pages (ask.js): over HTTP for `endwise serve`, where
// package remote answers the lookups, and in a worker of the browser for the static site. It imports
// no network and no templates, to keep the browser's program small.
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

const (
	analysisTime  = 500 * time.Millisecond // per position
	analysisTotal = 2 * time.Minute
	maxAnalyses   = 2 // at the same time

	exerciseTime  = 5 * time.Second // per position that is solved to generate an exercise
	exerciseTotal = 20 * time.Second
)

// Game describes a game for answers.
type Game struct {
	analysis.Rules
	// Points is the unit of estimates in a game without scores: "pieces". 100 is one unit.
	Points string
	// NearEnd returns a position near the end of a game, for exercises; nil if games are short.
	NearEnd func(*rand.Rand) engine.Position
	// TooEarly returns a sentence if a proof of a position's value within a minute is unlikely, else "".
	// It may be nil.
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
	Games             []Game
	Lookups, Analyses analysis.Decider
	// MaxTime is the maximum time that a request may specify.
	MaxTime time.Duration
	// Exercises are prepared exercises.
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

// Refusal is an error that is reported to the client. Status is an HTTP status.
type Refusal struct {
	Status int
	error
}

const wrongStatus, unknownStatus, busyStatus = 400, 404, 503

func (r *Refusal) Unwrap() error { return r.error }

func wrong(err error) error { return &Refusal{wrongStatus, err} }

// Answer answers a question with a value to be encoded as JSON. It calls update with
// intermediate results. Errors other than [Refusal] are internal or come from ctx.
//
//	GAME/view      a position as the pages draw it; parameters moves (separated by semicolons), board
//	               (without a position), notation (for the game as text in place of the drawing)
//	GAME/lookup    a decision; parameters time, moves (best or all), play
//	GAME/why       the reasons for a position's value, or what the move played has changed;
//	               parameters time (of each lookup), played
//	GAME/choose    a move; parameters time, player (a level or engine)
//	GAME/exercise  a position with one best move; parameters seed, board, difficulty, from (class for
//	               a prepared exercise), by (the player whose mistakes to use)
//	analysis       the analysis of a game record; parameters name, width (of the plot)
func (d *Handler) Answer(ctx context.Context, q Question, update func(any)) (any, error) {
	name, what, _ := strings.Cut(q.What, "/")
	if q.What == "analysis" {
		return d.analyse(ctx, q, update)
	}
	i := slices.IndexFunc(d.Games, func(g Game) bool { return g.Name() == name })
	handle := map[string]func(context.Context, Game, Question, func(any)) (any, error){
		"view": d.view, "lookup": d.lookUp, "why": d.explain, "choose": d.choose, "exercise": d.exercise,
	}[what]
	switch {
	case handle == nil:
		return nil, &Refusal{unknownStatus, errors.New("no such path; the pages are at /, lookups at /v1/GAME/lookup")}
	case i < 0:
		return nil, &Refusal{unknownStatus, fmt.Errorf("unknown game %.40q", name)}
	}
	return handle(ctx, d.Games[i], q, update)
}

type written struct {
	Text string `json:"text"`
}

// view answers GAME/view. The first moves may be in the body, those in the parameter follow.
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
		var out written
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

// lookUp answers GAME/lookup; update receives better decisions during the search.
func (d *Handler) lookUp(ctx context.Context, g Game, q Question, update func(any)) (any, error) {
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

type explained struct {
	Why []why.Reason `json:"why"`
}

// explain answers GAME/why.
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
	out := explained{}
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

// choose answers GAME/choose.
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

type preparedExercise struct {
	analysis.Exercise
	Number int `json:"number"` // from 1 to Of
	Of     int `json:"of"`
}

// PreparedExercises returns the prepared exercises of a game whose By is by, or all if by is "".
func (d *Handler) PreparedExercises(game, by string) []analysis.Exercise {
	var prepared []analysis.Exercise
	for _, e := range d.Exercises {
		if e.Game == game && (by == "" || e.By == by) {
			prepared = append(prepared, e)
		}
	}
	return prepared
}

// exercise answers GAME/exercise with a prepared exercise, or with one that it generates.
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
		return preparedExercise{prepared[n], n + 1, len(prepared)}, nil
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
		MinMoves: 6, MaxMoves: 10 + 4*max(rank, 0),
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

type progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

type analysed struct {
	Analysis  analysis.Analysis   `json:"analysis"`
	Result    string              `json:"result"`             // players and score
	Plot      string              `json:"plot"`               // the evaluation, as SVG
	Decisive  string              `json:"decisive,omitempty"` // Analysis.Proved and Analysis.Decisive in words
	Exercises []analysis.Exercise `json:"exercises,omitempty"`
}

// analyse answers analysis. It refuses more than maxAnalyses at the same time.
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

// analyseRecord returns the analysis of a record. update receives its outline, then the progress.
func (d *Handler) analyseRecord(ctx context.Context, g Game, record analysis.Record, width int, update func(any)) (out analysed, err error) {
	outline, err := analysis.Outline(ctx, g.Rules, record)
	if err != nil {
		return out, err
	}
	update(analysed{Analysis: outline, Result: Result(outline, "–"), Plot: g.Plot(outline, width)})
	done, stored := example(outline)
	if !stored {
		limits := analysis.DefaultLimits
		limits.Solve = analysisTime
		done, err = analysis.Analyze(ctx, g.Rules, record, d.Analyses, limits, func(st analysis.Step) {
			update(progress{st.Done, st.Total})
		})
		if err != nil {
			return out, err
		}
	}
	exercises, err := analysis.Exercises(func(string) engine.Game { return g.Rules.Game }, []analysis.Analysis{done})
	out = analysed{Analysis: done, Result: Result(done, "–"), Plot: g.Plot(done, width), Exercises: exercises}
	texts := []string{ProvedWinner(done), g.lastPosition(done)}
	if m := done.Decisive; m != nil {
		texts = append(texts, g.Decisive(*m, m.Move))
	}
	out.Decisive = joined(texts)
	return out, err
}

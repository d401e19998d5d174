// Package answer answers what the pages ask (ask.js): of `endwise serve` by HTTP,
// and of the static site in a browser's worker. What is known of a position package
// remote says for `serve`, to pages as to programs. It knows neither network nor
// templates, so that it is small there.
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
	"endwise/engine"
	"endwise/engine/levels"
)

// Limits of what is asked.
const (
	// analysisTime is the time for a position in an analysis on the page,
	// analysisTotal the time for all of it.
	analysisTime  = 500 * time.Millisecond
	analysisTotal = 2 * time.Minute
	// maxAnalyses is how many analyses may run at once.
	maxAnalyses = 2
	// exerciseTime is the time to solve a position while an exercise is made,
	// exerciseTotal the time for all of it. A position so near the end takes some
	// milliseconds; the rest is for busy machines and browsers, so that the exercise
	// of a seed is the same for everybody.
	exerciseTime  = 5 * time.Second
	exerciseTotal = 20 * time.Second
)

// Game is what answers need of a game.
type Game struct {
	analysis.Rules
	// Points is what estimates count, in hundredths, in a game whose values are its
	// results: "pieces".
	Points string
	// NearEnd gives a position near the end of a game, for exercises; nil
	// where playing from the first one gets there soon.
	NearEnd func(*rand.Rand) engine.Position
	// TooEarly returns a sentence if a minute will hardly prove the value of a position,
	// else ""; nil if a minute always may.
	TooEarly func(engine.Position) string
	// Readers read the game's records, its own formats first.
	Readers []analysis.Reader
}

// NewGame is a game with what follows from its rules.
func NewGame(g engine.Game) Game {
	out := Game{Rules: analysis.Rules{Game: g, EstimateScale: 1}, Readers: []analysis.Reader{analysis.ReadPlain(g), analysis.ReadMoves(g)}}
	if c, ok := g.(engine.Counted); ok {
		out.Scored = true
		out.Unit, out.Units = c.Unit()
	}
	return out
}

// Handler answers questions; it keeps nothing of whoever asks.
type Handler struct {
	Games []Game
	// Lookups and Analyses decide positions, for moves and for analyses.
	Lookups, Analyses analysis.Asker
	// MaxTime is the most that a question may ask for.
	MaxTime time.Duration
	// Exercises are shown besides the ones that are made.
	Exercises []analysis.Exercise

	analysing chan struct{}
}

// NewHandler returns a handler for the games.
func NewHandler(d Handler) *Handler {
	d.analysing = make(chan struct{}, maxAnalyses)
	return &d
}

// Question is one question: what is "GAME/view" and so on, params are named
// texts, and body is a position or a record.
type Question struct {
	What   string
	Params func(name string) string
	Body   string
}

// Refusal is an error for whoever asked.
type Refusal struct {
	Status int // HTTP's: what is asked is wrong in itself, unknown, or to be asked again later
	error
}

const wrongStatus, unknownStatus, busyStatus = 400, 404, 503

// Unwrap gives the error.
func (r *Refusal) Unwrap() error { return r.error }

func wrong(err error) error { return &Refusal{wrongStatus, err} }

// Answer answers a question with something that can be written as JSON; update
// hears what comes before. An error that is no Refusal is the program's fault, or
// the context's.
//
//	GAME/view      a position as the pages draw it, after moves; notation: as text
//	GAME/lookup    a decision: time, moves (best or all), play
//	GAME/choose    a level's or the engine's move: time, player
//	GAME/exercise  a position with one move that holds: seed, board, from, turns
//	analysis       a game record's analysis: name
func (d *Handler) Answer(ctx context.Context, q Question, update func(any)) (any, error) {
	name, what, _ := strings.Cut(q.What, "/")
	if q.What == "analysis" {
		return d.analyse(ctx, q, update)
	}
	i := slices.IndexFunc(d.Games, func(g Game) bool { return g.Name() == name })
	ask := map[string]func(context.Context, Game, Question, func(any)) (any, error){
		"view": d.view, "lookup": d.look, "choose": d.choose, "exercise": d.exercise,
	}[what]
	switch {
	case ask == nil:
		return nil, &Refusal{unknownStatus, errors.New("no such path; the pages are at /, lookups at /v1/GAME/lookup")}
	case i < 0:
		return nil, &Refusal{unknownStatus, fmt.Errorf("unknown game %.40q", name)}
	}
	return ask(ctx, d.Games[i], q, update)
}

// Written is a game or position in the notation that is asked for.
type Written struct {
	Text string `json:"text"`
}

// view answers with the position, or with a board's first position, and plays
// moves on it where there are some, separated by semicolons; with a notation it
// answers with the game in it.
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
	return g.View(p, before, last), nil
}

// look answers with what is known of a position, on the static site.
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

// choose answers with the move of a level (player=level1 and so on) or of the
// engine (player=engine).
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

// Given are the given exercises of a game, in their order.
func (d *Handler) Given(game string) []analysis.Exercise {
	var given []analysis.Exercise
	for _, e := range d.Exercises {
		if e.Game == game {
			given = append(given, e)
		}
	}
	return given
}

// exercise answers with one of the given exercises or a made one; the same seed
// gives the same given one.
func (d *Handler) exercise(ctx context.Context, g Game, q Question, _ func(any)) (any, error) {
	seed, err := strconv.ParseUint(q.Params("seed"), 10, 64)
	if err != nil {
		return nil, wrong(fmt.Errorf("seed=%.40s: want a number from 0", q.Params("seed")))
	}
	if q.Params("from") == "class" {
		given := d.Given(g.Name())
		if len(given) == 0 {
			return nil, wrong(errors.New("no exercises of a class: start the server with --exercises"))
		}
		return given[seed%uint64(len(given))], nil
	}
	turns := uint64(0)
	if text := q.Params("turns"); text != "" {
		if turns, err = strconv.ParseUint(text, 10, 8); err != nil {
			return nil, wrong(fmt.Errorf("turns=%.40s: want a number from 0 to 255", text))
		}
	}
	start, err := g.Start(q.Params("board"))
	if err != nil {
		return nil, wrong(err)
	}
	from, low, high := func(*rand.Rand) engine.Position { return start }, 6, 14
	if g.NearEnd != nil {
		from, low, high = g.NearEnd, 2, 40
	}
	players := [2]engine.Player{}
	for i := range players {
		if players[i], err = levels.New(2, seed+uint64(i)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, exerciseTotal)
	defer cancel()
	return analysis.MakeExercise(ctx, from, players, d.Lookups, seed, low, high, int(turns), exerciseTime)
}

// Progress is how far an analysis is.
type Progress struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// Analysed is the answer to a record.
type Analysed struct {
	Analysis  analysis.Analysis   `json:"analysis"`
	Result    string              `json:"result"` // who played, and how it ended
	Plot      string              `json:"plot"`   // the evaluation, as SVG
	Exercises []analysis.Exercise `json:"exercises,omitempty"`
}

// analyse analyses the record in the body; update hears the Progress.
func (d *Handler) analyse(ctx context.Context, q Question, update func(any)) (any, error) {
	var readers []analysis.Reader
	for _, g := range d.Games {
		readers = append(readers, g.Readers...)
	}
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
	limits := analysis.DefaultLimits
	limits.Solve = analysisTime
	done, err := analysis.Analyze(ctx, g.Rules, record, d.Analyses, limits, func(st analysis.Step) {
		update(Progress{st.Done, st.Total})
	})
	if err != nil {
		return nil, fmt.Errorf("the analysis could not be finished in time: %w", err)
	}
	return Analysed{done, Result(done, "–"), g.Plot(done), analysis.Exercises([]analysis.Analysis{done})}, nil
}

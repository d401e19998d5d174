package analyze

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/analysis/gamelog"
	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/workers"
	"endwise/data"
	"endwise/engine"
	"endwise/solver/farm"
)

// Games to analyse and positions to evaluate are jobs too: a worker answers
// them by its own solver and search, without the coordinator's store. What
// comes out depends on the time there is, so these kinds are Timed.

const (
	analysisJobs = "analysis"
	LeafJobs     = "book leaf"
)

func AnalysisKind() farm.Kind {
	return farm.Kind{
		Name: analysisJobs, Version: lookupVersion(), Timed: true,
		Open: func(farm.Env) (farm.Handler, error) { return &lookupHandler{starter: true, work: analyzeJob}, nil },
	}
}

func LeafKind() farm.Kind {
	return farm.Kind{
		Name: LeafJobs, Version: lookupVersion(), Timed: true,
		Open: func(farm.Env) (farm.Handler, error) { return &lookupHandler{work: evaluateJob}, nil },
	}
}

// lookupVersion names the rules of all games and the form of an analysis.
func lookupVersion() string {
	text := fmt.Sprintf("analysis %d, form 1", analysis.Version)
	for _, g := range cli.Games {
		text += fmt.Sprintf(", %s rules %d", g.Name(), g.RulesVersion())
	}
	return text
}

// lookupJob is the payload of both kinds.
type lookupJob struct {
	Game string `json:"game"`
	Hash int64  `json:"hash"` // bytes of transposition table for one job

	// Of an analysis: the record in the plain format, and its limits.
	Name   string          `json:"name,omitempty"`
	Record string          `json:"record,omitempty"`
	Limits analysis.Limits `json:"limits,omitzero"`

	// Of a leaf: the position and the time for it.
	Position string        `json:"position,omitempty"`
	Time     time.Duration `json:"time,omitempty"`
}

// lookupHandler works on jobs of one kind.
type lookupHandler struct {
	cli.Lookups
	starter bool // use the starter books
	work    func(ctx context.Context, g cli.Game, l *book.Lookup, j lookupJob) (any, error)
}

// MaxJobHash bounds the table that a job may ask for, in bytes.
const MaxJobHash = 1 << 36

// Work implements farm.Handler.
func (h *lookupHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j lookupJob
	if err := json.Unmarshal(payload, &j); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	g, err := cli.GameNamed(j.Game)
	if err != nil {
		return nil, err
	}
	if j.Hash < 1<<20 || j.Hash > MaxJobHash {
		return nil, fmt.Errorf("a table of %d bytes: want 1 MB to %d GB", j.Hash, MaxJobHash>>30)
	}
	o := book.Options{Threads: 1, HashBytes: j.Hash}
	if h.starter {
		o.Starter = data.Books()
	}
	var result []byte
	err = h.Lend(j.Game, func() (*book.Lookup, error) { return g.Sources.Open(o) }, func(l *book.Lookup) error {
		out, err := h.work(ctx, g, l, j)
		if err == nil {
			result, err = json.Marshal(out)
		}
		return err
	})
	return result, err
}

func analyzeJob(ctx context.Context, g cli.Game, l *book.Lookup, j lookupJob) (any, error) {
	r, err := gamelog.Read(j.Name, []byte(j.Record), gamelog.Plain(g.Game))
	if err != nil {
		return nil, err
	}
	if j.Limits.Solve <= 0 || j.Limits.Guess <= 0 {
		return nil, fmt.Errorf("limits %v: want times above 0", j.Limits)
	}
	return analysis.Analyze(ctx, g.Web.Rules, r, l, j.Limits, nil)
}

func evaluateJob(ctx context.Context, g cli.Game, l *book.Lookup, j lookupJob) (any, error) {
	p, err := g.Parse(j.Position)
	if err != nil {
		return nil, err
	}
	if j.Time <= 0 || p.Over() {
		return nil, fmt.Errorf("position %s for %v: there is nothing to evaluate", p, j.Time)
	}
	d, err := book.Evaluator(l, j.Time)(ctx, p)
	return leafResult{d, d.Elapsed}, err
}

// leafResult is an evaluation with its time, which a decision's JSON leaves
// out.
type leafResult struct {
	Decision engine.Decision `json:"decision"`
	Took     time.Duration   `json:"took"`
}

// analyzeElsewhere has games analysed by workers over a NATS server; done hears of each
// in turn.
func analyzeElsewhere(ctx context.Context, a *cli.App, o analyzeOptions, records []record, todo []int, progress *farm.Progress, done func(i int, result analysis.Analysis) error) error {
	payloads := make([][]byte, len(todo))
	for n, i := range todo {
		r := records[i]
		var text bytes.Buffer
		if err := gamelog.WritePlain(&text, r.Record); err != nil {
			return err
		}
		var err error
		payloads[n], err = json.Marshal(lookupJob{Game: r.game.Name(), Hash: int64(o.lookup.HashMB) << 20, Name: r.Name, Record: text.String(), Limits: o.limits})
		if err != nil {
			return err
		}
	}
	f, end, err := workers.Coordinate(ctx, a, &o.nats, workers.Coordination{Title: fmt.Sprintf("analyze %d games", len(todo)), Kind: analysisJobs, Memory: uint64(o.lookup.HashMB)<<20 + 128<<20}, progress)
	if err != nil {
		return err
	}
	err = f.Do(ctx, farm.Stage{Name: "analysis", Kind: analysisJobs, Payloads: payloads, Take: func(n int, answer []byte) error {
		var result analysis.Analysis
		r := records[todo[n]]
		if err := json.Unmarshal(answer, &result); err != nil || result.Game != r.game.Name() || len(result.Moves) != len(r.Moves) {
			return fmt.Errorf("%s: a worker's analysis is not one of this game: %d moves of %q, %w", r.Name, len(result.Moves), result.Game, err)
		}
		progress.Add(uint64(len(r.Positions)))
		return done(todo[n], result)
	}})
	return errors.Join(err, end())
}

// FarmEvaluator has positions evaluated by a farm.
func FarmEvaluator(f farm.Farm, g cli.Game, hash int64, limit time.Duration) opening.Evaluator {
	return func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		payload, err := json.Marshal(lookupJob{Game: g.Name(), Hash: hash, Position: p.String(), Time: limit})
		if err != nil {
			return engine.Decision{}, err
		}
		var r leafResult
		err = f.Do(ctx, farm.Stage{Name: "book leaf", Kind: LeafJobs, Payloads: [][]byte{payload}, Take: func(_ int, result []byte) error {
			return json.Unmarshal(result, &r)
		}})
		r.Decision.Elapsed = r.Took
		return r.Decision, err
	}
}

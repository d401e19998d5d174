package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/solver/farm"
)

// LeafJobs is the kind of job in which a worker evaluates a position of a growing book.
const LeafJobs = "book leaf"

// leafKind returns the kind of [LeafJobs]. Its version changes with package analysis and the rules.
func leafKind(games cli.Games) farm.Kind {
	version := fmt.Sprintf("analysis %d, form 2", analysis.Version)
	for _, g := range games {
		version += fmt.Sprintf(", %s rules %d", g.Name(), g.RulesVersion())
	}
	return farm.Kind{
		Name: LeafJobs, Version: version, Timed: true,
		Open: func(farm.Env) (farm.Handler, error) { return &leafHandler{games: games}, nil },
	}
}

type leafJob struct {
	Game     string        `json:"game"`
	Position string        `json:"position"`
	Hash     int64         `json:"hash"` // size of the transposition table in bytes
	Time     time.Duration `json:"time"` // limit, in nanoseconds
}

// leafResult contains Decision.Elapsed as Took, because the JSON of a decision omits it.
type leafResult struct {
	Decision engine.Decision `json:"decision"`
	Took     time.Duration   `json:"took"`
}

// LeafEvaluator returns an evaluator that evaluates positions as jobs of f. hash is the size of a
// worker's transposition table in bytes, limit the time per position.
func LeafEvaluator(f farm.Farm, g cli.Game, hash int64, limit time.Duration) opening.Evaluator {
	return func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		payload, err := json.Marshal(leafJob{Game: g.Name(), Position: p.String(), Hash: hash, Time: limit})
		if err != nil {
			return engine.Decision{}, err
		}
		var r leafResult
		err = f.Do(ctx, farm.Stage{Name: "book leaf", Payloads: [][]byte{payload}, Take: func(_ int, result []byte) error {
			return json.Unmarshal(result, &r)
		}})
		r.Decision.Elapsed = r.Took
		return r.Decision, err
	}
}

type leafHandler struct {
	cli.Lookups
	games cli.Games
}

const maxLeafHash = 1 << 36 // bytes

// Work implements [farm.Handler]: it evaluates the position of a [leafJob] and returns a [leafResult].
func (h *leafHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j leafJob
	if err := json.Unmarshal(payload, &j); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	g, err := h.games.Named(j.Game)
	if err != nil {
		return nil, err
	}
	p, err := g.Parse(j.Position)
	switch {
	case err != nil:
		return nil, err
	case j.Hash < 1<<20 || j.Hash > maxLeafHash:
		return nil, fmt.Errorf("a table of %d bytes: want 1 MB to %d GB", j.Hash, maxLeafHash>>30)
	case j.Time <= 0 || p.Over():
		return nil, fmt.Errorf("position %s for %v: there is nothing to evaluate", p, j.Time)
	}
	var result []byte
	open := func() (*book.Lookup, error) {
		return g.Sources.Open(book.Options{Threads: 1, HashBytes: j.Hash})
	}
	err = h.With(j.Game, open, func(l *book.Lookup) error {
		d, err := book.Evaluator(l, j.Time)(ctx, p)
		if err == nil {
			result, err = json.Marshal(leafResult{d, d.Elapsed})
		}
		return err
	})
	return result, err
}

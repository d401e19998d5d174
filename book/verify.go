package book

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/engine"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// Extent is the part of a table that a check recomputes.
type Extent int

const (
	// Share recomputes a sample of the values: chosen by a generator with a fixed seed in tables, and at
	// equal intervals in books.
	Share Extent = iota
	// Whole recomputes all values of a table if the game's check can, else random ones; of a book, all
	// positions within the limits of the plain solver.
	Whole
)

func isOpening(h *store.Header) bool { return strings.HasPrefix(h.Name, "opening-") }

// CheckVersion returns [store.ErrForeign] if the table at path, with the header h, was built for other
// rules, or by another version of the solver, than this program has.
func (all Games) CheckVersion(path string, h *store.Header) error {
	g, ok := all.named(h.Game)
	if !ok {
		return fmt.Errorf("%s: %w: it is for %q, a game that this program does not play",
			path, store.ErrForeign, h.Game)
	}
	return g.CheckVersion(path, h)
}

// CheckVersion does what [Games.CheckVersion] does, for a table of this game.
func (g Game) CheckVersion(path string, h *store.Header) error {
	rules, solver, what, remedy := g.RulesVersion(), opening.PublishedFormat, "format", "publish it again"
	if !isOpening(h) {
		kind, ok := g.kindOf(h)
		if !ok {
			return fmt.Errorf("%s: %w: a kind of table that this program does not write: "+
				"delete it and solve it again", path, store.ErrForeign)
		}
		solver, what, remedy = kind.Solver, "solver", "delete the table and solve it again"
	}
	switch {
	case h.Rules != rules:
		return fmt.Errorf("%s: %w: rules version %d, this program plays version %d: %s",
			path, store.ErrForeign, h.Rules, rules, remedy)
	case h.Solver != solver:
		return fmt.Errorf("%s: %w: %s version %d, this program has version %d: %s",
			path, store.ErrForeign, what, h.Solver, solver, remedy)
	}
	return nil
}

// CheckTable recomputes values of the table at path, with the header h, and returns the number of
// compared values. The check may need other tables of the same store. It returns an error if a value is
// wrong, if CheckVersion returns one, or if reading fails.
func (all Games) CheckTable(
	ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress,
) (checked uint64, err error) {
	if err := all.CheckVersion(path, h); err != nil {
		return 0, err
	}
	g, _ := all.named(h.Game)
	if isOpening(h) {
		return g.checkOpening(ctx, path, h, extent, p)
	}
	kind, _ := g.kindOf(h)
	return kind.Check(ctx, filepath.Dir(path), h, extent, p)
}

// ProvedFree returns the most free segments with which the plain solver verifies a book's position.
func ProvedFree(extent Extent) int {
	if extent == Whole {
		return 18
	}
	return 12
}

// Stage returns a callback that reports progress to p. The first call begins a stage of p with the given
// name and unit; done is then the number of units finished by an earlier run, and total is used. Each
// call sets the number of finished units; later totals are ignored.
func Stage(p *farm.Progress, name, unit string) func(done, total uint64) {
	begun := false
	return func(done, total uint64) {
		if !begun {
			p.Begin(name, unit, done, total)
			begun = true
		}
		p.Set(done)
	}
}

const openingShare = 300

// checkOpening implements [Games.CheckTable] for a published opening book.
func (g Game) checkOpening(
	ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress,
) (checked uint64, err error) {
	var first error // the first inconsistency
	positions, err := opening.CheckPublished(ctx, path, g.Game, func(err error) { first = cmp.Or(first, err) },
		Stage(p, "read "+h.Name, "blocks"))
	if err != nil || first != nil {
		return 0, errors.Join(err, first)
	}
	b, err := opening.OpenPublished(path, g.Game)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	scale := g.ProofScale()
	solver := g.Plain(extent)
	p.Begin("recompute "+h.Name, "positions", 0, uint64(positions))
	step, seen := 1, 0 // every step-th position is verified
	if extent == Share {
		step = max(1, positions/openingShare)
	}
	err = b.Each(ctx, func(pos engine.Position, e opening.Entry) error {
		p.Set(uint64(seen))
		if seen++; seen%step != 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		a, err := solver.Solve(pos.String())
		if errors.Is(err, plain.ErrTooLarge) {
			return nil
		}
		if err != nil {
			return err
		}
		if v := a.Value * scale; int(e.Value.Lo) > v || int(e.Value.Hi) < v {
			return fmt.Errorf("%s: the book proves %s, but the value is %+d", pos, e.Value, a.Value)
		}
		checked++
		return nil
	})
	p.Set(uint64(positions))
	return checked, err
}

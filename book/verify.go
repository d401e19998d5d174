package book

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"endwise/book/opening"
	"endwise/book/store"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/engine/watchyourback"
	"endwise/solver/coins"
	"endwise/solver/farm"
	"endwise/solver/plain"
	"endwise/solver/retrograde/layers"
	retrograde "endwise/solver/retrograde/watchyourback"
)

// Extent is how much of a table is worked out again.
type Extent int

const (
	// Share takes some thousand values, found at random but the same in
	// every run, in seconds.
	Share Extent = iota
	// Whole takes every value that can be reached within the plain solver's
	// limits: all of boards of Circuit Wars and Dots and Boxes up to 31
	// segments and of 6x6 tables up to 5 pieces; minutes to hours.
	Whole
)

// current gives the version of the rules and of the solver or format that this
// program writes into a table; ok is false for a game that it does not know.
func current(h *store.Header) (rules, solver int, ok bool) {
	game := gameOf(h.Game)
	if game == nil {
		return 0, 0, false
	}
	switch {
	case isOpening(h):
		solver = opening.PublishedFormat
	case h.Game == circuitwars.Name && h.Params["board"] != "":
		solver = boardSolverVersion
	case h.Game == circuitwars.Name:
		solver = endingsSolverVersion
	case h.Game == dotsandboxes.Name:
		solver = classSolver
	default:
		solver = watchYourBackSolver
	}
	return game.RulesVersion(), solver, true
}

// gameOf is the game of a name in a header, nil for one that is not known.
func gameOf(name string) engine.Game {
	switch name {
	case circuitwars.Name:
		return circuitwars.Game
	case dotsandboxes.Name:
		return dotsandboxes.Game{}
	case watchyourback.Name:
		return watchyourback.Game{}
	}
	return nil
}

func isOpening(h *store.Header) bool { return strings.HasPrefix(h.Name, "opening-") }

// CheckVersion returns an error that wraps store.ErrForeign for a table that
// was made by other rules or another solver than this program's, damaged or
// not, and says which.
func CheckVersion(path string, h *store.Header) error {
	rules, solver, ok := current(h)
	switch {
	case !ok:
		return fmt.Errorf("%s: %w: it is for %q, a game that this program does not play", path, store.ErrForeign, h.Game)
	case h.Rules != rules:
		return fmt.Errorf("%s: %w: rules version %d, this program plays version %d: delete the table and solve it again", path, store.ErrForeign, h.Rules, rules)
	case h.Solver != solver:
		return fmt.Errorf("%s: %w: solver version %d, this program has version %d: delete the table and solve it again", path, store.ErrForeign, h.Solver, solver)
	}
	return nil
}

// CheckTable works values of a table out again by another method, the plain
// solver as far as it reaches, and counts them; it also compares the spread of
// the values with the header where it sees them all. path is the directory of
// the table, whose neighbours it may need.
func CheckTable(ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress) (checked uint64, err error) {
	if err := CheckVersion(path, h); err != nil {
		return 0, err
	}
	dir := filepath.Dir(path)
	switch {
	case isOpening(h):
		return checkOpening(ctx, path, h, extent, p)
	case h.Game == watchyourback.Name:
		return checkWatchYourBack(ctx, dir, h, extent, p)
	case h.Game == dotsandboxes.Name:
		return checkDotsAndBoxesTable(ctx, dir, h, extent, p)
	}
	if size := h.Params["board"]; size != "" {
		b, err := grid.Parse(size)
		if err != nil {
			return 0, fmt.Errorf("%w: board %q", store.ErrDamaged, size)
		}
		t, err := openBoardTable(dir, b)
		if err != nil {
			return 0, err
		}
		defer t.table.Close()
		if extent == Whole {
			return wholeBoard(ctx, t, p)
		}
		return verifyBoard(ctx, t, p)
	}
	n, err := strconv.Atoi(h.Params["segments"])
	if err != nil {
		return 0, fmt.Errorf("%w: segments %q", store.ErrDamaged, h.Params["segments"])
	}
	t, err := openEndingsTable(dir, n)
	if err != nil {
		return 0, err
	}
	defer t.table.Close()
	checked, err = verifyEndings(ctx, t, p)
	if err == nil && extent == Whole {
		var more uint64
		more, err = wholeEndings(ctx, t, p)
		checked += more
	}
	return checked, err
}

// stage begins a stage of progress and returns what a plain solver reports to.
func stage(p *farm.Progress, name, unit string) func(done, total uint64) {
	begun := false
	return func(done, total uint64) {
		if !begun {
			p.Begin(name, unit, 0, total)
			begun = true
		}
		p.Set(done)
	}
}

// wholeBoard compares every position of a board with the plain solver, and the
// spread of the values with the header.
func wholeBoard(ctx context.Context, t *boardTable, p *farm.Progress) (checked uint64, err error) {
	values, err := plain.CircuitWarsBoard(ctx, t.size.String(), stage(p, "solve "+t.size.String()+" again", "positions"))
	if errors.Is(err, plain.ErrTooLarge) {
		return verifyBoard(ctx, t, p)
	}
	if err != nil {
		return 0, err
	}
	p.Begin("compare "+t.size.String(), "positions", 0, uint64(len(values)))
	spread := map[int]uint64{}
	for m, v := range values {
		if m%(1<<16) == 0 {
			if err := ctx.Err(); err != nil {
				return checked, err
			}
			p.Set(uint64(m))
		}
		if normal, _ := t.board.Normal(uint32(m)); normal != uint32(m) {
			continue
		}
		if err := t.compare(grid.Set{uint64(m)}, int(v)); err != nil {
			return checked, err
		}
		spread[int(v)]++
		checked++
	}
	p.Set(uint64(len(values)))
	return checked, sameSpread(t.table, spread)
}

// sameSpread compares counted values with the header's histogram.
func sameSpread(t *store.Table, spread map[int]uint64) error {
	if !maps.Equal(spread, t.Header().Histogram) {
		return fmt.Errorf("%s: %w: the values are not spread as its header says", t.Path(), store.ErrDamaged)
	}
	return nil
}

// wholeEndings works all endings out again, without the table, and compares
// every entry. It is the method that made the table; the plain solver cannot
// list the endings of all boards.
func wholeEndings(ctx context.Context, t *endingsTable, p *farm.Progress) (checked uint64, err error) {
	h := t.table.Header()
	e, err := layers.NewEndings(ctx, t.segments, h.KeyBits, 1, p)
	if err != nil {
		return 0, err
	}
	p.Begin(fmt.Sprintf("solve endings of %d again", t.segments), "positions", 0, e.Positions())
	for n := 1; n <= t.segments; n++ {
		list, err := e.Solve(ctx, n, 0, 1)
		if err != nil {
			return checked, err
		}
		if err := e.Restore(list); err != nil {
			return checked, err
		}
		for _, x := range list {
			v, ok, err := t.table.Lookup(store.Key{Hi: x.Key})
			if err != nil {
				return checked, err
			}
			if !ok || int(v)-endingOffset != x.Value {
				return checked, fmt.Errorf("ending %x of %d segments: the table says %+d (there: %v), solved again %+d", x.Key, n, int(v)-endingOffset, ok, x.Value)
			}
			checked++
		}
		p.Add(uint64(len(list)))
	}
	if checked != h.Entries {
		return checked, fmt.Errorf("%s: %w: %d endings, the table has %d", t.table.Path(), store.ErrDamaged, checked, h.Entries)
	}
	return checked, nil
}

// wholeClasses compares every position of a board of Dots and Boxes with the
// plain solver.
func wholeClasses(ctx context.Context, t *classTable, p *farm.Progress) (checked uint64, err error) {
	values, err := plain.DotsAndBoxesBoard(ctx, t.board.String(), stage(p, "solve "+t.board.String()+" again", "positions"))
	if errors.Is(err, plain.ErrTooLarge) {
		return verifyClasses(ctx, t.board, t.table, p)
	}
	if err != nil {
		return 0, err
	}
	c := coins.NewClasses(t.board)
	p.Begin("compare "+t.board.String(), "positions", 0, uint64(len(values)))
	for m, want := range values {
		if m%(1<<12) == 0 {
			if err := ctx.Err(); err != nil {
				return checked, err
			}
			p.Set(uint64(m))
		}
		free := grid.Set{uint64(m)}
		got, known, err := t.value(c, t.board, free)
		if err != nil {
			return checked, err
		}
		if !known || got != int(want) {
			return checked, fmt.Errorf("position %x of %s: the table says %+d (known: %v), the rules say %+d", free, t.board, got, known, want)
		}
		checked++
	}
	p.Set(uint64(len(values)))
	return checked, nil
}

// wholeMiddle compares every value of a 6x6 table of 4 or 5 pieces with the
// plain solver; of larger ones a larger share than usual with a plain search.
func wholeMiddle(ctx context.Context, tables *retrograde.Tables, n int, t *store.Table, p *farm.Progress) (checked uint64, err error) {
	table, err := retrograde.OpenTable(n, t, 0)
	if err != nil {
		return 0, err
	}
	all := *tables
	all.Add(table)
	spread := map[int]uint64{}
	err = plain.WatchYourBackMiddle(ctx, n, stage(p, fmt.Sprintf("solve %d pieces again", n), "planes"), func(own, opp uint64, values []int8) error {
		if watchyourback.Surrounded(own, opp, watchyourback.Middle) != 0 {
			return nil
		}
		for turns := 1; turns < len(values); turns++ {
			got, ok, err := all.Middle(own, opp, turns)
			if err != nil {
				return err
			}
			if !ok || got != int(values[turns]) {
				return fmt.Errorf("own %x, opponent %x, %d turns to the shrink: the table says %d (there: %v), the rules say %d", own, opp, turns, got, ok, values[turns])
			}
			checked++
		}
		spread[int(values[len(values)-1])]++
		return nil
	})
	if err != nil {
		return checked, err
	}
	return checked, sameSpread(t, spread)
}

// How many positions of a published book are proved again, and how many free
// segments they may have.
const (
	openingShare       = 300
	openingFree        = 12
	openingVisits      = 1000 // of Watch Your Back
	openingWholeFree   = 18
	openingWholeVisits = 100_000
)

// checkOpening compares what a published book proves with the plain solver,
// where that reaches. That the rest follows from it is for opening.CheckPublished.
func checkOpening(ctx context.Context, path string, h *store.Header, extent Extent, p *farm.Progress) (checked uint64, err error) {
	game := gameOf(h.Game)
	var problem error
	nodes, err := opening.CheckPublished(ctx, path, game, func(x opening.Problem) {
		if problem == nil {
			problem = errors.New(x.String())
		}
	}, stage(p, "read "+h.Name, "blocks"))
	if err != nil || problem != nil {
		return 0, errors.Join(err, problem)
	}
	b, err := opening.OpenPublished(path, game)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	scale := 1
	if g, ok := game.(engine.CanonicalGame); ok {
		scale = g.ProofScale()
	}
	free, visits := openingFree, openingVisits
	if extent == Whole {
		free, visits = openingWholeFree, openingWholeVisits
	}
	solvers := map[string]plain.Solver{
		circuitwars.Name:   &plain.CircuitWars{MaxFree: free},
		dotsandboxes.Name:  &plain.DotsAndBoxes{MaxFree: free},
		watchyourback.Name: &plain.WatchYourBack{Visits: visits},
	}
	solver := solvers[h.Game]
	p.Begin("prove "+h.Name+" again", "positions", 0, uint64(nodes))
	every, i := 1, 0
	if extent == Share {
		every = max(1, nodes/openingShare)
	}
	err = b.Each(ctx, func(pos engine.Canonical, e opening.Entry) error {
		p.Set(uint64(i))
		if i++; i%every != 0 {
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
			return fmt.Errorf("%s: the book proves %s, the rules say %+d", pos, e.Value, a.Value)
		}
		checked++
		return nil
	})
	p.Set(uint64(nodes))
	return checked, err
}

package book_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/book"
	"endwise/book/booktest"
	"endwise/book/opening"
	"endwise/book/store"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// faulty is a solver whose answers go through a function.
type faulty struct {
	plain.Solver
	fault func(position string, a *plain.Answer) error
}

func (f faulty) Solve(position string) (plain.Answer, error) {
	a, err := f.Solver.Solve(position)
	if err == nil {
		err = f.fault(position, &a)
	}
	return a, err
}

// A published book is compared with the plain solver as far as that reaches: every position,
// or a share of them. Another value, an error and damage are returned.
func TestCheckTableOfBook(t *testing.T) {
	dir, _ := publishedBook(t, "1x5", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}})
	path := store.Dir(dir, opening.TableName(circuitwars.Name, "1x5"))
	h, err := store.ReadHeader(path)
	testenv.OK(t, err)
	nodes := int(h.Notes["nodes"])
	judge := &plain.CircuitWars{}
	solved := 0 // in one check
	var last string
	var p *farm.Progress
	check := func(ctx context.Context, extent book.Extent, fault func(position string, a *plain.Answer) error) (uint64, []farm.Snapshot, error) {
		solved = 0
		g := allGames[0]
		g.Plain = func(e book.Extent) plain.Solver {
			if e != extent {
				t.Errorf("a solver for %v, want %v", e, extent)
			}
			return faulty{judge, func(position string, a *plain.Answer) error {
				solved, last = solved+1, position
				return fault(position, a)
			}}
		}
		p = new(farm.Progress)
		n, err := book.Games{g}.CheckTable(ctx, path, h, extent, p)
		return n, p.Stages(0), err
	}
	fair := func(string, *plain.Answer) error {
		if s := p.Stages(1); solved == 1 && s[0].Done >= s[0].Total {
			t.Errorf("done at the beginning: %+v", s)
		}
		return nil
	}
	for extent, want := range map[book.Extent]int{book.Whole: nodes, book.Share: nodes / (nodes / 300)} {
		n, stages, err := check(t.Context(), extent, fair)
		if err != nil || n != uint64(want) || solved != want {
			t.Errorf("extent %v: %d compared, %d solved, want %d of %d: %v", extent, n, solved, want, nodes, err)
		}
		if s := stages[len(stages)-1]; len(stages) != 2 || s.Before != 0 || s.Done != uint64(nodes) || s.Total != uint64(nodes) {
			t.Errorf("extent %v: stages %+v", extent, stages)
		}
	}
	if n, _, err := check(t.Context(), book.Whole, func(string, *plain.Answer) error {
		if solved%3 == 0 {
			return fmt.Errorf("far from the end: %w", plain.ErrTooLarge)
		}
		return nil
	}); err != nil || solved != nodes || n != uint64(nodes-nodes/3) {
		t.Errorf("a third is out of reach: %d of %d compared, %d solved: %v", n, nodes, solved, err)
	}
	for _, off := range []int{-1, 1} {
		n, _, err := check(t.Context(), book.Whole, func(_ string, a *plain.Answer) error {
			a.Value += off
			return nil
		})
		if err == nil || n != uint64(solved-1) || !strings.HasPrefix(err.Error(), last+": the book proves ") {
			t.Errorf("values that are wrong by %+d: %d of %d compared: %v", off, n, solved, err)
		}
	}
	broken := errors.New("broken")
	if n, _, err := check(t.Context(), book.Whole, func(string, *plain.Answer) error { return broken }); !errors.Is(err, broken) || n != 0 {
		t.Errorf("a broken solver: %d compared: %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := check(ctx, book.Whole, func(string, *plain.Answer) error { cancel(); return nil }); !errors.Is(err, context.Canceled) || solved != 1 {
		t.Errorf("stopped: %d solved: %v", solved, err)
	}
	testenv.OK(t, booktest.Flip(dir, ".sst", 12_000)) // not the first block
	for _, what := range []string{"damaged", "missing"} {
		n, _, err := check(t.Context(), book.Whole, fair)
		if !errors.Is(err, store.ErrDamaged) || strings.Count(err.Error(), path) != 1 || n != 0 || solved != 0 {
			t.Errorf("%s blocks: %d compared, %d solved: %v", what, n, solved, err)
		}
		testenv.OK(t, os.RemoveAll(filepath.Join(path, "000001.sst")))
	}
}

// A published book of another version is not a table that can be solved again.
func TestCheckVersionOfBook(t *testing.T) {
	var good store.Header
	good.Game, good.Name = circuitwars.Name, opening.TableName(circuitwars.Name, "1x5")
	good.Rules, good.Solver = circuitwars.RulesVersion, opening.PublishedFormat
	testenv.OK(t, allGames.CheckVersion("book", &good))
	rules, format := good, good
	rules.Rules++
	format.Solver++
	for want, h := range map[string]store.Header{"rules version": rules, "format version": format} {
		err := allGames.CheckVersion("book", &h)
		if !errors.Is(err, store.ErrForeign) || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), ": publish it again") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

package opening

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"endwise/book/opening/facts"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Evaluations that recur keep what they took, in the journal and in the text; one
// that says something else when it is worked out again is found, and only books
// that have such evaluations are of the new format.
func TestRecur(t *testing.T) {
	counted := func(nodes uint64) Evaluator {
		return func(ctx context.Context, p engine.Position) (engine.Decision, error) {
			d, err := guesser(ctx, p)
			d.Nodes = nodes + uint64(len(d.Moves))
			return d, err
		}
	}
	dir := filepath.Join(t.TempDir(), "book")
	b, err := Open(dir, circuitwars.Game{}, "2x2")
	testenv.OK(t, err)
	grow(t, b, GrowOptions{Evaluators: []Evaluator{guesser}, Nodes: 5})
	if h, err := ReadHeader(dir); err != nil || h.Format != 1 || !strings.HasPrefix(export(t, b), textTitle+" 1\n") {
		t.Errorf("format %d without evaluations that recur (%v)", h.Format, err)
	}
	grow(t, b, GrowOptions{Evaluators: []Evaluator{counted(700)}, Nodes: 12, Work: facts.Work{Engine: 3, Limit: 700}})
	grow(t, b, GrowOptions{Evaluators: []Evaluator{counted(700)}, Nodes: 15, Work: facts.Work{Engine: 2, Limit: 700}})
	text := export(t, b)
	testenv.OK(t, b.Close())
	if h, err := ReadHeader(dir); err != nil || h.Format != Format {
		t.Errorf("format %d with them (%v)", h.Format, err)
	}
	b = read(t, dir)
	if export(t, b) != text || !strings.Contains(text, " work=3/700/7") {
		t.Error("the journal does not keep what the evaluations took")
	}
	again, err := ReadText(t.Context(), strings.NewReader(text), "book.txt", onlyCircuitWars)
	if err != nil || export(t, again) != text {
		t.Errorf("the text is not read back (%v)", err)
	}
	for _, c := range []struct {
		share float64
		eval  func(uint64) Evaluator
		want  Recurred
	}{
		{1, counted, Recurred{Again: 7, Foreign: 3, Timed: 5}},
		{0, counted, Recurred{Foreign: 3, Timed: 5}},
		{1, func(nodes uint64) Evaluator { return counted(nodes + 1) }, Recurred{Again: 7, Differ: 7, Foreign: 3, Timed: 5}},
		{1, func(nodes uint64) Evaluator {
			return func(ctx context.Context, p engine.Position) (engine.Decision, error) {
				d, err := counted(nodes)(ctx, p)
				d.Moves[0].Score++
				return d, err
			}
		}, Recurred{Again: 7, Differ: 7, Foreign: 3, Timed: 5}},
	} {
		told := 0
		got, err := b.Recur(t.Context(), 3, c.share, c.eval, func(Problem) { told++ }, func(_, _ int) {})
		if err != nil || got != c.want || told != got.Differ {
			t.Errorf("%+v, %d told (%v), want %+v", got, told, err, c.want)
		}
	}
}

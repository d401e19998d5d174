package opening

import (
	"errors"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Proofs of one evaluation are intersected. Proofs that exclude each other, scores out of
// range and moves without a value are errors.
func TestEvaluationsAreChecked(t *testing.T) {
	p, err := circuitwars.New(1, 1) // its four moves are equivalent
	testenv.OK(t, err)
	key, _ := p.CanonicalKey(nil)
	move := p.MoveString(p.Moves()[0])
	type says []engine.MoveValue
	for name, c := range map[string]struct {
		own   engine.Decision
		moves says
		want  Value // of the move
		err   error // errAny for any other error
	}{
		"bounds and an estimate": {moves: says{{Score: -1, Proof: engine.Lower}, {Score: 3, Proof: engine.Upper}, {Score: 2}}, want: Value{-1, 3, 2}},
		"an estimate beyond":     {moves: says{{Score: 3, Proof: engine.Upper}, {Score: 7}}, want: Value{-Unbounded, 3, 3}},
		"the greater estimate":   {moves: says{{Score: 1}, {Score: 4}, {Score: 2}}, want: unknown(4)},
		"the tighter bounds":     {moves: says{{Score: 1, Proof: engine.Lower}, {Score: 0, Proof: engine.Lower}, {Score: 5, Proof: engine.Upper}, {Score: 4, Proof: engine.Upper}}, want: Value{1, 4, 1}},
		"only a distant bound":   {moves: says{{Score: 5, Proof: engine.Upper}}, want: Value{-Unbounded, 5, 0}},
		"exact after a bound":    {moves: says{{Score: 1, Proof: engine.Lower}, {Score: 1, Proof: engine.Exact}}, want: exactly(1)},
		"bounds cross":           {moves: says{{Score: 3, Proof: engine.Lower}, {Score: 1, Proof: engine.Upper}}, err: ErrContradiction},
		"two values":             {moves: says{{Score: 3, Proof: engine.Exact}, {Score: 1, Proof: engine.Exact}}, err: ErrContradiction},
		"a score too large":      {moves: says{{Score: maxScore + 1, Proof: engine.Lower}}, err: errAny},
		"a score too small":      {moves: says{{Score: -maxScore - 1, Proof: engine.Upper}}, err: errAny},
		"the largest score":      {moves: says{{Score: maxScore, Proof: engine.Exact}}, want: exactly(maxScore)},
		"nothing":                {err: errIncomplete},
		"only of the position":   {own: engine.Decision{Score: 1, Proof: engine.Exact}, err: errIncomplete},
	} {
		d := c.own
		for _, m := range c.moves {
			m.Move = move
			d.Moves = append(d.Moves, m)
		}
		r, err := newRecord(circuitwars.Game{}, string(key), p, d)
		switch {
		case c.err == errAny && err != nil && !errors.Is(err, ErrContradiction):
		case !errors.Is(err, c.err):
			t.Errorf("%s: error %v, want %v", name, err, c.err)
		case err == nil && (len(r.Moves) != 1 || r.Moves[0].Eval != c.want):
			t.Errorf("%s: %+v, want %s", name, r.Moves, c.want)
		}
	}
}

var errAny = errors.New("any")

// Merging two records keeps the tighter bounds of both, and the estimates of the evaluation
// that took longer. Records with contradictory proofs or different moves cannot be merged.
func TestMergeRecords(t *testing.T) {
	with := func(own, leaf Value, change func(*record)) record {
		r := record{Own: own, Millis: 5, Moves: []storedMove{{Move: 1, Hash: 2, Eval: leaf}}}
		if change != nil {
			change(&r)
		}
		return r
	}
	a := with(Value{-2, 4, 0}, Value{-3, 3, 1}, func(r *record) { r.Visits = 7 })
	for name, c := range map[string]struct {
		b    record
		own  Value
		leaf Value
		err  error
	}{
		"tighter, more effort": {b: with(Value{-1, 5, 0}, Value{-1, 4, 2}, func(r *record) { r.Millis = 6 }), own: Value{-1, 4, 0}, leaf: Value{-1, 3, 2}},
		"tighter, less effort": {b: with(Value{-3, 3, 0}, Value{-4, 2, 2}, func(r *record) { r.Millis = 4 }), own: Value{-2, 3, 0}, leaf: Value{-3, 2, 1}},
		"deeper":               {b: with(Value{-3, 5, 0}, Value{-4, 5, 0}, func(r *record) { r.Depth = 1 }), own: Value{-2, 4, 0}, leaf: Value{-3, 3, 0}},
		"own proofs":           {b: with(Value{5, 6, 5}, Value{-3, 3, 1}, nil), err: ErrContradiction},
		"proofs of a move":     {b: with(Value{-2, 4, 0}, Value{4, 5, 4}, nil), err: ErrContradiction},
		"another move":         {b: with(Value{-2, 4, 0}, Value{-3, 3, 1}, func(r *record) { r.Moves[0].Move = 2 }), err: ErrDamaged},
		"another position":     {b: with(Value{-2, 4, 0}, Value{-3, 3, 1}, func(r *record) { r.Moves[0].Hash = 3 }), err: ErrDamaged},
		"fewer moves":          {b: with(Value{-2, 4, 0}, Value{-3, 3, 1}, func(r *record) { r.Moves = nil }), err: ErrDamaged},
	} {
		for _, pair := range [][2]record{{a, c.b}, {c.b, a}} {
			r, err := mergeRecords(pair[0], pair[1])
			if !errors.Is(err, c.err) {
				t.Errorf("%s: error %v, want %v", name, err, c.err)
			} else if err == nil && (r.Own != c.own || r.Moves[0].Eval != c.leaf || r.Visits != 7) {
				t.Errorf("%s: %s and %s, %d visits; want %s and %s", name, r.Own, r.Moves[0].Eval, r.Visits, c.own, c.leaf)
			}
		}
	}
}

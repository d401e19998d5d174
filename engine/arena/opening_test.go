package arena

import (
	"context"
	"testing"

	"endwise/engine"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func TestOpenings(t *testing.T) {
	o := &Openings{First: config(t, "3x3", 0).First, Plies: 4, Seed: 7, Judge: func(seed uint64) engine.Player {
		l, err := levels.New(3, seed)
		testenv.OK(t, err)
		return l
	}}
	seen := map[string]bool{}
	for k := range 12 {
		moves, err := o.Opening(context.Background(), k)
		if err != nil || len(moves) != 4 {
			t.Fatalf("opening %d: %v, %v", k, moves, err)
		}
		p := o.First
		for _, mv := range moves {
			p, err = p.Play(mv)
			testenv.OK(t, err)
		}
		seen[p.String()] = true
		if s := p.Score(); s[0] != s[1] {
			t.Errorf("opening %d: %s is not level", k, p)
		}
	}
	if len(seen) < 10 {
		t.Errorf("12 openings are only %d positions", len(seen))
	}
	o = &Openings{First: o.First, Plies: 400, Judge: o.Judge}
	if _, err := o.Opening(context.Background(), 0); err == nil {
		t.Error("an opening longer than the game")
	}
}

package book_test

import (
	"context"
	"testing"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

// saying is a source made of a function.
type saying func(k *book.Known)

func (saying) Name() string { return "saying" }

func (s saying) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	if s != nil {
		s(q.Known)
	}
	return false, nil
}

// The line of a proof is followed at the turns after it as long as the opponent follows it,
// if nothing is proved then and, in a lost game, nothing is searched.
func TestLineOfProofIsFollowed(t *testing.T) {
	estimate := func(k *book.Known) { k.Estimate("search", 5, book.Estimate{Move: k.Position.Moves()[1], Score: 3}) }
	prove := func(k *book.Known) {
		k.Prove("solved", book.Claim{Move: k.Position.Moves()[1], Lower: 1 + k.Ties(), Upper: 1 + k.Ties()})
	}
	worse := func(k *book.Known) {
		k.Prove("solved", book.Claim{Move: k.Position.Moves()[1], Lower: k.Ties() - 1, Upper: book.Unbounded})
	}
	for _, g := range []engine.Game{circuitwars.Game{}, dotsandboxes.Game{}, watchyourback.Game{}} {
		for name, c := range map[string]struct {
			value    int
			later    saying // at the turns after the proof
			deviates bool   // the opponent
			follows  bool   // at both turns
		}{
			"won, no search":       {1, nil, false, true},
			"tied, no search":      {0, nil, false, true},
			"lost, no search":      {-1, nil, false, true},
			"won, an estimate":     {1, estimate, false, true},
			"won, a lower bound":   {1, worse, false, true},
			"lost, an estimate":    {-1, estimate, false, false},
			"lost, a proof":        {-1, prove, false, false},
			"won, another proof":   {1, prove, false, false},
			"won, the line is off": {1, nil, true, false},
		} {
			p, err := g.Start("")
			testenv.OK(t, err)
			var line []engine.Move // the last legal move at our turns, the first one at the others
			for end, n := p, 0; n < 5; n++ {
				moves := end.Moves()
				m := moves[(n+1)%2*(len(moves)-1)]
				line = append(line, m)
				end, err = end.Play(m)
				testenv.OK(t, err)
			}
			look := saying(func(k *book.Known) {
				k.Estimate("heuristic", 0, book.Estimate{Move: k.Position.Moves()[0]})
			})
			solved := saying(func(k *book.Known) {
				k.Prove("solved", book.Claim{Move: line[0], Lower: c.value, Upper: c.value, Line: line[1:]})
				k.Bound("solved", c.value, c.value)
				k.Prefer("", line[0])
			})
			l := &book.Lookup{Game: g, Heuristic: look, Sources: []book.Source{solved}}
			for n := 0; n < len(line); n += 2 {
				d, err := l.Decide(t.Context(), book.Question{Position: p, Play: true})
				testenv.OK(t, err)
				want := n == 0 || c.follows
				if (d.Move == p.MoveString(line[n])) != want {
					t.Errorf("%s, %s: move %d is %+v; followed: want %v", g.Name(), name, n, d, want)
				}
				if n > 0 && !want || n+1 == len(line) {
					break
				}
				p = enginetest.Play(t, p, d.Move)
				reply := p.Moves()[0]
				if c.deviates {
					reply = p.Moves()[1]
				}
				p = enginetest.Play(t, p, p.MoveString(reply))
				l.Sources = []book.Source{c.later}
			}
		}
	}
}

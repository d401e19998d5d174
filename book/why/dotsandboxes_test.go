package why

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/plain"
)

// plainDots is a proved decision for a position by plain minimax.
func plainDots(_ context.Context, p engine.Position) (engine.Decision, error) {
	if p.Over() {
		return engine.Decision{Proof: engine.Exact}, nil
	}
	v, err := plain.DotsAndBoxesValue(p.BoardName(), p.(dotsandboxes.Position).Free().Segments())
	return engine.Decision{Score: v, Proof: engine.Exact, Nodes: 1}, err
}

// Every fact about 200 random positions follows from the rules.
func TestDotsAndBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	seen, explained, nevertheless := map[Kind]int{}, 0, 0
	for range 200 {
		b := randomBoard(t, r, "2x3", "3x3", "2x5", "3x4", "4x4")
		p := booktest.RandomDotsAndBoxes(t, r, b, 6+r.IntN(9))
		if r.IntN(2) == 0 {
			var err error
			free := enginetest.RandomQuiet(r, b, 6+r.IntN(9))
			if free.Len() > 18 {
				continue
			}
			p, err = dotsandboxes.FromLines(b, b.All().Minus(free), [2]int{}, engine.Second)
			testenv.OK(t, err)
		}
		if p.Over() {
			continue
		}
		d, err := plainDots(t.Context(), p)
		testenv.OK(t, err)
		reasons := dotsChecker.check(t, p, d, plainDots)
		lead := d.Score + engine.Lead(p, p.Turn())
		winner := p.Turn()
		if lead < 0 {
			winner = winner.Other()
		}
		other, said := false, 0 // whether a reason favours the loser, and how often the text says who wins
		for _, r := range reasons {
			seen[r.Kind]++
			favours := r.Side != engine.None && (r.Kind == SafeLines && r.Numbers["now"] > 0 || r.Kind == Nimbers)
			other = other || favours && lead != 0 && r.Side != winner
			said += strings.Count(r.Text, "Nevertheless "+winner.String()+" wins")
		}
		if other != (said == 1) || said > 1 {
			t.Errorf("%s, %s ahead by %d: %v", p, winner, lead, reasons)
		}
		nevertheless += said
		if seen[Unexplained] == 0 || reasons[len(reasons)-1].Kind != Unexplained {
			explained++
			checkExplained(t, p, d.Score, reasons)
		}
	}
	for kind := range dotsChecker {
		if seen[kind] < 10 {
			t.Errorf("only %d positions with %q", seen[kind], kind)
		}
	}
	if nevertheless < 10 {
		t.Errorf("only %d positions in which a reason favours the loser", nevertheless)
	}
	t.Log(seen, "explained", explained)
}

// checkExplained checks that a reason yields the value.
func checkExplained(t *testing.T, p engine.Position, value int, reasons []Reason) {
	t.Helper()
	for _, r := range reasons {
		n := r.Numbers
		if declined, ok := n["declined"]; r.Kind == Captures && (n["all"] == value || ok && declined == value) || r.Kind == Loony && n["value"] == value {
			return
		}
	}
	t.Errorf("%s is worth %+d, which no reason yields", p, value)
}

// capturing returns all positions that the player to move reaches by captures alone.
func capturing(p dotsandboxes.Position) []dotsandboxes.Position {
	seen := map[grid.Set]bool{p.Free(): true}
	all := []dotsandboxes.Position{p}
	for i := 0; i < len(all); i++ {
		for _, m := range all[i].Moves() {
			if q, err := all[i].DrawLine(m); err == nil && all[i].Captures(m) > 0 && !seen[q.Free()] {
				seen[q.Free()] = true
				all = append(all, q)
			}
		}
	}
	return all
}

func taken(p, q dotsandboxes.Position) int { return engine.Gained(p, q) }

// afterCaptures returns the rest of a position, in which nothing can be captured.
func afterCaptures(p dotsandboxes.Position) dotsandboxes.Position {
	all := capturing(p)
	return all[len(all)-1] // breadth first: the last has the most lines drawn
}

var dotsChecker = checker{
	Captures: func(t *testing.T, at engine.Position, r Reason) {
		p := at.(dotsandboxes.Position)
		rest := afterCaptures(p)
		k := taken(p, rest)
		same(t, p, r, "boxes", k)
		v, err := plainDots(t.Context(), rest)
		testenv.OK(t, err)
		same(t, p, r, "rest", v.Score)
		same(t, p, r, "all", k+v.Score)
		left := 1000 // boxes that a line can leave, the rest unchanged
		for _, q := range capturing(p) {
			for _, m := range q.Moves() {
				if q.Captures(m) > 0 {
					continue
				}
				next, err := q.DrawLine(m)
				testenv.OK(t, err)
				if end := afterCaptures(next); end.Free() == rest.Free() {
					left = min(left, taken(next, end))
				}
			}
		}
		if _, ok := r.Numbers["left"]; ok != (left < 1000) {
			t.Errorf("%s: a double-deal leaves %d", p, left)
		} else if ok {
			same(t, p, r, "left", left)
			same(t, p, r, "declined", k-2*left-v.Score)
		}
	},
	Chains: checkChains,
	Loony: func(t *testing.T, at engine.Position, r Reason) {
		checkChains(t, at, r)
		v, err := plainDots(t.Context(), afterCaptures(at.(dotsandboxes.Position)))
		testenv.OK(t, err)
		same(t, at, r, "value", v.Score)
		if c, ok := r.Numbers["controlled"]; ok {
			gained, last := 0, 8
			for _, part := range r.Parts {
				gained += part.Size - 8
				if part.Kind == "chain" {
					gained, last = gained+4, 4
				}
			}
			if c != gained+last || v.Score != -c {
				t.Errorf("%s: keeping control gains %d, want %d, the value is %d", at, c, gained+last, v.Score)
			}
		}
	},
	SafeLines: func(t *testing.T, at engine.Position, r Reason) {
		p := afterCaptures(at.(dotsandboxes.Position))
		now := 0
		for _, m := range p.Moves() {
			if p.Safe(m) {
				now++
			}
		}
		same(t, at, r, "now", now)
		run := safeLines(t, p, map[grid.Set][3]int{})
		same(t, at, r, "least", run[0])
		same(t, at, r, "most", run[1])
		last := p.Turn()
		if run[2] == 0 {
			last = last.Other()
		}
		if own := at.(dotsandboxes.Position).Free() == p.Free(); own && now > 0 && r.Side != last {
			t.Errorf("%s: %v has the last safe line, want %v", at, r.Side, last)
		}
	},
	ChainRule: func(t *testing.T, at engine.Position, r Reason) {
		p := at.(dotsandboxes.Position)
		same(t, p, r, "lines", p.Free().Len())
		open := 0
		for box := range p.Board().Squares() {
			if !p.Completed(box) {
				open++
			}
		}
		same(t, p, r, "boxes", open)
		same(t, p, r, "turns", p.Free().Len()-open)
		// Games in which n lines complete two boxes: those with n + 1 long chains, all but
		// one of which end in a double-deal.
		rng := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			q, n := p, 0
			for !q.Over() {
				m := q.Moves()[rng.IntN(len(q.Moves()))]
				if q.Captures(m) == 2 {
					n++
				}
				next, err := q.DrawLine(m)
				testenv.OK(t, err)
				q = next
			}
			if chains := n + 1; (q.Turn() == r.Side) != (chains%2 == r.Numbers["odd"]) {
				t.Errorf("%s: with %d lines that complete two boxes %v has the last turn", p, n, q.Turn())
			}
		}
	},
	Nimbers: func(t *testing.T, at engine.Position, r Reason) {
		p := afterCaptures(at.(dotsandboxes.Position))
		sum, lines := 0, 0
		for _, part := range r.Parts {
			var free grid.Set
			for _, m := range part.Moves {
				s, err := p.ParseMove(m)
				testenv.OK(t, err)
				free.Add(int(s))
			}
			lines += free.Len()
			if free.Len() < 14 && nimstring(p.Board(), free, *part.Nimber, map[string]bool{}) {
				t.Errorf("%s: %v has not the nimber %d", at, part.Moves, *part.Nimber)
			}
			sum ^= *part.Nimber
		}
		same(t, at, r, "sum", sum)
		if lines != p.Free().Len() {
			t.Errorf("%s: parts of %d lines, want %d", at, lines, p.Free().Len())
		}
	},
}

// safeLines returns the least and the greatest number of safe lines drawn in turn, and
// whether the player to move can have the last (1) or not (0).
func safeLines(t *testing.T, p dotsandboxes.Position, memo map[grid.Set][3]int) [3]int {
	if r, ok := memo[p.Free()]; ok {
		return r
	}
	r := [3]int{1000, 0, 0}
	for _, m := range p.Moves() {
		if p.Safe(m) {
			q, err := p.DrawLine(m)
			testenv.OK(t, err)
			next := safeLines(t, q, memo)
			r = [3]int{min(r[0], next[0]+1), max(r[1], next[1]+1), max(r[2], 1-next[2])}
		}
	}
	if r[0] == 1000 {
		r[0] = 0
	}
	memo[p.Free()] = r
	return r
}

// nimstring reports by trying all moves whether the player to move wins Nimstring and a
// heap of the game Nim played at the same time.
func nimstring(b *grid.Board, free grid.Set, heap int, memo map[string]bool) bool {
	key := fmt.Sprint(free, heap)
	if won, ok := memo[key]; ok {
		return won
	}
	won := false
	for h := 0; h < heap && !won; h++ {
		won = !nimstring(b, free, h, memo)
	}
	for _, s := range free.Segments() {
		if won {
			break
		}
		next, again := free, false
		next.Remove(s)
		for _, box := range b.Sides(s) {
			if box != grid.Outside {
				around := b.Around(box)
				again = again || !slices.ContainsFunc(around[:], next.Has)
			}
		}
		won = nimstring(b, next, heap, memo) == again
	}
	memo[key] = won
	return won
}

// chainsOf describes the chains and loops, and counts them: it joins boxes with two free
// lines that share one.
func chainsOf(p dotsandboxes.Position) (want []string, count map[string]int) {
	b, free := p.Board(), p.Free()
	lines := make([]int, b.Squares())
	joints := 0
	for box := range lines {
		for _, s := range b.Around(box) {
			if free.Has(s) {
				lines[box]++
			}
		}
		if lines[box] > 2 {
			joints++
		}
	}
	group := make([]int, b.Squares())
	for box := range group {
		group[box] = box
	}
	for range group { // the smallest number spreads
		for _, s := range free.Segments() {
			if x, y := b.Sides(s)[0], b.Sides(s)[1]; y != grid.Outside && lines[x] == 2 && lines[y] == 2 {
				group[x] = min(group[x], group[y])
				group[y] = group[x]
			}
		}
	}
	count = map[string]int{"joints": joints, "long": 0, "short": 0, "loops": 0}
	for g := range group {
		var squares, moves []string
		for box, of := range group {
			if of == g && lines[box] == 2 {
				x, y := b.XY(box)
				squares = append(squares, fmt.Sprintf("(%d,%d)", x, y))
			}
		}
		for _, s := range free.Segments() {
			for _, box := range b.Sides(s) {
				if box != grid.Outside && group[box] == g && lines[box] == 2 {
					moves = append(moves, p.MoveString(engine.Move(s)))
					break
				}
			}
		}
		kind := "chain"
		switch {
		case len(squares) == 0:
			continue
		case len(squares) == len(moves):
			kind = "loop"
			count["loops"]++
		case len(squares) > 2:
			count["long"]++
		default:
			count["short"]++
		}
		want = append(want, fmt.Sprint(kind, len(squares), squares, moves))
	}
	return want, count
}

func checkChains(t *testing.T, at engine.Position, r Reason) {
	want, count := chainsOf(afterCaptures(at.(dotsandboxes.Position)))
	var got []string
	for _, part := range r.Parts {
		got = append(got, fmt.Sprint(part.Kind, part.Size, part.Squares, part.Moves))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: chains and loops %q, want %q", at, got, want)
	}
	if r.Kind == Chains {
		for name, n := range count {
			same(t, at, r, name, n)
		}
	}
}

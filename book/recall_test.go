package book

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// recalledBound returns the bound that a memory has for a position.
func recalledBound(y *memory, p engine.Position) (int, string) {
	k := NewKnown(p, dotsandboxes.Game{}, nil)
	y.recall(k)
	return k.lower, k.lowerFrom
}

func dab(t *testing.T, text string) engine.Position {
	t.Helper()
	p, err := dotsandboxes.Game{}.Parse(text)
	testenv.OK(t, err)
	return p
}

// proved remembers that a move is worth at least value.
func proved(y *memory, p engine.Position, m engine.Move, value int) {
	y.remember(NewKnown(p, dotsandboxes.Game{}, nil), KnownMove{Move: m, Lower: value, LowerFrom: "solved"}, []string{p.MoveString(m)})
}

// The proofs of the last games are remembered, including the latest and the oldest; one
// more game removes the oldest one.
func TestMemoryHoldsLastGames(t *testing.T) {
	game := func(n int) (before engine.Position, m engine.Move, replied engine.Position) {
		p := dab(t, "6x6")
		before, err := p.Play(p.Moves()[n+2])
		testenv.OK(t, err)
		m = before.Moves()[0]
		after, err := before.Play(m)
		testenv.OK(t, err)
		replied, err = after.Play(after.Moves()[len(after.Moves())-1-n%3])
		testenv.OK(t, err)
		return before, m, replied
	}
	for _, games := range []int{1, 2, maxProofs, maxProofs + 1} {
		var y memory
		for n := range games {
			p, m, _ := game(n)
			proved(&y, p, m, n)
		}
		for n := range games {
			_, _, p := game(n)
			want, from := n, "solved"
			if games-n > maxProofs {
				want, from = -Unbounded, ""
			}
			if got, source := recalledBound(&y, p); got != want || source != from {
				t.Errorf("%d games, number %d: at least %d by %q, want %d", games, n, got, source, want)
			}
		}
	}
}

// A proof is recalled in positions to which only the opponent's moves lead: the result is
// the same, and what was won since is subtracted.
func TestMemoryRecalls(t *testing.T) {
	const before = "2x2 h0,0 v0,0 h1,0 h2,0"
	for _, c := range []struct {
		name, now string
		want      int // at least; -Unbounded for nothing
	}{
		{"the opponent's only line", before + " v1,2 h0,1", 1},
		{"the opponent's line that takes a box, then another", before + " v1,2 v0,1 h0,1", 2},
		{"those in another order", before + " v1,2 h0,1 v0,1", -Unbounded}, // not the opponent's
		{"no reply yet", before + " v1,2", -Unbounded},
		{"another move", before + " v1,1 h0,1", -Unbounded},
		{"two turns later", before + " v1,2 h0,1 h1,1 v1,1", -Unbounded},
		{"another board", "2x3 h0,0 v0,0 h1,0 h2,0 v1,2 h0,1", -Unbounded},
	} {
		var y memory
		p := dab(t, before)
		m, err := p.ParseMove("v1,2")
		testenv.OK(t, err)
		proved(&y, p, m, 1)
		if got, _ := recalledBound(&y, dab(t, c.now)); got != c.want {
			t.Errorf("%s: at least %d, want %d", c.name, got, c.want)
		}
	}
}

// A move that ends the game and a move without a proof are not remembered.
func TestMemoryKeepsProofsOnly(t *testing.T) {
	for _, c := range []struct {
		position, source string
		want             int
	}{
		{"1x1 h0,0 v0,0 h1,0", "solved", 0},
		{"1x1 h0,0 v0,0", "", 0},
		{"1x1 h0,0 v0,0", "solved", 1},
	} {
		var y memory
		p := dab(t, c.position)
		y.remember(NewKnown(p, nil, nil), KnownMove{Move: p.Moves()[0], Lower: -1, Upper: 1, LowerFrom: c.source}, []string{""})
		if len(y.proofs) != c.want {
			t.Errorf("%s, proved by %q: %d are remembered, want %d", c.position, c.source, len(y.proofs), c.want)
		}
	}
}

// A move that follows the line of an earlier turn's proof keeps what is proved about it now,
// and the line keeps its result.
func TestMemoryKeepsProofOfFollowedMove(t *testing.T) {
	p := dab(t, "3x3")
	m := p.Moves()[0]
	for _, c := range []struct {
		proved string
		want   int
	}{{"solved", 3}, {"", -Unbounded}} {
		k := NewKnown(p, dotsandboxes.Game{}, nil)
		k.play = true
		k.line = &proof{line: []string{p.MoveString(m)}, lineResult: 5, lineSource: "earlier"}
		var y memory
		y.remember(k, KnownMove{Move: m, Lower: 3, LowerFrom: c.proved, Upper: Unbounded}, []string{p.MoveString(m), "h3,0", "v0,0"})
		after := enginetest.Play(t, enginetest.Play(t, p, p.MoveString(m)), "h3,0")
		next := NewKnown(after, dotsandboxes.Game{}, nil)
		y.recall(next)
		if next.lower != c.want || next.lowerFrom != c.proved {
			t.Errorf("proved by %q: lower bound %d by %q, want %d", c.proved, next.lower, next.lowerFrom, c.want)
		}
		if next.line == nil || next.line.lineResult != 5 || next.line.lineSource != "earlier" {
			t.Errorf("proved by %q: the line is %+v", c.proved, next.line)
		}
	}
}

// A lookup starts from what it proved at the turn before if its answers are played.
func TestLookupBeginsWithTheLastProof(t *testing.T) {
	for _, play := range []bool{true, false} {
		p := dab(t, "2x2 h0,0 v0,0 h1,0 h2,0")
		prove := true
		var lower int
		l := &Lookup{Game: dotsandboxes.Game{}, Sources: []Source{source{"solved", func(_ context.Context, q *Question) (bool, error) {
			lower, _ = q.Known.UnmatchedBound()
			if prove {
				m, err := q.Position.ParseMove("v1,2")
				q.Known.Prove("solved", Claim{Move: m, Lower: 2, Upper: 2})
				return true, err
			}
			q.Known.Estimate("solved", 1, Estimate{Move: q.Position.Moves()[0]})
			return true, nil
		}}}}
		d, err := l.Decide(t.Context(), Question{Position: p, Play: play})
		if err != nil || d.Move != "v1,2" {
			t.Fatal(d.Move, err)
		}
		prove = false
		p = enginetest.Play(t, enginetest.Play(t, p, d.Move), "h0,1")
		_, err = l.Decide(t.Context(), Question{Position: p, Play: play})
		testenv.OK(t, err)
		if want := map[bool]int{true: 2, false: -Unbounded}[play]; lower != want {
			t.Errorf("played %v: the next decision begins with %d, want %d", play, lower, want)
		}
	}
}

// An error of the first source is the lookup's error and names the source, also if books
// are grown.
func TestErrorOfHeuristicSourceNamesIt(t *testing.T) {
	broken := errors.New("broken")
	l := &Lookup{Sources: []Source{fixed("full", "0,0,top")}, Heuristic: source{"first", func(context.Context, *Question) (bool, error) { return false, broken }}}
	_, err := l.Decide(t.Context(), Question{Position: start(t)})
	_, evaluated := Evaluator(l, time.Second)(t.Context(), start(t))
	for _, err := range []error{err, evaluated} {
		if !errors.Is(err, broken) || err.Error() != "first: broken" {
			t.Errorf("%v", err)
		}
	}
}

// Claims are the bounds and the estimate of every move, except those of the heuristic
// source. An exact value is the only claim of its move.
func TestClaims(t *testing.T) {
	p := start(t)
	k := NewKnown(p, circuitwars.Game{}, nil)
	moves := p.Moves()
	k.Estimate("heuristic", 0, Estimate{Move: moves[0], Score: 9}, Estimate{Move: moves[4], Score: 9})
	k.MarkHeuristic()
	k.Prove("solved", Claim{Move: moves[0], Lower: -2, Upper: 2}, Claim{Move: moves[1], Lower: -2, Upper: -2}, Claim{Move: moves[2], Lower: -Unbounded, Upper: 0})
	k.Estimate("search", 2, Estimate{Move: moves[0], Score: 1}, Estimate{Move: moves[1], Score: 1}, Estimate{Move: moves[3], Score: 4})
	var got []string
	for _, c := range k.Claims() {
		got = append(got, fmt.Sprintf("%s %s %d %s", c.Move, c.Proof, c.Score, c.Source))
	}
	name := p.MoveString
	want := []string{
		name(moves[0]) + " lower -2 solved", name(moves[0]) + " upper 2 solved", name(moves[0]) + " estimate 1 search",
		name(moves[1]) + " exact -2 solved", name(moves[2]) + " upper 0 solved", name(moves[3]) + " estimate 4 search",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("claims %q, want %q", got, want)
	}
}

// A bound that follows from the number of open squares neither hides another bound nor counts
// as a value of the move.
func TestImpliedBoundsAreNotListed(t *testing.T) {
	p, err := circuitwars.New(4, 4)
	testenv.OK(t, err)
	k := NewKnown(p, circuitwars.Game{}, nil)
	moves := p.Moves()
	k.Prove("mirror", Claim{Move: moves[0], Lower: -Unbounded, Upper: -4})
	k.Prove("book", Claim{Move: moves[0], Lower: -16, Upper: Unbounded})
	k.Prove("book", Claim{Move: moves[1], Lower: -16, Upper: 16})
	k.Bound("solver", -Unbounded, 16)
	d, _, _ := k.Decide(true)
	want := engine.MoveValue{Move: p.MoveString(moves[0]), Score: -4, Proof: engine.Upper, Source: "mirror"}
	if len(d.Moves) != 1 || !reflect.DeepEqual(d.Moves[0], want) {
		t.Errorf("listed: %+v, want %+v", d.Moves, want)
	}
	if c := k.Claims(); len(c) != 1 || c[0].Score != -4 {
		t.Errorf("claims: %+v", c)
	}
}

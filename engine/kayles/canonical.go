package kayles

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
)

var (
	_ engine.Canonical = Position{}
	_ engine.Bounded   = Position{}
)

// run is a number of pins that stand side by side, the first of them at a place
// in the row of letters.
type run struct{ at, size int }

// runs are the runs of a position from left to right.
func (p Position) runs() []run {
	var out []run
	for i := 0; i < len(p.pins); i++ {
		if p.pins[i] != standing {
			continue
		}
		n := len(p.pins[i:]) - len(strings.TrimLeft(p.pins[i:], string(standing)))
		out = append(out, run{i, n})
		i += n
	}
	return out
}

// BoardName implements engine.Canonical.
func (p Position) BoardName() string { return string(p.board) }

// A key is a byte with the number of the board's rows, their sizes, and for
// each size from 1 to that of the longest row how many runs have it. Where runs
// lie, and who is to move, does not matter to the value.

// CanonicalKey implements engine.Canonical.
func (p Position) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	rows := p.board.rows()
	dst = append(dst, byte(len(rows)))
	for _, n := range rows {
		dst = append(dst, byte(n))
	}
	o := orientation{own: p.runs()}
	slices.SortStableFunc(o.own, func(a, b run) int { return cmp.Compare(b.size, a.size) })
	counts := make([]byte, p.board.longest())
	at := 0
	for _, r := range o.own {
		counts[r.size-1]++
		o.canonical = append(o.canonical, run{at, r.size})
		at += r.size + 1
	}
	return append(dst, counts...), o
}

// FromKey implements engine.CanonicalGame: every run is a row, the longest
// first, and it is player 1's turn.
func (Game) FromKey(key []byte) (engine.Canonical, error) {
	if len(key) == 0 || len(key) < 1+int(key[0]) {
		return nil, errors.New("key: too short")
	}
	var rows, pins []string
	for _, n := range key[1 : 1+key[0]] {
		rows = append(rows, fmt.Sprint(n))
	}
	b, err := parseBoard(strings.Join(rows, "-"))
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	counts := key[1+key[0]:]
	if len(counts) != b.longest() {
		return nil, fmt.Errorf("key: %d counts of runs, want %d", len(counts), b.longest())
	}
	for size := len(counts); size > 0; size-- {
		if counts[size-1] > MaxPins {
			return nil, fmt.Errorf("key: %d runs of %d pins", counts[size-1], size)
		}
		for range counts[size-1] {
			pins = append(pins, strings.Repeat(string(standing), size))
		}
	}
	p := Position{b, strings.Join(pins, string(gap)), engine.First}
	if p.pins == "" {
		p.pins = string(fallen)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	return p, nil
}

// Gain implements engine.Canonical: who knocks down the last pin wins.
func (p Position) Gain(next engine.Position) int {
	if next.Over() {
		return 1
	}
	return 0
}

// ValueBounds implements engine.Bounded: a win or a loss.
func (p Position) ValueBounds() (low, high int) { return -1, 1 }

// ProofScale implements engine.CanonicalGame: a proved score is the result.
func (Game) ProofScale() int { return 10000 }

// orientation translates moves run by run: those of a position and the rows of
// the canonical one, in the same order.
type orientation struct{ own, canonical []run }

// ToCanonical implements engine.Orientation.
func (o orientation) ToCanonical(m engine.Move) engine.Move {
	to, _ := translate(o.own, o.canonical, m)
	return to
}

// FromCanonical implements engine.Orientation.
func (o orientation) FromCanonical(m engine.Move) (engine.Move, bool) {
	return translate(o.canonical, o.own, m)
}

// translate takes a move from a run to the one with the same number.
func translate(from, to []run, m engine.Move) (engine.Move, bool) {
	if m < 0 {
		return 0, false
	}
	for i, r := range from {
		if at := int(m)/2 - r.at; at >= 0 && at+int(m)%2 < r.size {
			return engine.Move(2*(to[i].at+at)) + m%2, true
		}
	}
	return 0, false
}

// Package negamax solves any game whose positions have canonical keys
// (engine.Canonical), knowing no more of it than its rules: Solver works out a
// position's value under a clock, Exhaust those of all positions that can be
// reached from one.
//
// Both rest on what engine.Canonical promises: positions with equal keys have
// equal values, and no sequence of moves leads from a key back to itself. The
// value of a position is the greatest over its moves of what the move gains plus
// the value of the position behind it, the latter with its sign turned where
// the turn passes.
//
// Games that are worth more have solvers of their own beside this package;
// this one is what a new game gets for nothing, and some hundred times slower.
package negamax

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"endwise/engine"
	"endwise/solver"
	"endwise/solver/tt"
)

// Key is a hash of a canonical key: the first 128 bits of its SHA-256. Two
// positions of one among 2^40 have the same with a probability below 2^-48.
type Key [16]byte

// KeyOf hashes the canonical key of a position.
func KeyOf(p engine.Canonical) Key {
	raw, _ := p.CanonicalKey(nil)
	sum := sha256.Sum256(raw)
	return Key(sum[:16])
}

// MaxValue bounds values and gains, so that they fit into tables.
const MaxValue = 1 << 13

const infinity = 1<<15 - 1 // beyond every value plus a gain

// ErrRange is wrapped where a game's gains or values go beyond MaxValue.
var ErrRange = errors.New("values too large for a table")

// Move is a legal move and what it is worth to the side that plays it.
type Move struct {
	Move  engine.Move
	Value int // exact
}

// checkEvery is how many nodes pass between two looks at the context.
const checkEvery = 256

// Solver is alpha-beta search with a table of bounds by key. It keeps what it
// has learnt between questions and may be used from several goroutines, one
// question at a time.
type Solver struct {
	mu    sync.Mutex
	table *tt.Table
}

// New returns a solver with a table of at most so many bytes.
func New(tableBytes int64) *Solver { return &Solver{table: tt.New(tableBytes)} }

// known are the bounds of a key in the table, ±infinity where it has none.
func (s *Solver) known(k Key) (lower, upper int) {
	data, work := s.table.Get(k.halves())
	if work == 0 {
		return -infinity, infinity
	}
	return int(int16(data)), int(int16(data >> 16))
}

// keep stores bounds that took so many nodes.
func (s *Solver) keep(k Key, lower, upper int, nodes uint64) {
	hi, lo := k.halves()
	s.table.Put(hi, lo, uint64(uint16(lower))|uint64(uint16(upper))<<16, tt.Work(nodes))
}

func (k Key) halves() (hi, lo uint64) {
	return binary.BigEndian.Uint64(k[:8]), binary.BigEndian.Uint64(k[8:])
}

// Moves works out what the moves of an unfinished position are worth: those
// whose values are known when the context ends, best first, equal ones in the
// position's order; complete says that they are all. Without all it stops to
// look at moves that are no better than the best one, so that only the first
// of the list has a meaning, and complete says that none is better.
func (s *Solver) Moves(ctx context.Context, p engine.Canonical, all bool) (moves []Move, complete bool, nodes uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table.NextSearch()
	x := search{Solver: s, ctx: ctx}
	low, high := limits(p)
	best := low - 1 // no move reaches it
	kids, err := children(p)
	if err != nil {
		return nil, false, x.nodes, err
	}
	for _, c := range kids {
		alpha := best
		if all {
			alpha = -infinity
		}
		v, err := x.through(p, c, alpha, infinity)
		if err != nil {
			if ctx.Err() != nil {
				sortMoves(p, moves)
				return moves, false, x.nodes, nil
			}
			return nil, false, x.nodes, err
		}
		if !all && v <= best {
			continue // at most that: the window was above best
		}
		best = max(best, v)
		moves = append(moves, Move{c.move, v})
		// Bounds of the game: nothing is better than its greatest value.
		if !all && v >= high {
			break
		}
	}
	if !all && len(moves) == 0 {
		return nil, false, x.nodes, fmt.Errorf("%s: no move is worth the %+d that the game says is the least", p, low)
	}
	sortMoves(p, moves)
	return moves, true, x.nodes, nil
}

// Value works out the value of a position. The error is the context's, or wraps
// ErrRange, or is that of the game's rules.
func (s *Solver) Value(ctx context.Context, p engine.Canonical) (v int, nodes uint64, err error) {
	if p.Over() {
		return 0, 0, nil
	}
	moves, complete, nodes, err := s.Moves(ctx, p, false)
	if err != nil {
		return 0, nodes, err
	}
	if !complete {
		return 0, nodes, context.Cause(ctx)
	}
	return moves[0].Value, nodes, nil
}

// sortMoves puts the best first, and keeps the position's order beyond that.
func sortMoves(p engine.Position, moves []Move) {
	places := p.Moves()
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(b.Value-a.Value, slices.Index(places, a.Move)-slices.Index(places, b.Move))
	})
}

// child is a move and the position that it leads to.
type child struct {
	engine.Canonical
	move engine.Move
	gain int
}

// children plays the moves, those that gain most at once first.
func children(p engine.Canonical) ([]child, error) {
	var out []child
	for _, m := range p.Moves() {
		next, err := p.Play(m)
		if err != nil {
			return nil, err
		}
		q, ok := next.(engine.Canonical)
		if !ok {
			return nil, fmt.Errorf("%s: the position after %s has no canonical key", p, p.MoveString(m))
		}
		gain := p.Gain(q)
		if gain < -MaxValue || gain > MaxValue {
			return nil, fmt.Errorf("%s: %s gains %d: %w", p, p.MoveString(m), gain, ErrRange)
		}
		out = append(out, child{q, m, gain})
	}
	slices.SortStableFunc(out, func(a, b child) int { return b.gain - a.gain })
	return out, nil
}

// search is one question.
type search struct {
	*Solver
	ctx   context.Context
	nodes uint64
}

// limits are what is known of a position's value before any search.
func limits(p engine.Canonical) (low, high int) {
	if b, ok := p.(engine.Bounded); ok {
		return b.ValueBounds()
	}
	return -infinity, infinity
}

// through is what a move from p is worth to who plays it, in a window.
func (x *search) through(p engine.Canonical, c child, alpha, beta int) (int, error) {
	if c.Over() {
		return c.gain, nil
	}
	if c.Turn() == p.Turn() {
		v, err := x.value(c.Canonical, alpha-c.gain, beta-c.gain)
		return c.gain + v, err
	}
	v, err := x.value(c.Canonical, c.gain-beta, c.gain-alpha)
	return c.gain - v, err
}

// value returns v with alpha < v < beta only if it is the position's value,
// v <= alpha only if the value is at most v, and v >= beta only if it is at
// least v (fail-soft alpha-beta, Knuth and Moore 1975, Fishburn 1983).
//
// Proof that what is cut off changes nothing, by induction over the moves left.
// A cut at best >= beta leaves out moves, which can only make the value
// greater: best is a lower bound. A child searched with alpha raised to the
// best so far returns its value, or a bound that shows it no better; so the
// greatest of what the children return is the value, or an upper bound if it
// is not above the window. Bounds from the table and from the game hold for
// the value: to narrow the window to [lower, upper] loses nothing, since a
// result at or below lower then says that the value is lower, and one at or
// above upper that it is upper.
func (x *search) value(p engine.Canonical, alpha, beta int) (int, error) {
	if x.nodes%checkEvery == 0 {
		if solver.Yield(); x.ctx.Err() != nil {
			return 0, context.Cause(x.ctx)
		}
	}
	before := x.nodes
	x.nodes++
	key := KeyOf(p)
	lower, upper := x.known(key)
	low, high := limits(p)
	low, high = max(low, lower), min(high, upper)
	switch {
	case low >= beta || low == high:
		return low, nil
	case high <= alpha:
		return high, nil
	}
	kids, err := children(p)
	if err != nil {
		return 0, err
	}
	from, to := max(alpha, low), min(beta, high)
	best := -infinity
	for _, c := range kids {
		v, err := x.through(p, c, max(from, best), to)
		if err != nil {
			return 0, err
		}
		if best = max(best, v); best >= to {
			break
		}
	}
	if best < -MaxValue || best > MaxValue {
		return 0, fmt.Errorf("%s: value %d: %w", p, best, ErrRange)
	}
	switch {
	case best <= from && from > -infinity:
		high = best
	case best >= to && to < infinity:
		low = best
	default:
		low, high = best, best
	}
	x.keep(key, max(low, -infinity), min(high, infinity), x.nodes-before)
	return best, nil
}

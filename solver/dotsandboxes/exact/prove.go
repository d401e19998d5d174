package exact

import (
	"context"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/tt"
)

// A value can be proved in a minute and takes half a second at the table, so
// play from the empty board needs a part of the proof at hand. That part is
// small: a proof that a position is worth at least t has one move of each
// position of the one side and all moves of the other's, and most of it is
// quickly found again. What is not are the positions near the root; with the
// bounds of those in the transposition table a search comes down to what is
// left of the proof.

// Proved is what is known about one class of positions: bounds of its value for
// the side to move.
type Proved struct {
	Key          [2]uint64
	Lower, Upper int8
}

// Prove works out the value of an empty board, by both proofs: that it is at
// least that much and at most that much. The facts are bounds of those
// positions in them whose own proof takes at least size positions, counted as
// a tree, and of the moves that the proof makes in them. They hold for any
// board. When the context ends first, the error is the context's.
func (s *Solver) Prove(ctx context.Context, b *grid.Board, size int) ([]Proved, solver.Result, error) {
	r, err := s.Value(ctx, b, b.All())
	if err != nil || !r.Exact() {
		if err == nil {
			err = ended(ctx)
		}
		return nil, r, err
	}
	w, mask, err := s.at(ctx, b, b.All())
	if err != nil {
		return nil, r, err
	}
	defer w.end()
	p := prover{w: w.workers[0], least: size, sizes: map[uint64]int{}, proved: map[Key]Proved{}}
	for _, t := range [2]int{r.Lower, r.Lower + 2} {
		if p.walk(0, mask, w.g.boxes, t); w.stop.Load() {
			return nil, r, ended(ctx)
		}
	}
	facts := make([]Proved, 0, len(p.proved))
	for _, a := range p.proved {
		facts = append(facts, a)
	}
	return facts, r, nil
}

// Learn puts facts into the transposition table, where they outlive
// everything that a search finds. They must be true.
func (s *Solver) Learn(facts []Proved) {
	for _, a := range facts {
		s.table.Store(a.Key[1], a.Key[0], int(a.Lower), int(a.Upper), 1<<63)
	}
}

// prover walks through the proofs that a search has left in its table.
type prover struct {
	w      *worker
	least  int
	sizes  map[uint64]int // of proofs, by position and bound
	proved map[Key]Proved
	shape  shape // scratch
}

// maxSize is where the count of a proof's positions stops.
const maxSize = 1 << 30

// walk goes through the proof that the value of an R-type position is at
// least t, or that it is less, and counts the positions in it.
func (p *prover) walk(depth int, mask uint64, boxes, t int) int {
	w := p.w
	k, b := p.peek(mask, boxes)
	if b.Lower < t && b.Upper >= t { // the table has lost it
		if v := w.atLeast(depth, mask, parentHint{}, boxes, t, false); v >= t {
			b.Lower = v
		} else {
			b.Upper = v
		}
	}
	if p.shape.mask == 0 || p.shape.joints == 0 || boxes < t || -boxes >= t || w.stopped {
		return 0 // nothing to search, or the two options of a loony ending
	}
	name := tt.Mix(k.lo+uint64(t+128)) ^ k.hi
	if n, ok := p.sizes[name]; ok {
		return n
	}
	y := &w.plies[depth]
	w.g.take(mask, &y.shape, w.use)
	w.options(y, t)
	var n int
	if b.Lower >= t {
		n = p.move(depth, y, t)
	} else {
		n = p.moves(depth, y, t)
	}
	p.sizes[name] = n
	if n >= p.least {
		p.keep(k, b)
	}
	return n
}

// move counts the proof that a position is worth at least t: one move whose
// result, whether the boxes are all taken or the last refused, is that good.
func (p *prover) move(depth int, y *ply, t int) int {
	for _, search := range [2]bool{false, true} {
		for i := range y.n {
			m := &y.moves[i]
			left, refuse, take := y.shape.boxes-int(m.taken), t+int(m.taken)-int(m.price), -int(m.taken)-t+2
			k, b := p.peek(m.child, left)
			if search && m.price != infinity && b.Lower < refuse && b.Upper >= refuse {
				b.Lower = max(b.Lower, p.w.atLeast(depth+1, m.child, parentHint{}, left, refuse, false))
			}
			if search && b.Lower < take && b.Upper >= take {
				b.Upper = min(b.Upper, p.w.atLeast(depth+1, m.child, parentHint{}, left, take, false))
			}
			if b.Upper >= take || m.price != infinity && b.Lower < refuse {
				continue
			}
			n := 1 + p.walk(depth+1, m.child, left, take)
			if m.price != infinity {
				n += p.walk(depth+1, m.child, left, refuse)
			}
			if n >= p.least && m.child != 0 {
				p.keep(k, b)
			}
			return min(n, maxSize)
		}
		if p.w.stopped {
			break
		}
	}
	return maxSize
}

// moves counts the proof that a position is worth less than t: every move
// fails against one of the two answers.
func (p *prover) moves(depth int, y *ply, t int) int {
	n := 1
	for i := range y.n {
		m := &y.moves[i]
		left, need := y.shape.boxes-int(m.taken), -int(m.taken)-t+2
		if m.price != infinity {
			refuse := t + int(m.taken) - int(m.price)
			if _, b := p.peek(m.child, left); b.Upper < refuse {
				need = refuse
			}
		}
		n = min(n+p.walk(depth+1, m.child, left, need), maxSize)
	}
	return n
}

// peek gives the bounds of an R-type position that need no search.
func (p *prover) peek(mask uint64, boxes int) (Key, solver.Bounds) {
	s := &p.shape
	p.w.g.take(mask, s, p.w.use)
	if s.mask == 0 {
		return Key{}, solver.Bounds{}
	}
	k := p.w.labels.key(s)
	lo, hi := p.w.table.Probe(k.hi, k.lo, -boxes, boxes)
	if s.joints == 0 && s.lone[1]+s.lone[2] == 0 {
		v, exact := loonyValue(s.threes, s.long, s.loops, s.boxes)
		if hi = min(hi, v); exact {
			lo = v
		}
	}
	return k, solver.Bounds{Lower: lo, Upper: hi}
}

// keep remembers the bounds of a position in the proof.
func (p *prover) keep(k Key, b solver.Bounds) {
	p.proved[k] = Proved{Key: [2]uint64{k.lo, k.hi}, Lower: int8(b.Lower), Upper: int8(b.Upper)}
}

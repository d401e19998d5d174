package exact

import (
	"context"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/tt"
)

// A player who evaluates an empty board during a game needs a part of its proof in advance.
// That part is small: a proof that a position is worth at least t contains one move for
// each position of one side and all moves for each of the other, and a search finds most of it
// again quickly, except for positions near the root. With the bounds of these in the
// transposition table, a search finds only the rest of the proof.

// Proved contains the proved bounds of the positions with one key, for the side to move.
type Proved struct {
	Key          Key
	Lower, Upper int8
}

// ProofOptions selects the positions that Prove returns.
type ProofOptions struct {
	// Size is the minimum number of positions in a position's own proof, counted as a tree.
	// The expansions of the search that found the proof are a worse measure: they are few
	// if the table contained most of the proof.
	Size int
	// Lines is the number of free lines up to which a position counts as one and is not
	// searched for others.
	Lines int
	// Together traverses both proofs concurrently. The moves in them are then not
	// reproducible: they depend on which traversal first finds the results that the other
	// needs.
	Together bool
	// Found, if not nil, is called with the number of positions found, by one goroutine at
	// a time.
	Found func(n int)
}

// Prove computes the value of an empty board by two proofs: that it is at least the value
// and at most the value. It returns the bounds of the positions after the moves of the
// proof if their own proof is large; a player who looks one move ahead finds a best move
// with them. The bounds hold on any board. If ctx ends first, Prove returns no bounds and
// the error of ctx.
func (s *Solver) Prove(ctx context.Context, b *grid.Board, o ProofOptions) ([]Proved, solver.Result, error) {
	r, err := s.Value(ctx, b, b.All())
	if err != nil || !r.Exact() {
		if err == nil {
			err = ended(ctx)
		}
		return nil, r, err
	}
	found := answers{boxes: int8(b.Squares()), proved: map[Key]Proved{}, found: o.Found}
	var group errgroup.Group
	if !o.Together {
		group.SetLimit(1)
	}
	for _, t := range [2]int{r.Lower, r.Lower + 2} {
		group.Go(func() error {
			w, mask, err := s.at(ctx, b, b.All())
			if err != nil {
				return err
			}
			defer w.end()
			p := prover{ProofOptions: o, w: w.workers[0], sizes: newSizes(s.table.Len() / 8), answers: &found}
			p.walk(0, mask, w.g.boxes, t)
			p.keep(p.w.keyOf(mask), t == r.Lower, t)
			if w.stop.Load() {
				return ended(ctx)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, r, err
	}
	return slices.Collect(maps.Values(found.proved)), r, nil
}

// Learn stores proved bounds in the transposition table. A search does not replace them. If
// they would fill more than half of the table, none are stored, because a search needs room
// in the table more than it needs the bounds.
func (s *Solver) Learn(facts []Proved) {
	if 2*len(facts) > s.table.Len() {
		return
	}
	for _, a := range facts {
		s.table.Store(a.Key.Hi, a.Key.Lo, int(a.Lower), int(a.Upper), 1<<63)
	}
}

// prover traverses a proof that a search has left in the table, and counts its positions.
type prover struct {
	ProofOptions
	w *worker
	*answers
	sizes sizes // of proofs, by position and bound
}

// answers collects the bounds found by both proofs.
type answers struct {
	boxes  int8 // of the board
	mu     sync.Mutex
	proved map[Key]Proved
	found  func(n int)
}

const (
	// maxSize is the maximum size that is counted.
	maxSize = 1 << 30
	// firstTry is the number of expansions per move in the first round of searches for a
	// proving move; each further round has four times as many. Searching one move to the
	// end could take hours if the search that found the proof never tried that move.
	firstTry = 1 << 12
)

// walk returns the number of positions in the proof that the value of an R-type position is
// at least t, or that it is less, whichever holds, and keeps the bounds of those with large
// proofs. It returns 0 if there is nothing to search or the search was stopped.
func (p *prover) walk(depth int, mask uint64, boxes, t int) int {
	w := p.w
	y := &w.plies[depth]
	w.g.decompose(mask, &y.shape, w.use)
	s := &y.shape
	if s.mask == 0 || boxes < t || -boxes >= t || w.stop.Load() {
		return 0
	}
	if s.joints == 0 {
		return 0 // an ending with two options
	}
	if bits.OnesCount64(s.mask) <= p.Lines {
		return 1
	}
	k, b := p.bounds(s, boxes)
	name := tt.Mix(k.Lo+uint64(t+128)) ^ k.Hi
	if n, ok := p.sizes.find(name); ok {
		return n
	}
	if p.decide(&b, depth, node{mask, k, boxes, nil, -1}, t); w.stop.Load() { // in case the table has lost the bounds
		return 0
	}
	w.g.decompose(mask, s, w.use) // decide has overwritten this ply
	w.g.options(y, t, w.use)
	var n int
	if b.Lower >= t {
		n = p.someMove(depth, y, t)
	} else if n = p.everyMove(depth, y, t); n >= p.Size {
		p.keep(k, false, t)
	}
	p.sizes.keep(name, n)
	return n
}

// someMove returns the size of the proof that a position is worth at least t: one move
// proves it. The result is 0 if the search was stopped.
func (p *prover) someMove(depth int, y *ply, t int) (n int) {
	for budget := uint64(0); n == 0 && !p.w.stop.Load(); budget = max(firstTry, 4*budget) {
		n = p.provingMove(depth, y, t, budget)
	}
	return n
}

// decide improves the bounds b of a position by a search until they determine whether the
// value is at least t. The search may stop early if a budget is set.
func (p *prover) decide(b *solver.Bounds, depth int, n node, t int) {
	if b.Lower >= t || b.Upper < t || p.w.stopped {
		return
	}
	switch v := p.w.atLeast(depth, n, t, false); {
	case p.w.stopped:
	case v >= t:
		b.Lower = v
	default:
		b.Upper = v
	}
}

// provingMove finds a move that proves a value of at least t, whether the opponent takes
// all boxes or declines the last, and returns the size of this proof. A move whose bounds
// are not in the table is searched with the given number of expansions. The result is 0 if
// no move is found.
func (p *prover) provingMove(depth int, y *ply, t int, budget uint64) int {
	w := p.w
	for i := range y.n {
		m := &y.moves[i]
		left, refuse, take := y.shape.boxes-int(m.Taken), t+int(m.Taken)-int(m.Price), -int(m.Taken)-t+2
		child, b := p.peek(m.Child, left)
		w.budget, w.stopped = w.expansions+budget, budget == 0
		if m.Price != infinity {
			p.decide(&b, depth+1, child, refuse)
		}
		if m.Price == infinity || b.Lower >= refuse {
			p.decide(&b, depth+1, child, take)
		}
		w.budget, w.stopped = 0, w.stop.Load()
		if b.Upper >= take || m.Price != infinity && b.Lower < refuse {
			continue
		}
		n := 1 + p.walk(depth+1, m.Child, left, take)
		if m.Price != infinity {
			n += p.walk(depth+1, m.Child, left, refuse)
		}
		if n >= p.Size && m.Child != 0 {
			p.keep(child.key, false, take)
			if m.Price != infinity {
				p.keep(child.key, true, refuse)
			}
		}
		return min(n, maxSize)
	}
	return 0
}

// everyMove returns the size of the proof that a position is worth less than t: every move
// fails against one of the opponent's two answers, taking all boxes or declining the last.
func (p *prover) everyMove(depth int, y *ply, t int) int {
	n := 1
	for i := range y.n {
		m := &y.moves[i]
		left, need, reached := y.shape.boxes-int(m.Taken), -int(m.Taken)-t+2, true
		if m.Price != infinity {
			refuse := t + int(m.Taken) - int(m.Price)
			child, b := p.peek(m.Child, left)
			if b.Lower < need {
				p.decide(&b, depth+1, child, refuse)
			}
			if b.Upper < refuse {
				need, reached = refuse, false
			}
		}
		size := p.walk(depth+1, m.Child, left, need)
		if m.Taken > 0 && size >= p.Size {
			p.keep(p.w.keyOf(m.Child), reached, need)
		}
		n = min(n+size, maxSize)
	}
	return n
}

// peek returns the node of an R-type position and the bounds that need no search.
func (p *prover) peek(mask uint64, boxes int) (node, solver.Bounds) {
	p.w.g.decompose(mask, &p.w.scratch, p.w.use)
	k, b := p.bounds(&p.w.scratch, boxes)
	return node{mask, k, boxes, nil, -1}, b
}

// bounds returns the key of a decomposed position and the bounds that need no search.
func (p *prover) bounds(s *shape, boxes int) (Key, solver.Bounds) {
	if s.mask == 0 {
		return Key{}, solver.Bounds{}
	}
	k := p.w.keys.of(s)
	lo, hi := p.w.table.Probe(k.Hi, k.Lo, -boxes, boxes)
	if s.joints == 0 && s.lone[1]+s.lone[2] == 0 {
		v, exact := loonyValue(s.threes, s.long, s.loops, s.boxes)
		if hi = min(hi, v); exact {
			lo = v
		}
	}
	return k, solver.Bounds{Lower: lo, Upper: hi}
}

// keep records that the value of a position is at least t if reached is set, and less
// otherwise. Bounds from other searches are not kept: a player may follow any kept bound,
// and must find the next one after it.
func (f *answers) keep(k Key, reached bool, t int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.proved[k]
	if !ok {
		a = Proved{Key: k, Lower: -f.boxes, Upper: f.boxes}
	}
	if reached {
		a.Lower = max(a.Lower, int8(t))
	} else {
		a.Upper = min(a.Upper, int8(t-2))
	}
	f.proved[k] = a
	if f.found != nil {
		f.found(len(f.proved))
	}
}

// sizes is a hash table of proof sizes. It has a fixed size; each bucket keeps its largest
// sizes. An entry consists of 33 bits of the hash and 31 bits of the size.
type sizes []uint64

const (
	sizesBucket = 8
	sizeMask    = 1<<31 - 1
)

func newSizes(n int) sizes { return make(sizes, max(1, n/sizesBucket)*sizesBucket) }

func (s sizes) bucket(name uint64) []uint64 {
	i, _ := bits.Mul64(name, uint64(len(s)/sizesBucket))
	return s[i*sizesBucket : (i+1)*sizesBucket]
}

func (s sizes) find(name uint64) (n int, ok bool) {
	for _, e := range s.bucket(name) {
		if e != 0 && e>>31 == name&(1<<33-1) {
			return int(e & sizeMask), true
		}
	}
	return 0, false
}

func (s sizes) keep(name uint64, n int) {
	bucket := s.bucket(name)
	least := 0
	for i, e := range bucket {
		if e&sizeMask < bucket[least]&sizeMask {
			least = i
		}
	}
	bucket[least] = name&(1<<33-1)<<31 | uint64(n)
}

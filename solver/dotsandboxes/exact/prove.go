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

// A proof that a position is worth at least t contains one move in each position of one side and all
// moves in each position of the other. Most of these positions have small proofs, which a search
// finds quickly. With bounds of the others in the table, a search finds the proof in a game.

// Proved contains the proved bounds of the positions with one key, for the side to move.
type Proved struct {
	Key          Key
	Lower, Upper int8
}

// ProofOptions selects the positions that [Solver.Prove] returns.
type ProofOptions struct {
	// Size is the minimum size of the position's proof, a tree: its number of positions with joints.
	Size int
	// Lines is the maximum number of free lines of a position that is not traversed but counts as 1.
	Lines int
	// Together traverses both proofs concurrently. The result is then not reproducible.
	Together bool
	// Found, if not nil, is called with the number of positions found, by one goroutine at a time.
	Found func(n int)
}

// Prove computes the value v of an empty board, and traverses the proofs that it is at least v and
// at most v. It returns, in no order, the bounds of the empty board and of positions with large
// proofs that moves of the two proofs lead to. With these bounds, a player who looks one move ahead
// finds a best move. The bounds hold on any board. Prove returns no bounds and an error if ctx ends
// first or the board is too large (see [ErrTooLarge]).
func (s *Solver) Prove(ctx context.Context, b *grid.Board, o ProofOptions) ([]Proved, solver.Result, error) {
	r, err := s.Value(ctx, b, b.All())
	if err != nil || !r.Exact() {
		if err == nil {
			err = ended(ctx)
		}
		return nil, r, err
	}
	bounds := proofBounds{boxes: int8(b.Squares()), proved: map[Key]Proved{}, found: o.Found}
	var group errgroup.Group
	if !o.Together {
		group.SetLimit(1)
	}
	for _, t := range [2]int{r.Lower, r.Lower + 2} {
		group.Go(func() error {
			w, mask, err := s.open(ctx, b, b.All())
			if err != nil {
				return err
			}
			defer w.end()
			p := prover{
				ProofOptions: o, w: w.workers[0], sizes: newSizes(s.table.Len() / 8), proofBounds: &bounds,
			}
			p.walk(0, mask, w.g.boxes, t)
			p.add(p.w.keyOf(mask), t == r.Lower, t)
			if w.stop.Load() {
				return ended(ctx)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, r, err
	}
	return slices.Collect(maps.Values(bounds.proved)), r, nil
}

// Learn stores proved bounds in the transposition table with the highest priority. If the bounds
// would fill more than half of the table, Learn stores none.
func (s *Solver) Learn(facts []Proved) {
	if 2*len(facts) > s.table.Len() {
		return
	}
	for _, a := range facts {
		s.table.Store(a.Key.Hi, a.Key.Lo, int(a.Lower), int(a.Upper), 1<<63)
	}
}

// prover traverses a proof that a search has left in the table, and counts its positions. It
// repeats the searches for bounds that the table has lost.
type prover struct {
	ProofOptions
	w *worker
	*proofBounds
	sizes sizes // of proofs, by position and threshold
}

type proofBounds struct {
	boxes  int8 // of the board
	mu     sync.Mutex
	proved map[Key]Proved
	found  func(n int)
}

const (
	maxSize  = 1 << 30 // larger proofs have this size
	firstTry = 1 << 12 // smallest budget of a search for a proving move
)

// walk traverses the proof that the value of an R-type position is at least t or, if that is false,
// less than t. It adds the bounds of positions with large proofs, and returns the number of
// positions in the proof: 0 if the rules suffice, if the position has no joint, or if the search
// was stopped.
func (p *prover) walk(depth int, mask uint64, boxes, t int) int {
	w := p.w
	y := &w.plies[depth]
	w.g.decompose(mask, &y.shape, w.use)
	s := &y.shape
	if s.mask == 0 || s.joints == 0 || boxes < t || -boxes >= t || w.stop.Load() {
		return 0
	}
	if bits.OnesCount64(s.mask) <= p.Lines {
		return 1
	}
	k, b := p.bounds(s, boxes)
	hash := tt.Mix(k.Lo+uint64(t+128)) ^ k.Hi
	if n, ok := p.sizes.find(hash); ok {
		return n
	}
	p.decide(&b, depth, node{mask, k, boxes, nil, -1}, t) // the table may have lost the bounds
	if w.stop.Load() {
		return 0
	}
	w.g.decompose(mask, s, w.use) // decide has overwritten this ply
	w.g.listMoves(y, t, w.use)
	var n int
	if b.Lower >= t {
		n = p.someMove(depth, y, t)
	} else if n = p.everyMove(depth, y, t); n >= p.Size {
		p.add(k, false, t)
	}
	p.sizes.set(hash, n)
	return n
}

// someMove returns the size of the proof that one of the moves of y is worth at least t, 0 if the
// search was stopped. It tries all moves with one budget before it raises the budget.
func (p *prover) someMove(depth int, y *ply, t int) (n int) {
	for budget := uint64(0); n == 0 && !p.w.stop.Load(); budget = max(firstTry, 4*budget) {
		n = p.provingMove(depth, y, t, budget)
	}
	return n
}

// decide improves the bounds b of position n until they determine whether the value is at least t,
// unless the worker is stopped or uses up its budget.
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

// provingMove returns the size of the proof of the first move of y that is proved to be worth at
// least t, 0 if there is none. The searches for one move may use budget expansions together.
func (p *prover) provingMove(depth int, y *ply, t int, budget uint64) int {
	w := p.w
	for i := range y.n {
		m := &y.moves[i]
		left := y.shape.boxes - int(m.Taken)
		// The move reaches t if the child's value is below taking and, if the opponent can
		// decline, at least declining (see worker.tryMove).
		taking, declining := -int(m.Taken)-t+2, t+int(m.Taken)-int(m.Price)
		child, b := p.peek(m.Child, left)
		w.budget, w.stopped = w.expansions+budget, budget == 0
		if m.refusable() {
			p.decide(&b, depth+1, child, declining)
		}
		if !m.refusable() || b.Lower >= declining {
			p.decide(&b, depth+1, child, taking)
		}
		w.budget, w.stopped = 0, w.stop.Load()
		if b.Upper >= taking || m.refusable() && b.Lower < declining {
			continue
		}
		n := 1 + p.walk(depth+1, m.Child, left, taking)
		if m.refusable() {
			n += p.walk(depth+1, m.Child, left, declining)
		}
		if n >= p.Size && m.Child != 0 {
			p.add(child.key, false, taking)
			if m.refusable() {
				p.add(child.key, true, declining)
			}
		}
		return min(n, maxSize)
	}
	return 0
}

// everyMove returns the size of the proof that a position is worth less than t: for every move of
// y, the opponent reaches more by taking all boxes or by declining the last ones.
func (p *prover) everyMove(depth int, y *ply, t int) int {
	n := 1
	for i := range y.n {
		m := &y.moves[i]
		left := y.shape.boxes - int(m.Taken)
		// The move fails if the child's value is at least taking or below declining.
		taking, declining := -int(m.Taken)-t+2, t+int(m.Taken)-int(m.Price)
		threshold, reached := taking, true
		if m.refusable() {
			child, b := p.peek(m.Child, left)
			if b.Lower < taking {
				p.decide(&b, depth+1, child, declining)
			}
			if b.Upper < declining {
				threshold, reached = declining, false
			}
		}
		size := p.walk(depth+1, m.Child, left, threshold)
		if m.Taken > 0 && size >= p.Size {
			p.add(p.w.keyOf(m.Child), reached, threshold)
		}
		n = min(n+size, maxSize)
	}
	return n
}

// peek returns the node of an R-type position, and its bounds without a search.
func (p *prover) peek(mask uint64, boxes int) (node, solver.Bounds) {
	p.w.g.decompose(mask, &p.w.scratch, p.w.use)
	k, b := p.bounds(&p.w.scratch, boxes)
	return node{mask, k, boxes, nil, -1}, b
}

// bounds returns the key of s, and bounds of its value by the table and T6.
func (p *prover) bounds(s *shape, boxes int) (Key, solver.Bounds) {
	if s.mask == 0 {
		return Key{}, solver.Bounds{}
	}
	k := p.w.keys.keyOf(s)
	lo, hi := p.w.table.Probe(k.Hi, k.Lo, -boxes, boxes)
	if cv, ok := s.loonyEnding(); ok {
		if hi = min(hi, -cv); cv >= 2 {
			lo = -cv
		}
	}
	return k, solver.Bounds{Lower: lo, Upper: hi}
}

// add adds the bound that the value of a position is at least t if reached is set, and less than t
// otherwise. Only bounds of the traversed proofs may be added: a player who chooses a move by a
// bound must find the bounds of the positions that follow.
func (f *proofBounds) add(k Key, reached bool, t int) {
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

// sizes is a hash table of the sizes of proofs. A full bucket drops its smallest entry. An entry
// consists of 33 bits of the hash and 31 bits of the size.
type sizes []uint64

const (
	sizesBucket = 8
	sizeBits    = 31
	sizeMask    = 1<<sizeBits - 1
	hashMask    = 1<<(64-sizeBits) - 1
)

func newSizes(n int) sizes { return make(sizes, max(1, n/sizesBucket)*sizesBucket) }

func (s sizes) bucket(hash uint64) []uint64 {
	i, _ := bits.Mul64(hash, uint64(len(s)/sizesBucket))
	return s[i*sizesBucket : (i+1)*sizesBucket]
}

func (s sizes) find(hash uint64) (n int, ok bool) {
	for _, e := range s.bucket(hash) {
		if e != 0 && e>>sizeBits == hash&hashMask {
			return int(e & sizeMask), true
		}
	}
	return 0, false
}

// set adds an entry; hash must have none.
func (s sizes) set(hash uint64, n int) {
	bucket := s.bucket(hash)
	least := 0
	for i, e := range bucket {
		if e&sizeMask < bucket[least]&sizeMask {
			least = i
		}
	}
	bucket[least] = hash&hashMask<<sizeBits | uint64(n)
}

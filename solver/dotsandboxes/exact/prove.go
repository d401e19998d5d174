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
	Key          Key
	Lower, Upper int8
}

// ProofOptions select the positions that Prove keeps.
type ProofOptions struct {
	// Size is the least size of a position's proof to be kept: how many positions it has,
	// counted as a tree. What it took to find says less: a position that was proved in
	// 16 thousand expansions, because others had been before it, takes 1.5 million (4x4)
	// where those are not at hand.
	Size int
	// Lines is how many free lines a position may have that counts for one and is not
	// looked into.
	Lines int
	// Together has both proofs walked through at once, each on a thread. The moves in them
	// then depend on which of the two finds what the other needs.
	Together bool
	// Found, if given, is called with the number of answers, by one thread at a time.
	Found func(n int)
}

// Prove works out the value of an empty board, by both proofs: that it is at
// least that much and at most that much. The answers are bounds of what the moves of a
// proof lead to in those positions whose own proof is large: a player that looks one
// move ahead finds its move. They hold for any board. If ctx ends first, there are none and
// the error is that of ctx.
func (s *Solver) Prove(ctx context.Context, b *grid.Board, o ProofOptions) ([]Proved, solver.Result, error) {
	r, err := s.Value(ctx, b, b.All())
	if err != nil || !r.Exact() {
		if err == nil {
			err = ended(ctx)
		}
		return nil, r, err
	}
	found := answers{boxes: int8(b.Squares()), proved: map[Key]Proved{}, heard: o.Found}
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
			p.keep(p.key(mask), t == r.Lower, t)
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

// Learn puts facts into the transposition table, where they outlive
// everything that a search finds, unless they would take more than half of it: a search
// without a table is worth less than one without facts. They must be true.
func (s *Solver) Learn(facts []Proved) {
	if 2*len(facts) > s.table.Len() {
		return
	}
	for _, a := range facts {
		s.table.Store(a.Key.Hi, a.Key.Lo, int(a.Lower), int(a.Upper), 1<<63)
	}
}

// prover walks through the proofs that a search has left in its table.
type prover struct {
	ProofOptions
	w *worker
	*answers
	sizes   sizes // of proofs, by position and bound
	scratch shape // of peek
}

// answers are those found, of both proofs.
type answers struct {
	boxes  int8 // of the board
	mu     sync.Mutex
	proved map[Key]Proved
	heard  func(n int)
}

const (
	// maxSize is where the count of a proof's positions stops.
	maxSize = 1 << 30
	// firstTry is how many expansions a move gets in the first round of searches for one
	// that proves a position; in every other it is four times as many as in the one before.
	// One after the other, they may be at a move for hours that the search which found
	// the proof never tried.
	firstTry = 1 << 12
)

// walk goes through the proof that the value of an R-type position is at
// least t, or that it is less, and counts the positions in it.
func (p *prover) walk(depth int, mask uint64, boxes, t int) int {
	w := p.w
	y := &w.plies[depth]
	w.g.take(mask, &y.shape, w.use)
	switch s := &y.shape; {
	case s.mask == 0 || s.joints == 0 || boxes < t || -boxes >= t || w.stop.Load():
		return 0 // nothing to search, or the two options of a loony ending
	case bits.OnesCount64(s.mask) <= p.Lines:
		return 1
	}
	k, b := p.bounds(&y.shape, boxes)
	name := tt.Mix(k.Lo+uint64(t+128)) ^ k.Hi
	if n, ok := p.sizes.find(name); ok {
		return n
	}
	if p.decide(&b, depth, mask, boxes, t); w.stop.Load() { // in case the table has lost it
		return 0
	}
	w.g.take(mask, &y.shape, w.use) // decide searches with this ply
	w.g.options(y, t, w.use)
	n := 0
	if b.Lower >= t {
		for try := uint64(0); n == 0 && !w.stop.Load(); try = max(firstTry, 4*try) {
			n = p.move(depth, y, t, try)
		}
	} else if n = p.moves(depth, y, t); n >= p.Size {
		p.keep(k, false, t)
	}
	p.sizes.keep(name, n)
	return n
}

// decide searches for whether a position is worth at least t, where its bounds do not
// tell, and betters them; with a budget it may fail to.
func (p *prover) decide(b *solver.Bounds, depth int, mask uint64, boxes, t int) {
	if b.Lower >= t || b.Upper < t || p.w.stopped {
		return
	}
	switch v := p.w.atLeast(depth, mask, parentHint{}, boxes, t, false); {
	case p.w.stopped:
	case v >= t:
		b.Lower = v
	default:
		b.Upper = v
	}
}

// move counts the proof that a position is worth at least t: one move whose
// result, whether the boxes are all taken or the last refused, is that good. A move
// that the table does not tell of gets so many expansions; 0 is for no such move.
func (p *prover) move(depth int, y *ply, t int, try uint64) int {
	w := p.w
	for i := range y.n {
		m := &y.moves[i]
		left, refuse, take := y.shape.boxes-int(m.Taken), t+int(m.Taken)-int(m.Price), -int(m.Taken)-t+2
		k, b := p.peek(m.Child, left)
		w.budget, w.stopped = w.expansions+try, try == 0
		if m.Price != infinity {
			p.decide(&b, depth+1, m.Child, left, refuse)
		}
		if m.Price == infinity || b.Lower >= refuse {
			p.decide(&b, depth+1, m.Child, left, take)
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
			p.keep(k, false, take)
			if m.Price != infinity {
				p.keep(k, true, refuse)
			}
		}
		return min(n, maxSize)
	}
	return 0
}

// moves counts the proof that a position is worth less than t: every move
// fails against one of the two answers, to take its boxes or to refuse the last.
func (p *prover) moves(depth int, y *ply, t int) int {
	n := 1
	for i := range y.n {
		m := &y.moves[i]
		left, need, reached := y.shape.boxes-int(m.Taken), -int(m.Taken)-t+2, true
		if m.Price != infinity {
			refuse := t + int(m.Taken) - int(m.Price)
			_, b := p.peek(m.Child, left)
			if b.Lower < need {
				p.decide(&b, depth+1, m.Child, left, refuse)
			}
			if b.Upper < refuse {
				need, reached = refuse, false
			}
		}
		size := p.walk(depth+1, m.Child, left, need)
		if m.Taken > 0 && size >= p.Size {
			p.keep(p.key(m.Child), reached, need)
		}
		n = min(n+size, maxSize)
	}
	return n
}

// peek returns the key of an R-type position and the bounds that need no search.
func (p *prover) peek(mask uint64, boxes int) (Key, solver.Bounds) {
	p.w.g.take(mask, &p.scratch, p.w.use)
	return p.bounds(&p.scratch, boxes)
}

// key returns the key of an R-type position.
func (p *prover) key(mask uint64) Key {
	p.w.g.take(mask, &p.scratch, p.w.use)
	return p.w.labels.key(&p.scratch)
}

// bounds returns the key of a position that was taken apart, and the bounds that need no
// search.
func (p *prover) bounds(s *shape, boxes int) (Key, solver.Bounds) {
	if s.mask == 0 {
		return Key{}, solver.Bounds{}
	}
	k := p.w.labels.key(s)
	lo, hi := p.w.table.Probe(k.Hi, k.Lo, -boxes, boxes)
	if s.joints == 0 && s.lone[1]+s.lone[2] == 0 {
		v, exact := loonyValue(s.threes, s.long, s.loops, s.boxes)
		if hi = min(hi, v); exact {
			lo = v
		}
	}
	return k, solver.Bounds{Lower: lo, Upper: hi}
}

// keep remembers that a position is worth at least t, or less: what was walked through.
// Of what else the search knows nothing is kept, for a player who looks at the answers may
// follow any of them, and has to find the next one there.
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
	if f.heard != nil {
		f.heard(len(f.proved))
	}
}

// sizes remembers the sizes of proofs by 64 bits of a name, in a table of fixed size
// where the largest of a bucket stay: 33 bits of the name and 31 of the size.
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

// Package retrograde solves the 6x6 board of Watch Your Back by retrograde analysis. Layer r
// contains the values of all positions with r turns left before the second shrink. Layer 0 follows
// from the values on the 4x4 board ([tables.Final]), and layer r from layer r-1.
// solver/watchyourback/README.md explains the method.
//
// [Solve] computes all layers and stores each in a file (layerfile.go). A [LayerSolver] computes
// the file of one layer in [Parts] (parts.go). The files do not depend on the number of threads,
// machines or interruptions. [Solved.Pack] converts them to a [tables.Table]. retrograde.go
// contains the computation of a layer; layer.go and sets.go define its data.
package retrograde

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	wyb "endwise/engine/watchyourback"
	"endwise/solver/watchyourback/tables"
)

// sweep contains the last two layers and computes the next one.
//
// A row of a matrix is computed at a time. It contains the values of one set A of squares of the
// side to move with every set B of squares of the opponent. For each square there is a bitset of
// the sets B that contain it (family.holding), so the positions in which a move is legal are an
// intersection of bitsets. A move without a capture does not change B. The values of the positions
// after such a move are a row of the transposed last layer, so 64 of them are combined by one AND
// or OR. The values after captures are looked up one by one.
//
// A word of layer r is computed only if a word of layer r-1 on which it depends differs from layer
// r-3. Otherwise it equals the word of layer r-2.
type sweep struct {
	families  [tables.MaxSide + 1]*family
	materials []tables.Material
	final     *tables.Final
	turn      int // the last computed layer
	// layer[r&1] is layer r, for r = turn and r = turn-1, with rows for the side to move.
	// transposed[r&1] is its transpose.
	layer, transposed [2]matrices
	before            *matrices                      // transposed[turn&1]
	strokes           [tables.MaxSide + 1]strokeList // by number of pieces
}

// newSweep returns a sweep with layer 0, for up to pieces pieces. The only error is that of ctx.
func newSweep(ctx context.Context, pieces int, final *tables.Final) (*sweep, error) {
	s := &sweep{materials: tables.Materials(pieces), final: final}
	for k := 2; k <= pieces-2; k++ {
		s.families[k] = newFamily(k)
		s.strokes[k] = strokesOf(s.families[k].sets)
	}
	for i := range s.layer {
		for _, m := range s.materials {
			own, opp := len(s.families[m.Own].sets), len(s.families[m.Opp].sets)
			s.layer[i][m.Own][m.Opp], s.transposed[i][m.Own][m.Opp] = newMatrix(own, opp), newMatrix(opp, own)
		}
	}
	for _, m := range s.materials {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.computeLayer0(m)
	}
	s.transpose()
	return s, nil
}

// parallel calls f with each of 0..n-1 concurrently, and waits for the calls.
func parallel(n int, f func(i int)) {
	var taken atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// computeLayer0 computes layer 0 of a material. A value depends only on the pieces on innerSquares,
// so it is computed once for each pair of sets of inner squares.
func (s *sweep) computeLayer0(m tables.Material) {
	ownFamily, oppFamily := s.families[m.Own], s.families[m.Opp]
	values := make([]int, len(ownFamily.inner)*len(oppFamily.inner))
	valuesOf := func(i int) []int {
		n := len(oppFamily.inner)
		return values[i*n : (i+1)*n]
	}
	parallel(len(ownFamily.inner), func(i int) {
		row := valuesOf(i)
		for k, opp := range oppFamily.inner {
			row[k] = s.shrunkValue(tables.Widen(ownFamily.inner[i]), tables.Widen(opp))
		}
	})
	x := s.layer[0].of(m)
	parallel(x.rows, func(a int) {
		x.changedIn(uint32(a)).fill()
		win, loss := x.row(uint32(a))
		own, row := ownFamily.sets[a], valuesOf(int(ownFamily.innerOf[a]))
		for i, opp := range oppFamily.sets {
			if own&opp != 0 {
				continue
			}
			switch row[oppFamily.innerOf[i]] {
			case 1:
				win[i>>6] |= 1 << (i & 63)
			case -1:
				loss[i>>6] |= 1 << (i & 63)
			}
		}
	})
}

// shrunkValue returns the value just after the second shrink of a position just before it.
func (s *sweep) shrunkValue(own, opp uint64) int {
	own, opp = wyb.Shrink(own, opp, wyb.Final)
	if value, over := wyb.Result(own, opp); over {
		return value
	}
	// If final does not contain the position, the position before the shrink is unreachable.
	value, _, _ := s.final.Probe(own, opp)
	return value
}

// stroke is a step or jump of a piece of a set A. It is legal if the opponent has no piece on the
// target square and, if over is not -1, has a piece on square over.
type stroke struct {
	to       int8
	over     int8   // the square of an opponent's piece that is jumped over, -1 for none
	moved    uint32 // rank of A after the move
	died     uint32 // rank of A after the move if the moved piece is eliminated
	captures uint32 // squares on which an opponent's piece is captured
	pinched  uint8  // axes on which the opponent's pieces can eliminate the moved piece; see noPinch
}

// strokeList contains the strokes of all sets of a size: list[first[a]:first[a+1]] for rank a.
type strokeList struct {
	list  []stroke
	first []uint32
}

// strokesPerPiece exceeds the mean number of strokes of a piece.
const strokesPerPiece = 6

// strokesOf returns the strokes of sets, all sets of one size.
func strokesOf(sets []uint32) (l strokeList) {
	l.list = make([]stroke, 0, strokesPerPiece*bits.OnesCount32(sets[0])*len(sets))
	for _, own := range sets {
		l.first = append(l.first, uint32(len(l.list)))
		l.list = appendStrokes(l.list, own)
	}
	l.first = append(l.first, uint32(len(l.list)))
	return l
}

func (l *strokeList) of(a uint32) []stroke { return l.list[l.first[a]:l.first[a+1]] }

// appendStrokes appends the strokes of one set.
func appendStrokes(list []stroke, own uint32) []stroke {
	for w := own; w != 0; w &= w - 1 {
		from := bits.TrailingZeros32(w)
		for d := range 4 {
			near, far := nextTo[from][d], beyond[from][d]
			if near < 0 {
				continue
			}
			over := near
			if own>>near&1 != 0 {
				over = -1 // a jump over an own piece needs no piece of the opponent
			} else {
				list = append(list, newStroke(own, from, near, -1)) // a step
			}
			if far >= 0 && own>>far&1 == 0 {
				list = append(list, newStroke(own, from, far, over))
			}
		}
	}
	return list
}

// newStroke returns the stroke of a piece of own between two squares.
//
// The moved piece captures an opponent's piece next to its target if a piece of own or a corner is
// on the opposite side of that piece. The moved piece is then eliminated if, on one axis, each of
// its neighbours is a corner or an opponent's piece that is not captured.
func newStroke(own uint32, from int, to, over int8) stroke {
	rest := own &^ (1 << from)
	moved, at := rest|1<<to, &around[to]
	captures := at.cornered
	for d, far := range at.far {
		if moved&far != 0 {
			captures |= at.near[d]
		}
	}
	captures &^= moved
	// An axis with a piece of own or a captured piece next to the target is safe.
	pinched := at.axes
	for axis := range 2 {
		if (moved|captures)&(at.near[axis]|at.near[axis+2]) != 0 {
			pinched &^= 1 << axis
		}
	}
	return stroke{to, over, tables.Rank(moved), tables.Rank(rest), captures, pinched}
}

// computeRow changes win and loss from row a of material m in layer s.turn-1 to that row in layer
// s.turn+1. It computes only runs of words that may differ.
func (s *sweep) computeRow(m tables.Material, a uint32, win, loss bitset, buf *rowBuffer) {
	words := bitset(buf.words[:s.before[m.Opp][m.Own].marks])
	s.mayChange(m, a, words)
	for lo := words.next(0, true); lo < len(win); {
		hi := words.next(lo, false)
		next := words.next(hi, true)
		for next < min(hi+nearWords, len(win)) {
			hi = words.next(next, false)
			next = words.next(hi, true)
		}
		hi = min(hi, lo+runWords, len(win))
		n := hi - lo
		r := run{s, m, s.families[m.Opp], lo, win[lo:hi], loss[lo:hi], buf.disjoint[:n], buf.movable[:n], buf.captured[:n]}
		r.compute(a)
		lo = words.next(hi, true)
	}
}

// mayChange sets out to the words of row a that may differ between the layers s.turn-1 and
// s.turn+1, because a move leads to a word that differs between the layers s.turn-2 and s.turn.
func (s *sweep) mayChange(m tables.Material, a uint32, out bitset) {
	if s.turn < 2 {
		out.fill()
		return
	}
	copy(out, s.before[m.Opp][m.Own].changedIn(a)) // after a turn without a legal move
	strokes := s.strokes[m.Own].of(a)
	for i := range strokes {
		k := &strokes[i]
		out.add(s.before[m.Opp][m.Own].changedIn(k.moved))
		canDie := k.pinched != noPinch && m.Own > 2
		if canDie {
			out.add(s.before[m.Opp][m.Own-1].changedIn(k.died))
		}
		for taken := k.captures; taken != 0; taken = (taken - 1) & k.captures {
			left := m.Opp - bits.OnesCount32(taken)
			if left < 2 {
				continue
			}
			s.spread(m.Opp, s.before[left][m.Own].changedIn(k.moved), taken, out)
			if canDie {
				s.spread(m.Opp, s.before[left][m.Own-1].changedIn(k.died), taken, out)
			}
		}
	}
}

// spread adds to out the indexes of the words with a set of the given size that becomes a set in
// one of the words changed if the squares taken are removed.
func (s *sweep) spread(size int, changed bitset, taken uint32, out bitset) {
	if changed.empty() {
		return
	}
	var buf [maxMarks]uint64
	c := bits.TrailingZeros32(taken)
	if more := taken & (taken - 1); more != 0 {
		between := bitset(buf[:(s.families[size-1].words+63)/64])
		s.spread(size-1, changed, more, between)
		changed = between
	}
	to := s.families[size].grown[c]
	for d := changed.next(0, true); d < len(to); d = changed.next(d+1, true) {
		for w := to[d].first; w <= to[d].last; w++ {
			out[w>>6] |= 1 << (w & 63)
		}
	}
}

const (
	runWords  = 256 // maximum number of words of a run; the data of a dozen rows fits the L1 cache
	nearWords = 5   // minimum number of words between two runs
	maxMarks  = 64  // maximum length of a bitset of words of a row
)

type rowBuffer struct {
	words                       [maxMarks]uint64
	disjoint, movable, captured [runWords]uint64
}

// run is a sequence of words of a row of layer sweep.turn+1. All its bitsets have its length.
type run struct {
	*sweep
	m         tables.Material
	opponents *family
	lo        int
	win, loss bitset
	disjoint  bitset // the opponent's sets that are disjoint from the row's set
	movable   bitset // those with which a stroke is legal, after the calls of quiet
	captured  bitset // scratch memory of capturing
}

// part returns the words of the run in b, a row or bitset of the opponents.
func (r *run) part(b bitset) bitset { return b[r.lo:][:len(r.win)] }

// last returns the words of the run in a row of layer r.turn, of a set of own squares.
func (r *run) last(own int, row uint32) (win, loss bitset) {
	win, loss = r.before[r.m.Opp][own].row(row)
	return r.part(win), r.part(loss)
}

// compute sets win and loss to the values of row a.
func (r *run) compute(a uint32) {
	r.opponents.disjoint(r.families[r.m.Own].sets[a], r.lo, r.disjoint)
	// A position counts as lost until a better move is found.
	copy(r.loss, r.disjoint)
	clear(r.win)
	clear(r.movable)
	strokes := r.strokes[r.m.Own].of(a)
	for i := range strokes {
		r.quiet(&strokes[i])
	}
	for i := range strokes {
		if strokes[i].captures != 0 {
			r.captures(&strokes[i])
		}
	}
	// A side without a legal move passes: the opponent moves on the same board.
	passWin, passLoss := r.last(r.m.Own, a)
	win, loss, movable := r.win, r.loss, r.movable
	for w, d := range r.disjoint {
		if blocked := d &^ movable[w]; blocked != 0 {
			win[w] |= blocked & passLoss[w]
			loss[w] &= ^blocked | passWin[w]
		}
		loss[w] &^= win[w]
	}
}

// disjoint fills out with words lo, lo+1, … of a bitset: the sets of f that are disjoint from own.
func (f *family) disjoint(own uint32, lo int, out bitset) {
	copy(out, f.all[lo:])
	for ; own != 0; own &= own - 1 {
		h := f.holding[bits.TrailingZeros32(own)][lo : lo+len(out)]
		for w := range out {
			out[w] &^= h[w]
		}
	}
}

// over returns the opponent's sets with which stroke k has a piece to jump over, if it needs one.
func (r *run) over(k *stroke) bitset {
	if k.over < 0 {
		return r.part(r.opponents.all)
	}
	return r.part(r.opponents.holding[k.over])
}

// capturing returns the opponent's sets from which stroke k captures. It may use r.captured.
func (r *run) capturing(k *stroke) bitset {
	if k.captures == 0 {
		return r.part(r.opponents.none)
	}
	out := r.part(r.opponents.holding[bits.TrailingZeros32(k.captures)])
	if rest := k.captures & (k.captures - 1); rest != 0 {
		out = append(r.captured[:0], out...)
		for ; rest != 0; rest &= rest - 1 {
			out.add(r.part(r.opponents.holding[bits.TrailingZeros32(rest)]))
		}
	}
	return out
}

// quiet updates win and loss for stroke k in the positions in which it captures nothing, and adds
// the positions in which it is legal to movable.
func (r *run) quiet(k *stroke) {
	// All slices have the length n, so that the loops need no bounds checks.
	win, n := r.win, len(r.win)
	loss, disjoint, movable := r.loss[:n], r.disjoint[:n], r.movable[:n]
	target, pinched := r.part(r.opponents.holding[k.to])[:n], r.part(r.opponents.pinching[k.to][k.pinched])[:n]
	childWin, childLoss := r.last(r.m.Own, k.moved)
	// The values if the moved piece is eliminated. If only one piece remains, the move loses.
	deadWin, deadLoss := r.part(r.opponents.all), r.part(r.opponents.none)
	if k.pinched != noPinch && r.m.Own > 2 {
		deadWin, deadLoss = r.last(r.m.Own-1, k.died)
	}
	childWin, childLoss, deadWin, deadLoss = childWin[:n], childLoss[:n], deadWin[:n], deadLoss[:n]
	if k.over < 0 && k.captures == 0 { // the loop below with fewer conditions
		for w := range win {
			legal := disjoint[w] &^ target[w]
			movable[w] |= legal
			dead := legal & pinched[w]
			legal &^= dead
			win[w] |= legal&childLoss[w] | dead&deadLoss[w]
			loss[w] &= ^(legal&^childWin[w] | dead&^deadWin[w])
		}
		return
	}
	over, capturing := r.over(k)[:n], r.capturing(k)[:n]
	for w := range win {
		legal := disjoint[w] &^ target[w] & over[w]
		movable[w] |= legal
		legal &^= capturing[w]
		dead := legal & pinched[w]
		legal &^= dead
		win[w] |= legal&childLoss[w] | dead&deadLoss[w]
		loss[w] &= ^(legal&^childWin[w] | dead&^deadWin[w])
	}
}

// captures updates win and loss for stroke k in the positions in which it captures and which are
// not won yet. loss may contain won positions afterwards.
func (r *run) captures(k *stroke) {
	win, n := r.win, len(r.win)
	loss, disjoint, over, capturing := r.loss[:n], r.disjoint[:n], r.over(k)[:n], r.capturing(k)[:n]
	target, pinched := r.part(r.opponents.holding[k.to])[:n], r.part(r.opponents.pinching[k.to][k.pinched])[:n]
	sets, two := r.opponents.sets[r.lo<<6:], r.m.Own == 2
	children := r.captureChildren(k)
	for w := range win {
		taken := capturing[w] & disjoint[w] &^ target[w] &^ win[w] & over[w]
		for ; taken != 0; taken &= taken - 1 {
			bit := taken & -taken
			left := sets[w<<6+bits.TrailingZeros64(taken)] &^ k.captures
			switch children.value(left, two, pinched[w]&bit != 0) {
			case 1:
				win[w] |= bit
			case 0:
				loss[w] &^= bit
			}
		}
	}
}

// captureChildren contains the rows of layer s.turn to which a capturing stroke leads, by the
// opponent's remaining pieces. The moved piece is eliminated in dies.
type captureChildren struct {
	lives, dies [tables.MaxSide + 1]struct{ win, loss bitset }
}

// captureChildren returns the rows to which stroke k leads if it captures.
func (r *run) captureChildren(k *stroke) (c captureChildren) {
	m := r.m
	for left := max(2, m.Opp-bits.OnesCount32(k.captures)); left < m.Opp; left++ {
		c.lives[left].win, c.lives[left].loss = r.before[left][m.Own].row(k.moved)
		if m.Own > 2 {
			c.dies[left].win, c.dies[left].loss = r.before[left][m.Own-1].row(k.died)
		}
	}
	return c
}

// value returns the value, 1, 0 or -1, of the stroke for the side that plays it. left is the
// opponent's set after the capture. two reports whether the side had only two pieces before the
// stroke, dies whether the moved piece is eliminated.
func (c *captureChildren) value(left uint32, two, dies bool) int {
	pieces := bits.OnesCount32(left)
	few, oppFew := two && dies, pieces < 2
	switch {
	case few && oppFew:
		return 0
	case few:
		return -1
	case oppFew:
		return 1
	}
	child := &c.lives[pieces]
	if dies {
		child = &c.dies[pieces]
	}
	i := tables.Rank(left)
	switch {
	case child.loss.has(i):
		return 1
	case child.win.has(i):
		return -1
	}
	return 0
}

// stableRow sets out to the opponent's sets disjoint from own with which no piece is surrounded.
func (f *family) stableRow(own uint32, out bitset) {
	f.disjoint(own, 0, out)
	hostile := func(n int8) bool { return n == aCorner || n >= 0 && own>>n&1 != 0 }
	for s := range tables.Squares {
		for d := range 2 {
			unstable := f.pinching[s][1<<d] // they surround the piece of own on s
			if own>>s&1 == 0 {
				if !hostile(nextTo[s][d]) || !hostile(nextTo[s][d+2]) {
					continue
				}
				unstable = f.holding[s] // own surrounds a piece on s
			}
			for w := range out {
				out[w] &^= unstable[w]
			}
		}
	}
}

package tables

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	wyb "endwise/engine/watchyourback"
)

// Planes is how many turns the 6x6 board lasts: plane r holds the values with
// r turns left to the second shrink, r = 1..Planes. Plane 0, right before the
// shrink, only seeds the others.
const Planes = wyb.SecondShrink - wyb.FirstShrink

// Material is how many pieces the side to move and its opponent have, at
// least two each.
type Material struct{ Own, Opp int }

// String returns for instance "3v2".
func (m Material) String() string { return fmt.Sprintf("%dv%d", m.Own, m.Opp) }

// Positions is the number of ways to put the pieces on the 32 squares.
func (m Material) Positions() int {
	return int(binomial[squares][m.Own]) * int(binomial[squares-m.Own][m.Opp])
}

// Materials lists what a table of at most pieces pieces holds, small first.
func Materials(pieces int) []Material {
	var out []Material
	for n := 4; n <= pieces; n++ {
		for own := 2; own <= n-2; own++ {
			out = append(out, Material{own, n - own})
		}
	}
	return out
}

// matrix is a plane of one material as two bit matrices. A row fixes one
// side's squares, a bit the other side's, both by rank; bits of overlapping
// sets are zero. A position without a bit in either is a tie.
type matrix struct {
	rows, words int // words in a row
	win, loss   []uint64
}

func newMatrix(rows, cols int) *matrix {
	words := (cols + 63) / 64
	return &matrix{rows, words, make([]uint64, rows*words), make([]uint64, rows*words)}
}

func (m *matrix) row(i uint32) (win, loss bitset) {
	a, b := int(i)*m.words, int(i+1)*m.words
	return m.win[a:b:b], m.loss[a:b:b]
}

// matrices is a matrix for each material, by own and opponent's pieces.
type matrices [maxSide + 1][maxSide + 1]*matrix

func (s *matrices) of(m Material) *matrix { return s[m.Own][m.Opp] }

// newMatrices makes the matrices of a plane, all ties.
func newMatrices(list []Material) (s matrices) {
	for _, m := range list {
		s[m.Own][m.Opp] = newMatrix(int(binomial[squares][m.Own]), int(binomial[squares][m.Opp]))
	}
	return s
}

// sweep computes plane after plane.
//
// The values of plane r follow from those of plane r-1 alone: every turn,
// a forfeit included, takes one turn off, so nothing is cyclic. A whole row of
// positions is computed at once: for one set A of the side to move and all
// sets B of the opponent, what a move of A does depends on B only through
// which squares B holds, and the sets that hold a square are a bitset. A move
// that neither captures nor dies leads to the same B, seen from the opponent,
// so its values are a row of the transposed plane before and enter by one AND
// or OR for 64 positions. Captures lead to smaller sets of other ranks and
// are looked up one by one.
type sweep struct {
	pieces    int
	families  [maxSide + 1]*family
	materials []Material
	final     *Final
	turn      int // the plane that before holds
	// plane[r&1] is plane r by own set (row) and opponent's set (bit);
	// before is the last plane transposed: by opponent's set and own set.
	plane  [2]matrices
	before matrices
}

// newSweep prepares plane 0, for which it looks at every position once. The
// error is the context's.
func newSweep(ctx context.Context, pieces int, final *Final) (*sweep, error) {
	s := &sweep{pieces: pieces, materials: Materials(pieces), final: final}
	for k := 2; k <= pieces-2; k++ {
		s.families[k] = newFamily(k)
	}
	s.plane = [2]matrices{newMatrices(s.materials), newMatrices(s.materials)}
	for _, m := range s.materials {
		s.before[m.Own][m.Opp] = newMatrix(len(s.families[m.Opp].sets), len(s.families[m.Own].sets))
	}
	for _, m := range s.materials {
		parallel(s.plane[0].of(m).rows, func(lo, hi int) {
			for a := lo; a < hi && ctx.Err() == nil; a++ {
				s.shrunkRow(m, a)
			}
		})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.transpose(0)
	return s, nil
}

// parallel calls f for ranges that cover 0..n-1, on all cores.
func parallel(n int, f func(lo, hi int)) {
	const chunk = 16
	var done atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				lo := int(done.Add(chunk)) - chunk
				if lo >= n {
					return
				}
				f(lo, min(lo+chunk, n))
			}
		})
	}
	wg.Wait()
}

// shrunkRow fills a row of plane 0: what the shrink leaves, valued by the 4x4
// table.
func (s *sweep) shrunkRow(m Material, a int) {
	own := s.families[m.Own].sets[a]
	own8 := widen32(own)
	win, loss := s.plane[0].of(m).row(uint32(a))
	for i, opp := range s.families[m.Opp].sets {
		if own&opp != 0 {
			continue
		}
		o, p := wyb.Shrink(own8, widen32(opp), wyb.Final)
		few, oppFew := bits.OnesCount64(o) < 2, bits.OnesCount64(p) < 2
		var value int
		switch {
		case few && oppFew:
		case few:
			value = -1
		case oppFew:
			value = 1
		default:
			// No entry: the position before the shrink is one that no game
			// reaches, and any value will do.
			value, _, _ = s.final.Probe(o, p)
		}
		switch value {
		case 1:
			win[i>>6] |= 1 << (i & 63)
		case -1:
			loss[i>>6] |= 1 << (i & 63)
		}
	}
}

// stroke is a step or jump of one set A, without regard to the opponent.
type stroke struct {
	to, over     int8   // over is a square that the opponent must hold, or -1
	moved        uint32 // A after the move
	died         uint32 // A if the moved piece dies
	capturable   [4]int8
	captures     int
	captureMask  uint32
	axis         [2][2]int8 // squares that the opponent must hold to kill the moved piece; -1 for none
	axisPossible [2]bool
}

// strokes lists the moves of A. Whether an opponent beside the target is
// captured depends on A alone (a friend or a corner behind it), so a moved
// piece dies exactly if on one axis both neighbours are corners or opponents
// that cannot be captured.
func strokes(list []stroke, own uint32) []stroke {
	for w := own; w != 0; w &= w - 1 {
		from := bits.TrailingZeros32(w)
		for d := range 4 {
			over := nextTo[from][d]
			if over < 0 {
				continue
			}
			if own>>over&1 == 0 { // a step onto it, where the opponent is not
				list = append(list, newStroke(own, from, over, -1))
			}
			to := behind[from][d]
			if to < 0 || own>>to&1 != 0 {
				continue
			}
			if own>>over&1 != 0 {
				over = -1
			}
			list = append(list, newStroke(own, from, to, over))
		}
	}
	return list
}

func newStroke(own uint32, from int, to, over int8) stroke {
	k := stroke{to: to, over: over, moved: own&^(1<<from) | 1<<to}
	k.died = k.moved &^ (1 << to)
	friend := func(s int8) bool { return s == aCorner || s >= 0 && k.moved>>s&1 != 0 }
	for d := range 4 {
		n := nextTo[to][d]
		if n >= 0 && k.moved>>n&1 == 0 && friend(behind[to][d]) {
			k.capturable[k.captures] = n
			k.captures++
			k.captureMask |= 1 << n
		}
	}
	for i := range 2 {
		k.axisPossible[i] = true
		for j, d := range [2]int{i, i + 2} {
			n := nextTo[to][d]
			k.axis[i][j] = n
			switch {
			case n == aCorner:
				k.axis[i][j] = -1
			case n == outside || k.moved>>n&1 != 0 || k.captureMask>>n&1 != 0:
				k.axisPossible[i] = false
			}
		}
	}
	return k
}

// computeRow computes row a of material m in the plane after before into win
// and loss. buf has room for two rows.
func (s *sweep) computeRow(m Material, a uint32, win, loss bitset, buf []uint64) {
	own := s.families[m.Own].sets[a]
	fam := s.families[m.Opp]
	n := len(win)
	disjoint, movable := bitset(buf[:n:n]), bitset(buf[n:2*n:2*n])
	fam.without(own, disjoint)
	copy(loss, disjoint)
	clear(win)
	clear(movable)

	var list [4 * 2 * maxSide]stroke
	all := strokes(list[:0], own)
	for i := range all {
		s.quiet(m, &all[i], fam, disjoint, movable, win, loss)
	}
	for i := range all {
		if all[i].captures > 0 {
			s.captures(m, &all[i], fam, disjoint, win, loss)
		}
	}
	// A side without a move forfeits: the opponent moves on the same board.
	passWin, passLoss := s.before[m.Opp][m.Own].row(a)
	for w := range win {
		if blocked := disjoint[w] &^ movable[w]; blocked != 0 {
			win[w] |= blocked & passLoss[w]
			loss[w] &= ^blocked | passWin[w]
		}
		loss[w] &^= win[w]
	}
}

// without sets out to the sets of the family that hold no square of own.
func (f *family) without(own uint32, out bitset) {
	for w := range out {
		out[w] = ^uint64(0)
	}
	if rest := len(f.sets) & 63; rest != 0 {
		out[len(out)-1] = 1<<rest - 1
	}
	for ; own != 0; own &= own - 1 {
		h := f.holding[bits.TrailingZeros32(own)]
		for w := range out {
			out[w] &^= h[w]
		}
	}
}

// quiet enters a stroke into a row where it captures nothing, and notes in
// movable where it is legal.
func (s *sweep) quiet(m Material, k *stroke, fam *family, disjoint, movable, win, loss bitset) {
	childWin, childLoss := s.before[m.Opp][m.Own].row(rank(k.moved))
	n := len(win)
	childWin, childLoss, disjoint, movable, loss = childWin[:n], childLoss[:n], disjoint[:n], movable[:n], loss[:n]
	target := fam.holding[k.to][:n]
	var over bitset
	if k.over >= 0 {
		over = fam.holding[k.over][:n]
	}
	dies := k.axisPossible[0] || k.axisPossible[1]
	var deadWin, deadLoss bitset // where the moved piece dies
	if dies && m.Own > 2 {
		deadWin, deadLoss = s.before[m.Opp][m.Own-1].row(rank(k.died))
	}
	for w := range win {
		legal := disjoint[w] &^ target[w]
		if over != nil {
			legal &= over[w]
		}
		movable[w] |= legal
		for _, c := range k.capturable[:k.captures] {
			legal &^= fam.holding[c][w]
		}
		if dies {
			dead := legal & s.deadly(k, fam, w)
			legal &^= dead
			// With one piece left the move loses, which is what loss says
			// already.
			if dead != 0 && deadWin != nil {
				win[w] |= dead & deadLoss[w]
				loss[w] &= ^dead | deadWin[w]
			}
		}
		win[w] |= legal & childLoss[w]
		loss[w] &= ^legal | childWin[w]
	}
}

// deadly is word w of the sets that kill the moved piece.
func (s *sweep) deadly(k *stroke, fam *family, w int) uint64 {
	var out uint64
	for i := range 2 {
		if !k.axisPossible[i] {
			continue
		}
		b := ^uint64(0)
		for _, n := range k.axis[i] {
			if n >= 0 {
				b &= fam.holding[n][w]
			}
		}
		out |= b
	}
	return out
}

// captures enters a stroke into a row where it captures something. It comes
// after quiet for all strokes: where the row is won already, a capture cannot
// change it.
func (s *sweep) captures(m Material, k *stroke, fam *family, disjoint, win, loss bitset) {
	target := fam.holding[k.to]
	dies := k.axisPossible[0] || k.axisPossible[1]
	for w := range win {
		var taken uint64
		for _, c := range k.capturable[:k.captures] {
			taken |= fam.holding[c][w]
		}
		taken &= disjoint[w] &^ target[w] &^ win[w]
		if k.over >= 0 {
			taken &= fam.holding[k.over][w]
		}
		if taken == 0 {
			continue
		}
		var dead uint64
		if dies {
			dead = taken & s.deadly(k, fam, w)
		}
		if m.Opp == 2 {
			// The opponent is left with fewer than two pieces. So is the
			// mover if it had two and one died: a tie.
			if m.Own == 2 {
				loss[w] &^= dead
				taken &^= dead
			}
			win[w] |= taken
			loss[w] &^= taken
			continue
		}
		for ; taken != 0; taken &= taken - 1 {
			bit := taken & -taken
			opp := fam.sets[w<<6+bits.TrailingZeros64(taken)]
			left := opp &^ k.captureMask
			own, set := m.Own, k.moved
			if dead&bit != 0 {
				own, set = own-1, k.died
			}
			few, oppFew := own < 2, bits.OnesCount32(left) < 2
			switch {
			case few && oppFew:
				loss[w] &^= bit
			case few:
			case oppFew:
				win[w] |= bit
			default:
				childWin, childLoss := s.before[bits.OnesCount32(left)][own].row(rank(set))
				i := rank(left)
				if childLoss.has(i) {
					win[w] |= bit
				} else if !childWin.has(i) {
					loss[w] &^= bit
				}
			}
		}
	}
}

// transpose fills before from plane[parity].
func (s *sweep) transpose(parity int) {
	for _, m := range s.materials {
		from, to := s.plane[parity].of(m), s.before.of(m)
		parallel(to.words, func(lo, hi int) {
			var block [64]uint64
			for a := lo; a < hi; a++ { // 64 rows of from, one word column of to
				for b := range from.words {
					transposeBlock(from.win, from.rows, from.words, to.win, to.rows, to.words, a, b, &block)
					transposeBlock(from.loss, from.rows, from.words, to.loss, to.rows, to.words, a, b, &block)
				}
			}
		})
	}
}

// transposeBlock copies rows 64a.. and columns 64b.. of from to their places
// in to.
func transposeBlock(from []uint64, fromRows, fromWords int, to []uint64, toRows, toWords, a, b int, block *[64]uint64) {
	n := min(64, fromRows-64*a)
	for i := range n {
		block[i] = from[(64*a+i)*fromWords+b]
	}
	clear(block[n:])
	transpose64(block)
	for i := range min(64, toRows-64*b) {
		to[(64*b+i)*toWords+a] = block[i]
	}
}

// transpose64 transposes a 64x64 bit matrix: bit j of word i becomes bit i of
// word j. Blocks of 32, 16, …, 1 change places (Hacker's Delight, 7-3).
func transpose64(m *[64]uint64) {
	mask := uint64(0x00000000ffffffff)
	for j := 32; j != 0; j >>= 1 {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (m[k]>>j ^ m[k+j]) & mask
			m[k] ^= t << j
			m[k+j] ^= t
		}
		mask ^= mask << (j >> 1)
	}
}

// stableRow sets out to the opponent's sets with which own makes a position
// that games can reach: disjoint and nobody surrounded.
func (f *family) stableRow(own uint32, out bitset) {
	f.without(own, out)
	for s := range squares {
		for d := range 2 {
			p, q := nextTo[s][d], nextTo[s][d+2]
			if p == outside || q == outside {
				continue
			}
			if own>>s&1 != 0 {
				if p >= 0 && own>>p&1 != 0 || q >= 0 && own>>q&1 != 0 {
					continue
				}
				for w := range out {
					b := ^uint64(0)
					if p >= 0 {
						b &= f.holding[p][w]
					}
					if q >= 0 {
						b &= f.holding[q][w]
					}
					out[w] &^= b
				}
				continue
			}
			hostile := func(n int8) bool { return n == aCorner || own>>n&1 != 0 }
			if hostile(p) && hostile(q) {
				for w := range out {
					out[w] &^= f.holding[s][w]
				}
			}
		}
	}
}

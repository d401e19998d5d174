package why

import (
	"math/bits"
	"slices"

	"endwise/engine/grid"
)

// part is a component of a position of Dots and Boxes: a set of lines that are connected through
// boxes. A position of the part is a mask with a bit for each free line.
type part struct {
	lines  []int
	ends   [][2]int // the boxes next to each line, as indexes of around, or grid.Outside
	around []uint64 // mask of the lines around each box

	nimbers map[uint64]int
	safe    map[uint64]run
}

// run describes the safe lines of a part: nimber is the nimber of the game in which the player who draws
// the last safe line wins, and least and most are bounds of the number of safe lines that can be drawn.
type run struct{ nimber, least, most int }

// maxStates is the maximum number of positions of a part that nimber stores, and that safeRun stores.
const maxStates = 1 << 15

// loony stands for the nimber of a position that the player to move wins in every sum: this player
// can capture the last boxes and move next, or decline them.
const loony = -1

// parts returns the components of the free lines: chains and others before loops, the largest first.
func parts(b *grid.Board, free grid.Set) (out []*part) {
	for _, first := range free.Segments() {
		if free.Has(first) {
			out = append(out, newPart(b, &free, first))
		}
	}
	// A loop has as many lines as boxes, all other parts have more.
	order := func(p *part) int {
		if len(p.lines) == len(p.around) {
			return b.Squares() - len(p.around)
		}
		return -len(p.around)
	}
	slices.SortStableFunc(out, func(x, y *part) int { return order(x) - order(y) })
	return out
}

// newPart returns the component of free that contains the line first, and removes its lines from free.
func newPart(b *grid.Board, free *grid.Set, first int) *part {
	p := &part{lines: []int{first}, nimbers: map[uint64]int{}, safe: map[uint64]run{}}
	free.Remove(first)
	index := map[int]int{} // box of the board → index in p.around
	for i := 0; i < len(p.lines); i++ {
		ends := b.Sides(p.lines[i])
		for k, box := range ends {
			if box == grid.Outside {
				continue
			}
			n, ok := index[box]
			if !ok {
				n = len(index)
				index[box] = n
				p.around = append(p.around, 0)
				p.moveLines(b, free, box)
			}
			p.around[n] |= 1 << i
			ends[k] = n
		}
		p.ends = append(p.ends, ends)
	}
	return p
}

// moveLines moves the lines around a box from free to p.lines.
func (p *part) moveLines(b *grid.Board, free *grid.Set, box int) {
	for _, l := range b.Around(box) {
		if free.Has(l) {
			free.Remove(l)
			p.lines = append(p.lines, l)
		}
	}
}

// fullMask returns the mask of all lines of the part; ok is false if there are more than 63.
func (p *part) fullMask() (mask uint64, ok bool) {
	return 1<<len(p.lines) - 1, len(p.lines) < 64
}

// degree returns the number of free lines of a box in a position. It returns 3 for the outside: like
// a box with 3 free lines, it cannot be captured after one more line.
func (p *part) degree(mask uint64, box int) int {
	if box == grid.Outside {
		return 3
	}
	return bits.OnesCount64(mask & p.around[box])
}

// nimber returns the value of a position in Nimstring, which is Dots and Boxes except that the player who
// cannot move loses (Berlekamp, Conway, Guy, "Winning Ways", chapter 16). It may be loony. ok is false if
// more than maxStates positions would have to be evaluated.
func (p *part) nimber(mask uint64) (n int, ok bool) {
	if n, ok = p.nimbers[mask]; ok {
		return n, true
	}
	if len(p.nimbers) >= maxStates {
		return 0, false
	}
	if n, ok = p.evaluate(mask, p.nimber); ok {
		p.nimbers[mask] = n
	}
	return n, ok
}

// evaluate computes the nimber of a position from the nimbers of positions with fewer lines. ok is
// false if one of these is not known.
//
// If a box can be captured, capturing it is best, unless the box ends a chain of at least two boxes:
// then the position is loony. If no box can be captured, the nimber is the smallest number that is
// not the nimber of an option; loony options lose.
func (p *part) evaluate(mask uint64, nimber func(uint64) (n int, ok bool)) (n int, ok bool) {
	for _, lines := range p.around {
		one := lines & mask
		if bits.OnesCount64(one) != 1 {
			continue
		}
		ends := p.ends[bits.TrailingZeros64(one)]
		next := ends[0]
		if next != grid.Outside && p.around[next] == lines { // ends[0] is the captured box
			next = ends[1]
		}
		if p.degree(mask, next) != 2 {
			return nimber(mask &^ one)
		}
		// The next box has one more line. If the box across this line has no other free line, no
		// double-deal is possible: two lines complete all three boxes.
		other := mask & p.around[next] &^ one
		for _, end := range p.ends[bits.TrailingZeros64(other)] {
			if end != next && p.degree(mask, end) == 1 {
				return nimber(mask &^ (one | other))
			}
		}
		return loony, true
	}
	var options uint64
	for left := mask; left != 0; left &= left - 1 {
		n, ok := nimber(mask &^ (left & -left))
		if !ok {
			return 0, false
		}
		if n != loony {
			options |= 1 << n
		}
	}
	return bits.TrailingZeros64(^options), true
}

// safeRun returns the run of a position without captures. ok is false if more than maxStates
// positions would have to be evaluated.
func (p *part) safeRun(mask uint64) (r run, ok bool) {
	if r, ok = p.safe[mask]; ok {
		return r, true
	}
	if len(p.safe) >= maxStates {
		return run{}, false
	}
	var options uint64 // set of the nimbers after a safe line; 0 if there is none yet
	for left := mask; left != 0; left &= left - 1 {
		line := left & -left
		ends := p.ends[bits.TrailingZeros64(line)]
		// Not safe: a box next to the line would have only one free line left.
		if p.degree(mask, ends[0]) < 3 || p.degree(mask, ends[1]) < 3 {
			continue
		}
		next, ok := p.safeRun(mask &^ line)
		if !ok {
			return run{}, false
		}
		if options == 0 || next.least+1 < r.least {
			r.least = next.least + 1
		}
		r.most = max(r.most, next.most+1)
		options |= 1 << next.nimber
	}
	r.nimber = bits.TrailingZeros64(^options)
	p.safe[mask] = r
	return r, true
}

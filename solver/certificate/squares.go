package certificate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"

	"endwise/engine/grid"
)

// Who is to move where something is claimed.
const (
	opponent = iota
	claimant
)

// oracle asks a solver whether a position is worth at least so much to the side to
// move. One goroutine at a time may use it.
type oracle func(ctx context.Context, position uint64, atLeast int) (bool, error)

// squaresGame is a board of Dots and Boxes or Circuit Wars. Positions are sets of
// free lines; canonical ones are those that the claims go by.
type squaresGame struct {
	name  string
	board *grid.Board
	// flood leaves those of the free lines that a move can still take; nil for all.
	flood func(free uint64) uint64
	// again is whether whoever wins a square moves again.
	again bool
	// oracles makes an oracle for each of the threads.
	oracles func(threads int) []oracle

	squares []uint64         // the four lines of each
	images  [][8][256]uint64 // symmetry → where the lines of each byte of a set go
	alike   [][2]int         // two lines with the same single square beside them
	order   []int            // in which lines are tried
}

// newSquaresGame prepares the geometry. It wraps ErrNone for boards of more lines
// than a word has bits, less one.
func newSquaresGame(name string, b *grid.Board) (*squaresGame, error) {
	n := b.Segments()
	if n > 63 || max(b.Rows, b.Cols) > 8 {
		return nil, fmt.Errorf("%w of %s: boards of up to 63 lines and 8 squares a side have one", ErrNone, b)
	}
	g := &squaresGame{name: name, board: b}
	for sq := range b.Squares() {
		var lines uint64
		for _, l := range b.Around(sq) {
			lines |= 1 << l
		}
		g.squares = append(g.squares, lines)
	}
	for _, y := range b.Symmetries() {
		var image [8][256]uint64
		for l, to := range y.Segment {
			for set := range 256 {
				if set>>(l%8)&1 != 0 {
					image[l/8][set] |= 1 << to
				}
			}
		}
		g.images = append(g.images, image)
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if a, b := b.Sides(i), b.Sides(j); a == b && a[1] == grid.Outside {
				g.alike = append(g.alike, [2]int{i, j})
			}
		}
		g.order = append(g.order, i)
	}
	// From the middle outwards: a fixed order keeps both sides in a small family of
	// positions, and of those tried on 3x3 and 2x4 this one needs the fewest moves,
	// half of those from the border inwards.
	slices.SortStableFunc(g.order, func(i, j int) int { return cmp.Compare(fromMiddle(b, i), fromMiddle(b, j)) })
	return g, nil
}

// fromMiddle is the squared distance of a line's middle from the board's, in half
// squares.
func fromMiddle(b *grid.Board, line int) int {
	r, c, horizontal := b.Line(line)
	y, x := 2*r+1-b.Rows, 2*c-b.Cols
	if horizontal {
		y, x = 2*r-b.Rows, 2*c+1-b.Cols
	}
	return y*y + x*x
}

// canonical is the position that stands for all that differ by symmetry or by lines
// that are alike.
func (g *squaresGame) canonical(p uint64) uint64 {
	best := ^uint64(0)
	for i := range g.images {
		t := &g.images[i]
		q := t[0][p&255] | t[1][p>>8&255] | t[2][p>>16&255] | t[3][p>>24&255] |
			t[4][p>>32&255] | t[5][p>>40&255] | t[6][p>>48&255] | t[7][p>>56]
		for _, a := range g.alike {
			if q>>a[0]&1 == 0 && q>>a[1]&1 != 0 {
				q ^= 1<<a[0] | 1<<a[1]
			}
		}
		best = min(best, q)
	}
	return best
}

// left counts the squares that are still to be won.
func (g *squaresGame) left(p uint64) int {
	n := 0
	for _, lines := range g.squares {
		if p&lines != 0 {
			n++
		}
	}
	return n
}

// play draws a line.
func (g *squaresGame) play(p uint64, line int) (after uint64, won int, again bool) {
	after = p &^ (1 << line)
	if g.flood != nil {
		after = g.flood(after)
	}
	won = g.left(p) - g.left(after)
	return after, won, g.again && won > 0
}

// next is the claim after a move: who is to move, where, and what is claimed.
func (g *squaresGame) next(who int, p uint64, atLeast, line int) (int, uint64, int) {
	after, won, again := g.play(p, line)
	if who == claimant {
		won = -won
	}
	if !again {
		who = opponent + claimant - who
	}
	return who, after, atLeast + won
}

// proof is the making of a certificate.
type proof struct {
	*squaresGame
	o       Options
	oracles []oracle
	claims  [64][2]map[uint64]int8 // by free lines and who is to move: canonical position → at least
	body    []byte
}

// chunk is how many moves are looked for before they are settled in order. It is part
// of how a certificate comes out.
const chunk = 1 << 12

// prove makes the certificate of the value of the empty board.
func (g *squaresGame) prove(ctx context.Context, value int, o Options) (*Certificate, error) {
	p := &proof{squaresGame: g, o: o, oracles: g.oracles(max(1, o.Threads))}
	for i := range p.claims {
		p.claims[i] = [2]map[uint64]int8{{}, {}}
	}
	lines := g.board.Segments()
	all := uint64(1)<<lines - 1
	if err := p.claim(claimant, all, value); err != nil {
		return nil, err
	}
	if err := p.claim(opponent, all, -value); err != nil {
		return nil, err
	}
	o.Progress.Begin("prove "+g.board.String(), "free lines", 0, uint64(lines))
	for free := lines; free > 0; free-- {
		if err := p.layer(ctx, free); err != nil {
			return nil, err
		}
		p.claims[free] = [2]map[uint64]int8{}
		o.Progress.Add(1)
		o.Progress.Note(fmt.Sprintf("%d moves", len(p.body)))
	}
	if len(o.Known) > len(p.body) {
		return nil, fmt.Errorf("%w: %d moves known, %d needed", ErrFormat, len(o.Known), len(p.body))
	}
	return &Certificate{Game: g.name, Rows: g.board.Rows, Cols: g.board.Cols, Value: value, Body: p.body}, nil
}

// claim notes a claim, unless it holds by itself. It wraps ErrWrong.
func (p *proof) claim(who int, position uint64, atLeast int) error {
	left := p.left(position)
	switch {
	case atLeast > left:
		return fmt.Errorf("%w: %+d in position %#x with %d squares left", ErrWrong, atLeast, position, left)
	case atLeast <= -left:
		return nil
	}
	c := p.canonical(position)
	claims := p.claims[bits.OnesCount64(c)][who]
	if before, ok := claims[c]; !ok || atLeast > int(before) {
		claims[c] = int8(atLeast)
	}
	return nil
}

// holds is whether a claim needs nothing that is not claimed already.
func (p *proof) holds(who int, position uint64, atLeast int) bool {
	if atLeast <= -p.left(position) {
		return true
	}
	c := p.canonical(position)
	before, ok := p.claims[bits.OnesCount64(c)][who][c]
	return ok && atLeast <= int(before)
}

// layer follows the claims about the positions with so many free lines.
func (p *proof) layer(ctx context.Context, free int) error {
	for position, atLeast := range p.claims[free][opponent] {
		for rest := position; rest != 0; rest &= rest - 1 {
			if err := p.claim(p.next(opponent, position, int(atLeast), bits.TrailingZeros64(rest))); err != nil {
				return err
			}
		}
	}
	claims := p.claims[free][claimant]
	positions := slices.Sorted(maps.Keys(claims))
	for len(positions) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		some := positions[:min(chunk, len(positions))]
		positions = positions[len(some):]
		if err := p.settle(ctx, some, claims); err != nil {
			return err
		}
	}
	return nil
}

// settle finds moves for some positions with the claimant to move.
func (p *proof) settle(ctx context.Context, positions []uint64, claims map[uint64]int8) error {
	moves := make([]int, len(positions))
	known := p.o.Known[min(len(p.body), len(p.o.Known)):]
	if len(known) > 0 {
		if len(known) < len(positions) {
			return fmt.Errorf("%w: %d moves known of %d that are found together", ErrFormat, len(known), len(positions))
		}
		for i, position := range positions {
			if moves[i] = int(known[i]); known[i] > 63 || position>>known[i]&1 == 0 {
				return fmt.Errorf("%w: line %d is not free in position %#x", ErrFormat, known[i], position)
			}
		}
	} else if err := p.choose(ctx, positions, claims, moves); err != nil {
		return err
	}
	begin := len(p.body)
	for i, position := range positions {
		atLeast := int(claims[position])
		if len(known) == 0 {
			if line, ok := p.free(position, atLeast); ok {
				moves[i] = line
			}
		}
		if err := p.claim(p.next(claimant, position, atLeast, moves[i])); err != nil {
			return err
		}
		p.body = append(p.body, byte(moves[i]))
	}
	if p.o.Record != nil && len(known) == 0 {
		return p.o.Record(p.body[begin:])
	}
	return nil
}

// free finds a move that makes nothing new to prove.
func (p *proof) free(position uint64, atLeast int) (line int, ok bool) {
	for _, line := range p.order {
		if position>>line&1 != 0 && p.holds(p.next(claimant, position, atLeast, line)) {
			return line, true
		}
	}
	return 0, false
}

// choose asks the oracles for a good move of each position that has no free one. What
// they find is the same for any number of threads, as nothing is claimed meanwhile.
func (p *proof) choose(ctx context.Context, positions []uint64, claims map[uint64]int8, moves []int) error {
	var group sync.WaitGroup
	errs := make([]error, len(p.oracles))
	for t, ask := range p.oracles {
		group.Go(func() {
			for i := t; i < len(positions) && errs[t] == nil; i += len(p.oracles) {
				atLeast := int(claims[positions[i]])
				if _, ok := p.free(positions[i], atLeast); !ok {
					moves[i], errs[t] = p.good(ctx, ask, positions[i], atLeast)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// good is the first good move: of those that win a square if there is one, in the
// order of the lines.
func (p *proof) good(ctx context.Context, ask oracle, position uint64, atLeast int) (line int, err error) {
	for _, capture := range [2]bool{true, false} {
		for _, line := range p.order {
			if position>>line&1 == 0 {
				continue
			}
			after, won, again := p.play(position, line)
			if capture != (won > 0) {
				continue
			}
			var yes bool
			if need := atLeast - won; again {
				yes, err = ask(ctx, after, need)
			} else {
				yes, err = ask(ctx, after, 1-need)
				yes = !yes
			}
			if err != nil || yes {
				return line, err
			}
		}
	}
	return 0, fmt.Errorf("%w: %+d in position %#x, no move of it is good enough", ErrWrong, atLeast, position)
}

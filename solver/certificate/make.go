package certificate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/engine/grid"
	"endwise/solver"
)

const (
	opponent = iota
	claimant
)

// oracle returns bounds that decide whether the value of a position for the side to move is at
// least atLeast, unless ctx ends first. It is used by one goroutine at a time.
type oracle func(ctx context.Context, position uint64, atLeast int) (solver.Result, error)

// squaresGame contains the geometry and rules of a board.
type squaresGame struct {
	name  string
	board *grid.Board
	// flood returns the free lines that are not in closed areas; nil if all are playable.
	flood func(free uint64) uint64
	// extraTurn means that a player who wins a square moves again.
	extraTurn bool
	// value returns the value of the empty board; the bounds differ if the context ends first.
	value     func(ctx context.Context) (solver.Result, error)
	newOracle func() oracle
	// known, if not nil, returns a line that earlier proofs show to be worth at least atLeast, or a
	// negative number. It does not search.
	known func(position uint64, atLeast int) (line int, err error)
	// secure, if not nil, searches for a line worth at least atLeast. It returns a negative number
	// if there is none or ctx ends first.
	secure func(ctx context.Context, position uint64, atLeast int) (line int, err error)
	// mirrored means that the pairing theorem of Circuit Wars holds.
	mirrored bool

	squares    []uint64         // by square: the set of its four lines
	images     [][8][256]uint64 // symmetry → byte of a position → its value → image
	equivalent [][2]int         // outer lines of the same square
	order      []int            // in which lines are tried
}

// newSquaresGame returns a game with the geometry of b; the caller sets the functions and rules. The
// error wraps [ErrNone] if the board is too large.
func newSquaresGame(name string, b *grid.Board) (*squaresGame, error) {
	n := b.Segments()
	if n > maxLines || max(b.Rows, b.Cols) > 9 {
		return nil, fmt.Errorf("%w of %s: only boards with at most %d lines and 9 squares per side have one",
			ErrNone, b, maxLines)
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
			if sides := b.Sides(i); sides == b.Sides(j) && sides[1] == grid.Outside {
				g.equivalent = append(g.equivalent, [2]int{i, j})
			}
		}
		g.order = append(g.order, i)
	}
	// With a fixed order, the strategies of both players reach few different positions.
	slices.SortStableFunc(g.order, func(i, j int) int {
		return cmp.Compare(fromMiddle(b, i), fromMiddle(b, j))
	})
	return g, nil
}

// fromMiddle returns the squared distance, in half squares, of a line from the middle of the board.
func fromMiddle(b *grid.Board, line int) int {
	r, c, horizontal := b.Line(line)
	y, x := 2*r+1-b.Rows, 2*c-b.Cols
	if horizontal {
		y, x = 2*r-b.Rows, 2*c+1-b.Cols
	}
	return y*y + x*x
}

// canonical returns the canonical position that is equivalent to p; see the package comment.
func (g *squaresGame) canonical(p uint64) uint64 {
	best := ^uint64(0)
	for i := range g.images {
		t := &g.images[i]
		q := t[0][p&255] | t[1][p>>8&255] | t[2][p>>16&255] | t[3][p>>24&255] |
			t[4][p>>32&255] | t[5][p>>40&255] | t[6][p>>48&255] | t[7][p>>56]
		// Pairs are in ascending order, so one pass moves the free lines to the lowest numbers.
		for _, a := range g.equivalent {
			if q>>a[0]&1 == 0 && q>>a[1]&1 != 0 {
				q ^= 1<<a[0] | 1<<a[1]
			}
		}
		best = min(best, q)
	}
	return best
}

// squaresLeft returns the number of squares that have not been won in position p.
func (g *squaresGame) squaresLeft(p uint64) int {
	n := 0
	for _, lines := range g.squares {
		if p&lines != 0 {
			n++
		}
	}
	return n
}

// play draws a free line in position p. It returns the position after it, the number of squares
// won, and whether the same side moves again.
func (g *squaresGame) play(p uint64, line int) (after uint64, won int, again bool) {
	after = p &^ (1 << line)
	if g.flood != nil {
		after = g.flood(after)
	}
	won = g.squaresLeft(p) - g.squaresLeft(after)
	return after, won, g.extraTurn && won > 0
}

// step is a move and the claim after it.
type step struct {
	position uint64 // canonical; 0 if the claim is trivially true
	line     int8   // the move
	who      int8   // the side to move after it: opponent or claimant
	least    int8   // the claim's number
	left     int8   // number of squares left
}

// step returns the step by drawing line from a claim about p, with who to move and number least.
func (g *squaresGame) step(who int, p uint64, least, line int) step {
	after, won, again := g.play(p, line)
	if who == claimant {
		won = -won
	}
	if !again {
		who = opponent + claimant - who
	}
	s := step{line: int8(line), who: int8(who), least: int8(least + won), left: int8(g.squaresLeft(after))}
	if s.least > -s.left {
		s.position = g.canonical(after)
	}
	return s
}

type proof struct {
	*squaresGame
	o       Options
	oracles []oracle                // by thread
	claims  [maxLines + 1][2]claims // by number of free lines and side to move
	body    []byte
	found   []found   // by claim of a chunk
	fresh   [2]claims // of the present chunk, by side to move
	leaves  []Leaf
}

// chunk is the number of claims whose moves are found together. It affects the certificate's bytes.
const chunk = 1 << 12

// leafMargin is added to Options.Leaf if Facts contain the position but none of its moves.
const leafMargin = 4

type found struct {
	steps []step // the moves tried, in order
	known bool   // the last of steps leads to an existing claim
	line  int    // if not known: a good move, or the byte of a leaf
}

// prove computes the value of the empty board and makes its certificate or claims file, which is
// complete only if the error is nil. Errors are as for [CircuitWars].
func (g *squaresGame) prove(ctx context.Context, o Options) (*Certificate, error) {
	o.Progress.Begin("value of "+g.board.String(), "positions", 0, 0)
	r, err := g.value(ctx)
	if err == nil && !r.Exact() {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	o.Progress.Set(r.Nodes)
	c := &Certificate{Game: g.name, Rows: g.board.Rows, Cols: g.board.Cols, Value: r.Lower, Claims: o.Leaf > 0}
	partner := g.pairing(-c.Value)
	c.Pairing = partner != nil
	_, err = g.follow(ctx, c, partner, o)
	return c, err
}

// pairing returns the partner of every line under a symmetry that exchanges all lines in pairs. Of
// these symmetries it chooses the one that maps the most squares to themselves. It returns nil if no
// symmetry maps at least fixed squares to themselves, or if the theorem does not hold in the game.
func (g *squaresGame) pairing(fixed int) (best []byte) {
	if !g.mirrored {
		return nil
	}
next:
	for _, y := range g.board.Symmetries() {
		var partner []byte
		for l, to := range y.Segment {
			if to == l || y.Segment[to] != l {
				continue next
			}
			partner = append(partner, byte(to))
		}
		n := 0
		for sq, to := range y.Square {
			if sq == to {
				n++
			}
		}
		if n >= fixed {
			best, fixed = partner, n+1
		}
	}
	return best
}

// follow makes c.Body, beginning with the claims given by c.Value and c.From, and returns the
// leaves. partner, if not nil, replaces the second claim. After an error, c.Body is incomplete.
func (g *squaresGame) follow(ctx context.Context, c *Certificate, partner []byte, o Options) ([]Leaf, error) {
	p := &proof{squaresGame: g, o: o, body: partner, found: make([]found, chunk)}
	if len(o.Known) > 0 && !bytes.HasPrefix(o.Known, partner) {
		return nil, fmt.Errorf("%w: they do not begin with the pairing of the board", ErrRecorded)
	}
	if len(o.Known) == 0 && o.Record != nil && partner != nil {
		if err := o.Record(partner); err != nil {
			return nil, err
		}
	}
	for range max(1, o.Threads) {
		p.oracles = append(p.oracles, g.newOracle())
	}
	lines := g.board.Segments()
	start := uint64(1)<<lines - 1
	if c.From != 0 {
		start = c.From
	}
	first := step{
		position: g.canonical(start), who: claimant, least: int8(c.Value), left: int8(g.squaresLeft(start)),
	}
	err := p.claim(first)
	if c.From == 0 && partner == nil {
		first.who, first.least = opponent, -first.least
		err = cmp.Or(err, p.claim(first))
	}
	o.Progress.Begin("prove "+g.board.String(), "free lines", 0, uint64(lines))
	for free := lines; free > 0 && err == nil; free-- {
		err = p.process(ctx, free)
		p.claims[free] = [2]claims{}
		o.Progress.Add(1)
	}
	if err == nil && len(o.Known) > len(p.body) {
		err = fmt.Errorf("%w: %d moves recorded, %d needed", ErrRecorded, len(o.Known), len(p.body))
	}
	c.Body = p.body
	return p.leaves, err
}

// claim adds s unless it is trivially true. The error wraps [ErrWrong] if s is trivially false.
func (p *proof) claim(s step) error {
	switch {
	case s.least > s.left:
		return fmt.Errorf("%w: %+d in position %#x with %d squares left", ErrWrong, s.least, s.position, s.left)
	case s.least > -s.left:
		p.claims[bits.OnesCount64(s.position)][s.who].raise(s.position, s.least)
	}
	return nil
}

// holds reports whether the claim after s is trivially true or follows from an existing claim.
func (p *proof) holds(s step) bool {
	return s.least <= -s.left || p.claims[bits.OnesCount64(s.position)][s.who].holds(s.position, s.least)
}

// process adds the claims that follow the claims about positions with the given number of free
// lines, and adds the moves of the claimant to the body.
func (p *proof) process(ctx context.Context, free int) error {
	for who, add := range [2]func(context.Context, []uint64) error{
		opponent: p.addAnswers, claimant: p.addMoves,
	} {
		all := p.claims[free][who].sorted()
		for done := 0; done < len(all); done += chunk {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := add(ctx, all[done:min(done+chunk, len(all))]); err != nil {
				return err
			}
			percent := 50*done/len(all) + 50*who // each side counts half
			p.o.Progress.Note(fmt.Sprintf("%d moves, %d %% of those with %d free lines", len(p.body), percent, free))
		}
	}
	return nil
}

// forClaims calls f for each packed claim of batch, with its index i, concurrently: one goroutine per
// oracle takes the next claim. After an error of f, its goroutine takes no more claims, and the
// others continue. forClaims returns one of the errors.
func (p *proof) forClaims(batch []uint64, f func(query oracle, i int, position uint64, least int) error) error {
	var group sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, len(p.oracles))
	for t, query := range p.oracles {
		group.Go(func() {
			for errs[t] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(batch) {
					return
				}
				position, least := unpack(batch[i])
				errs[t] = f(query, i, position, int(least))
			}
		})
	}
	group.Wait()
	return cmp.Or(errs...)
}

// addAnswers adds the claims after all moves of the opponent for each claim of batch, packed claims
// with the opponent to move. The error wraps [ErrWrong] if one is false.
func (p *proof) addAnswers(_ context.Context, batch []uint64) error {
	if err := p.forClaims(batch, func(_ oracle, i int, position uint64, least int) error {
		f := &p.found[i]
		f.steps = f.steps[:0]
		for rest := position; rest != 0; rest &= rest - 1 {
			f.steps = append(f.steps, p.step(opponent, position, least, bits.TrailingZeros64(rest)))
		}
		return nil
	}); err != nil {
		return err
	}
	for i := range batch {
		for _, s := range p.found[i].steps {
			if err := p.claim(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// chosen returns the move for a claim with the result f, which is not a leaf. It prefers the first
// of f.steps whose claim was added in this chunk. claimed reports whether the claim after it exists.
func (p *proof) chosen(f *found) (line int, claimed bool) {
	for _, s := range f.steps {
		if p.fresh[s.who].holds(s.position, s.least) {
			return int(s.line), true
		}
	}
	if f.known {
		return int(f.steps[len(f.steps)-1].line), true
	}
	return f.line, false
}

// addMoves appends to the body a move, or the byte of a leaf, for each claim of batch, packed
// claims with the claimant to move, and adds the claims after the moves. It takes the moves from
// Options.Known or, if Known ends before this batch, finds and records them.
func (p *proof) addMoves(ctx context.Context, batch []uint64) error {
	known := p.o.Known[min(len(p.body), len(p.o.Known)):]
	if len(known) > 0 {
		return p.replay(batch, known)
	}
	if err := p.forClaims(batch, func(query oracle, i int, position uint64, least int) error {
		return p.findMove(ctx, query, &p.found[i], position, least)
	}); err != nil {
		return err
	}
	p.fresh = [2]claims{}
	begin := len(p.body)
	for i, packed := range batch {
		f := &p.found[i]
		if f.line >= leaf {
			p.leaf(packed, byte(f.line))
			continue
		}
		line, claimed := p.chosen(f)
		if !claimed {
			position, least := unpack(packed)
			s := p.step(claimant, position, int(least), line)
			if err := p.claim(s); err != nil {
				return err
			}
			if s.position != 0 { // not trivially true
				p.fresh[s.who].raise(s.position, s.least)
			}
		}
		p.body = append(p.body, byte(line))
	}
	if p.o.Record != nil {
		return p.o.Record(p.body[begin:])
	}
	return nil
}

// replay is addMoves with recorded moves: known begins with the bytes of batch. The error wraps
// [ErrRecorded] if the bytes do not fit the claims.
func (p *proof) replay(batch []uint64, known []byte) error {
	if len(known) < len(batch) {
		return fmt.Errorf("%w: %d moves of a chunk of %d", ErrRecorded, len(known), len(batch))
	}
	for i, packed := range batch {
		position, least := unpack(packed)
		if p.o.Leaf > 0 && leaf <= known[i] && known[i] < 2*leaf {
			p.leaf(packed, known[i])
			continue
		}
		if known[i] >= maxLines || position>>known[i]&1 == 0 {
			return fmt.Errorf("%w: line %d is not free in position %#x", ErrRecorded, known[i], position)
		}
		if err := p.claim(p.step(claimant, position, int(least), int(known[i]))); err != nil {
			return err
		}
		p.body = append(p.body, known[i])
	}
	return nil
}

// leaf adds a packed claim to the leaves, and its byte to the body.
func (p *proof) leaf(packed uint64, value byte) {
	position, least := unpack(packed)
	p.leaves = append(p.leaves, Leaf{position, int(least)})
	p.body = append(p.body, value)
}

// findMove sets f for a claim with the claimant to move: to a leaf if the position has few enough
// free lines, else to the first move that leads to an existing claim, or else to a good move. The
// error wraps [ErrWrong] if the claim is false. No claims are added meanwhile, so the result does not
// depend on the number of threads.
func (p *proof) findMove(ctx context.Context, query oracle, f *found, position uint64, least int) (err error) {
	f.steps, f.known, f.line = f.steps[:0], false, 0
	free, good := bits.OnesCount64(position), -1
	if free <= p.o.Leaf {
		f.line = leaf
		if p.known == nil {
			f.line, err = solveLeaf(ctx, query, position, least)
		}
		return err
	}
	if p.known != nil {
		if good, err = p.known(position, least); err != nil {
			return err
		}
		if good < 0 && free <= p.o.Leaf+leafMargin { // the claim follows from earlier proofs
			f.line = leaf
			return nil
		}
	}
	for _, line := range p.order {
		if position>>line&1 != 0 {
			s := p.step(claimant, position, least, line)
			f.steps = append(f.steps, s)
			if p.holds(s) {
				f.known = true
				return nil
			}
		}
	}
	switch {
	case good >= 0:
		f.line = good
	case p.secure != nil:
		f.line, err = p.secure(ctx, position, least)
		if err = cmp.Or(err, ctx.Err()); err == nil && f.line < 0 {
			err = fmt.Errorf("%w: %+d in position %#x, but no move achieves it", ErrWrong, least, position)
		}
	default:
		f.line, err = p.goodMove(ctx, query, position, least)
	}
	return err
}

// solveLeaf proves a claim by a search and returns the leaf's byte, or ErrWrong for a false claim.
func solveLeaf(ctx context.Context, query oracle, position uint64, least int) (value int, err error) {
	r, err := query(ctx, position, least)
	if err = cmp.Or(err, ctx.Err()); err == nil && r.Lower < least {
		err = fmt.Errorf("%w: %+d in position %#x, whose value is at most %+d", ErrWrong, least, position, r.Upper)
	}
	return leaf + bits.Len64(r.Nodes), err
}

// goodMove returns the first move that is worth at least atLeast by the oracle query, captures first
// and otherwise in p.order. The error wraps [ErrWrong] if there is none, or is that of query or ctx.
func (p *proof) goodMove(ctx context.Context, query oracle, position uint64, atLeast int) (line int, err error) {
	for _, capture := range [2]bool{true, false} {
		for _, line := range p.order {
			if position>>line&1 == 0 {
				continue
			}
			after, won, again := p.play(position, line)
			if capture != (won > 0) {
				continue
			}
			// The position after a good move is worth at least need to the claimant. If the turn
			// changes, it is worth at most -need to the opponent: not at least 1-need.
			need := atLeast - won
			if !again {
				need = 1 - need
			}
			r, err := query(ctx, after, need)
			if err = cmp.Or(err, ctx.Err()); err != nil || again == (r.Lower >= need) {
				return line, err
			}
		}
	}
	return 0, fmt.Errorf("%w: %+d in position %#x, but no move achieves it", ErrWrong, atLeast, position)
}

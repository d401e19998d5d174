// Package ahead is the live search of a game of which only the rules are known.
package ahead

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"endwise/book"
	"endwise/book/known"
	"endwise/engine"
)

// source looks ahead by the rules alone: a turn further each time, by
// alpha-beta, until the time is up or nothing is left to look at. It is the
// live search of a game that has no other, and always has an answer.
//
// It always looks at all moves for one turn, whatever the clock says, so a move
// that wins at once is never missed. What it proves is kept apart from what it
// guesses where it stopped: a value is proved where no line behind it was cut
// off for its length, and a win or a loss also where the cut lines do not
// matter.
type source struct {
	name string
	// counted says that values count something; else a game is won, tied or
	// lost, and the score before its end is no more than an opinion.
	counted bool
	// turns is how far it looks at most, 0 for as far as it can.
	turns int
	// positions is how many values it remembers while it thinks.
	positions int
	nodes     uint64 // most positions that it looks at, 0 for what the clock allows
}

// unlimited is how many positions are looked at where no clock limits it.
const unlimited = 200_000

// rememberedBytes is about what a proved value takes in the memory of a lookahead.
const rememberedBytes = 256

// Instant looks at all moves of a game for one turn. Those that seem equal it takes
// in any order.
func Instant(g engine.Game) book.Source {
	_, counted := g.(engine.Counted)
	return source{name: "instant", counted: counted, turns: 1}
}

// Search looks as far as the clock allows, or at no more positions than nodes, 0 for
// no limit, and keeps what it finds in about so many bytes.
func Search(g engine.Game, hashBytes int64, nodes uint64) book.Source {
	_, counted := g.(engine.Counted)
	return source{name: "search", counted: counted, positions: int(max(hashBytes/rememberedBytes, 1<<10)), nodes: nodes}
}

func (s source) Name() string { return s.name }

func (s source) Improve(ctx context.Context, q *book.Question) (enough bool, err error) {
	x := &lookahead{source: s, ctx: ctx, memory: map[string]remembered{}}
	if left, limited := q.Clock.Remaining(); limited {
		var cancel context.CancelFunc
		x.ctx, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	} else if x.limit = s.nodes; x.limit == 0 {
		x.limit = unlimited
	}
	moves, err := x.firstMoves(q)
	if err != nil {
		return false, err
	}
	for depth := 1; (!x.settled(moves) || q.AllMoves && depth == 1) && (s.turns == 0 || depth <= s.turns); depth++ {
		done, err := x.deepen(q, moves, depth)
		if err != nil {
			return false, err
		}
		if !done {
			depth--
		}
		x.tell(q, moves, depth)
		if !done {
			break
		}
	}
	x.tell(q, moves, 0)
	q.Known.Count(x.nodes)
	return false, nil
}

// move is a move of the position in question and what is known of it.
type move struct {
	move  engine.Move
	after engine.Position
	gain  int // what the move brings at once
	value int // for who plays it
	proof engine.Proof
}

// interval encloses a value.
type interval struct{ low, high int }

const (
	won      = 1 << 20 // a win in a game that does not count
	infinity = 1 << 21
)

// lookahead is one question to a source. Values in it are those of
// engine.Canonical, for the side to move, but that a win counts won.
type lookahead struct {
	source
	ctx    context.Context
	limit  uint64 // of nodes, 0 for none
	nodes  uint64
	cut    uint64                // how many lines were left because of their length
	memory map[string]remembered // by a position's notation
}

// remembered is what was found out about a position: what is proved of its
// value, and what a search to a depth said.
type remembered struct {
	interval
	depth  int
	opined interval
}

// errOutOfTime says that a search was given up.
var errOutOfTime = errors.New("out of time")

// gain is what a move from p to next brings who plays it.
func (x *lookahead) gain(p, next engine.Position) int {
	me := p.Turn()
	if x.counted {
		return engine.Lead(next, me) - engine.Lead(p, me)
	}
	return won * engine.Outcome(next, me)
}

// guess is what a position seems to be worth to its mover.
func (x *lookahead) guess(p engine.Position) int {
	if x.counted {
		return 0
	}
	return max(-won/2, min(won/2, engine.Lead(p, p.Turn())))
}

// firstMoves are the moves in question with what is known of them beforehand.
func (x *lookahead) firstMoves(q *book.Question) ([]move, error) {
	var out []move
	for _, m := range q.Position.Moves() {
		after, err := q.Position.Play(m)
		if err != nil {
			return nil, err
		}
		a := move{move: m, after: after, gain: x.gain(q.Position, after)}
		if after.Over() {
			a.value, a.proof = a.gain, engine.Exact
		}
		if k := q.Known.Move(m); k.Exact() {
			a.value, a.proof = k.Lower, engine.Exact
			if !x.counted {
				a.value *= won
			}
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, engine.ErrGameOver
	}
	if x.turns == 1 {
		// A player without time must not be the same in every game.
		rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	sortMoves(out)
	return out, nil
}

// sortMoves puts the best first and leaves equals in their order. So the moves
// of a lost position keep the order in which the turn before has left them:
// the last that was seen to lose comes first.
func sortMoves(moves []move) {
	slices.SortStableFunc(moves, func(a, b move) int { return b.value - a.value })
}

// settled says whether nothing would change if one looked further: the first
// move is a win, or proved to be as good as any other.
func (x *lookahead) settled(moves []move) bool {
	best := moves[0]
	if best.proof != engine.Exact || !x.counted && best.value >= won {
		return best.proof == engine.Exact
	}
	return !slices.ContainsFunc(moves[1:], func(m move) bool { return m.proof == engine.Estimate || m.value > best.value })
}

// deepen looks at every move of the question to a depth, counted in turns, and
// sorts them. done is false where the time was up; then the best of those that
// were looked at, or are proved already, comes first, unless it loses.
//
// Unless all moves are asked for, a move is looked at only as far as it takes
// to see that it is no better than the best before it. What is proved of it is
// then an upper bound.
func (x *lookahead) deepen(q *book.Question, moves []move, depth int) (done bool, err error) {
	best, at, late := -infinity, 0, false
	for i := range moves {
		m := &moves[i]
		if m.proof != engine.Exact {
			if late || !x.counted && best >= won && !q.AllMoves {
				continue
			}
			alpha := best
			if q.AllMoves {
				alpha = -infinity
			}
			cut := x.cut
			v, err := x.through(q.Position, m.after, m.gain, depth, alpha, infinity)
			if errors.Is(err, errOutOfTime) {
				late = true
				continue
			}
			if err != nil {
				return false, err
			}
			m.value, m.proof = v, engine.Estimate
			switch whole := x.cut == cut; {
			case !x.counted && (v >= won && v > alpha || v <= -won):
				m.proof = engine.Exact // nothing is beyond a win or a loss
			case whole && v <= alpha:
				m.proof = engine.Upper
			case whole:
				m.proof = engine.Exact
			}
		}
		if m.value > best {
			best, at = m.value, i
		}
	}
	if late && (x.counted || best > -won) {
		m := moves[at]
		copy(moves[1:at+1], moves[:at])
		moves[0] = m
		return false, nil
	}
	sortMoves(moves) // late: what is not proved to lose comes first
	return !late, nil
}

// through is what a move from p to q is worth to who plays it.
func (x *lookahead) through(p, q engine.Position, gain, depth, alpha, beta int) (int, error) {
	if q.Over() {
		return gain, nil
	}
	if q.Turn() == p.Turn() {
		v, err := x.value(q, depth-1, alpha-gain, beta-gain)
		return gain + v, err
	}
	v, err := x.value(q, depth-1, gain-beta, gain-alpha)
	return gain - v, err
}

// value is fail-soft alpha-beta to a depth, where guess speaks. A subtree that
// was not cut off there has its true values, so what it proves is remembered
// for every depth. A win or a loss is proved in any case, within what alpha-beta
// says of best: above alpha it is a lower bound, below beta an upper one, and no
// guess is as much as a win or as little as a loss.
func (x *lookahead) value(p engine.Position, depth, alpha, beta int) (int, error) {
	x.nodes++
	if depth == 0 {
		x.cut++
		return x.guess(p), nil
	}
	if x.limit > 0 && x.nodes > x.limit || x.nodes&63 == 0 && x.ctx.Err() != nil {
		return 0, errOutOfTime
	}
	name := p.String()
	anything := interval{-infinity, infinity}
	known, there := x.memory[name]
	if !there {
		known = remembered{anything, depth, anything}
	}
	if v, ok := known.within(alpha, beta); ok {
		return v, nil
	}
	if known.depth != depth {
		known.depth, known.opined = depth, anything
	}
	if v, ok := known.opined.within(alpha, beta); ok {
		x.cut++
		return v, nil
	}
	cut, best := x.cut, -infinity
	for _, m := range p.Moves() {
		q, err := p.Play(m)
		if err != nil {
			return 0, err
		}
		v, err := x.through(p, q, x.gain(p, q), depth, max(alpha, best), beta)
		if err != nil {
			return 0, err
		}
		if best = max(best, v); best >= beta {
			break
		}
	}
	whole := x.cut == cut
	if best > alpha {
		known.opined.low = best
		if whole || !x.counted && best >= won {
			known.low = max(known.low, best)
		}
	}
	if best < beta {
		known.opined.high = best
		if whole || !x.counted && best <= -won {
			known.high = min(known.high, best)
		}
	}
	if there || len(x.memory) < x.positions {
		x.memory[name] = known
	}
	return best, nil
}

// within is what to answer in a window where the interval is enough for it.
func (i interval) within(alpha, beta int) (v int, ok bool) {
	switch {
	case i.low >= beta || i.low == i.high:
		return i.low, true
	case i.high <= alpha:
		return i.high, true
	}
	return 0, false
}

// tell puts what was found into what is known. Unless all moves were asked for
// the estimate of any but the first may be no more than a bound of it.
func (x *lookahead) tell(q *book.Question, moves []move, depth int) {
	var guesses []known.Guess
	for i, m := range moves {
		v := m.value
		if !x.counted {
			v /= won
		}
		switch {
		case m.proof == engine.Exact:
			q.Known.Prove(x.name, known.Claim{Move: m.move, Lower: v, Upper: v})
		case m.proof == engine.Upper:
			q.Known.Prove(x.name, known.Claim{Move: m.move, Lower: q.Known.Move(m.move).Lower, Upper: v})
		case i == 0 || q.AllMoves || x.turns == 1:
			guesses = append(guesses, known.Guess{Move: m.move, Score: m.value})
		}
	}
	if depth > 0 && len(guesses) > 0 {
		q.Known.Estimate(x.name, depth, guesses...)
	}
}

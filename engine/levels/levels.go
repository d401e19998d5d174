// Package levels has the built-in opponents: four levels for every game with a
// score (levels.go) and four players of Watch Your Back (watchyourback.go).
package levels

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"endwise/engine"
)

// Count is the number of built-in levels.
const Count = 4

// levelNodes bounds what level 4 looks at for one move, so that its strength
// does not depend on the machine.
const levelNodes = 20000

// Level is a built-in opponent that works for every game with a score:
// 1 plays at random, 2 takes the most it can get at once, 3 also looks at
// what it leaves the opponent, 4 looks ahead further. Ties are broken at
// random.
type Level struct {
	level int
	mu    sync.Mutex
	rng   *rand.Rand
}

// New returns level 1 to Count; games with the same seed and moves
// repeat.
func New(level int, seed uint64) (*Level, error) {
	if level < 1 || level > Count {
		return nil, fmt.Errorf("level %d: want 1 to %d", level, Count)
	}
	return &Level{level: level, rng: rand.New(rand.NewPCG(seed, uint64(level)))}, nil
}

// Name returns "level1" and so on.
func (l *Level) Name() string { return fmt.Sprintf("level%d", l.level) }

// decided is more than any score: the margin of a won position whose score does
// not say who has won.
const decided = 1 << 16

// margin is the score of a position from the given side's view.
func margin(p engine.Position, s engine.Side) int {
	if _, ok := p.(engine.Decided); ok && p.Over() {
		return decided * engine.Outcome(p, s)
	}
	return engine.Lead(p, s)
}

// Choose picks a move; Decision.Score is the margin it hopes for relative to
// now. A clock that is too short for the level cuts its look-ahead off.
func (l *Level) Choose(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
	moves := p.Moves()
	if len(moves) == 0 {
		return engine.Decision{}, engine.ErrGameOver
	}
	clocked := ctx
	if left, ok := c.Remaining(); ok {
		var cancel context.CancelFunc
		clocked, cancel = context.WithTimeout(ctx, left)
		defer cancel()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	best, score, depth := moves[0], margin(p, p.Turn()), 0
	maxDepth := min(l.level-1, 2)
	if l.level == Count {
		maxDepth = len(moves)
	}
	budget := levelNodes
	for d := 1; d <= maxDepth; d++ {
		m, v, ok := deepen(clocked, p, moves, d, &budget, d > 2)
		if !ok {
			break
		}
		best, score, depth = m, v, d
	}
	name := p.MoveString(best)
	return engine.Decision{
		Move: name, Score: score - margin(p, p.Turn()), Proof: engine.Estimate, Source: l.Name(), Depth: depth,
		Line:  []string{name},
		Moves: []engine.MoveValue{{Move: name, Score: score - margin(p, p.Turn()), Proof: engine.Estimate, Source: l.Name()}},
	}, ctx.Err()
}

// deepen searches all moves to a depth by alpha-beta on the score. ok is
// false when the budget ran out in a search that has one (limited).
func deepen(ctx context.Context, p engine.Position, moves []engine.Move, depth int, budget *int, limited bool) (best engine.Move, score int, ok bool) {
	const infinity = 1 << 20
	alpha := -infinity
	for i, m := range moves {
		q, err := p.Play(m)
		if err != nil {
			return best, score, false
		}
		v, ok := value(ctx, q, p.Turn(), depth-1, alpha, infinity, budget, limited)
		if !ok {
			return best, score, false
		}
		if i == 0 || v > alpha {
			alpha, best = v, m
		}
	}
	return best, alpha, true
}

// value is the margin of p from root's view after depth more turns of best
// play. Whose turn it is comes from the position: a capture may give another
// one.
func value(ctx context.Context, p engine.Position, root engine.Side, depth, alpha, beta int, budget *int, limited bool) (int, bool) {
	if *budget--; limited && *budget < 0 || ctx.Err() != nil {
		return 0, false
	}
	if depth == 0 || p.Over() {
		return margin(p, root), true
	}
	mine := p.Turn() == root
	for _, m := range p.Moves() {
		q, err := p.Play(m)
		if err != nil {
			return 0, false
		}
		v, ok := value(ctx, q, root, depth-1, alpha, beta, budget, limited)
		if !ok {
			return 0, false
		}
		if mine {
			alpha = max(alpha, v)
		} else {
			beta = min(beta, v)
		}
		if alpha >= beta {
			break
		}
	}
	if mine {
		return alpha, true
	}
	return beta, true
}

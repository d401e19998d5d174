// Package levels provides built-in practice opponents: [Level], with four strengths, for
// every game with a score, and [WatchYourBack], with four styles.
package levels

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"endwise/engine"
)

// Count is the number of strengths.
const Count = 4

// levelNodes is the number of positions that level 4 searches for a move. Beyond it, level 4 completes
// only a search to depth 2.
const levelNodes = 20000

// Level is an opponent for games with a score: level 1 plays at random, level 2 maximises the score
// difference after its move, level 3 also considers the reply, and level 4 searches deeper. All
// levels choose at random among equal moves. A Level is safe for concurrent use.
type Level struct {
	level int
	mu    sync.Mutex
	rng   *rand.Rand
}

// New returns a level from 1 to [Count]. The same seed and the same sequence of positions give
// the same moves, unless the clock or the context cuts a search short.
func New(level int, seed uint64) (*Level, error) {
	if level < 1 || level > Count {
		return nil, fmt.Errorf("level %d: want 1 to %d", level, Count)
	}
	return &Level{level: level, rng: rand.New(rand.NewPCG(seed, uint64(level)))}, nil
}

func (l *Level) Name() string { return fmt.Sprintf("level%d", l.level) }

// decided is the score difference of a won position in games whose score does not determine the winner.
const decided = 1 << 16

// lead returns the score difference of a position from the view of side s, ±decided or 0 if the game is
// over and its score does not determine the winner.
func lead(p engine.Position, s engine.Side) int {
	if _, ok := p.(engine.Decided); ok && p.Over() {
		return decided * engine.Outcome(p, s)
	}
	return engine.Lead(p, s)
}

// Choose returns a move. Decision.Score is the expected change of the score difference, an estimate.
// A clock that is too short reduces the search depth. Choose returns [engine.ErrGameOver] if the game
// is over, and the error of ctx if ctx ended for another reason than its deadline.
func (l *Level) Choose(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
	moves := p.Moves()
	if len(moves) == 0 {
		return engine.Decision{}, engine.ErrGameOver
	}
	clocked := ctx
	if left, ok := c.Remaining(); ok {
		reserve := engine.Reserve(left, engine.MachineWakeDelay.Expected(time.Now()))
		var cancel context.CancelFunc
		clocked, cancel = context.WithTimeout(ctx, left-reserve)
		defer cancel()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
	best, score, depth := moves[0], lead(p, p.Turn()), 0
	maxDepth := min(l.level-1, 2)
	if l.level == Count {
		maxDepth = len(moves)
	}
	s := search{ctx: clocked, root: p.Turn(), budget: levelNodes}
	for d := 1; d <= maxDepth; d++ {
		s.limited = d > 2
		m, v, ok := s.best(p, moves, d)
		if !ok {
			break
		}
		best, score, depth = m, v, d
	}
	if ctx.Err() != nil && !engine.TimeIsUp(ctx) {
		return engine.Decision{}, ctx.Err()
	}
	value := engine.MoveValue{Move: p.MoveString(best), Score: score - lead(p, p.Turn()), Source: l.Name()}
	return engine.Decision{
		Move: value.Move, Score: value.Score, Source: value.Source, Depth: depth,
		Line: []string{value.Move}, Moves: []engine.MoveValue{value},
	}, nil
}

// infinity exceeds every score difference.
const infinity = 1 << 20

// Rivals returns the number of moves other than answer that look at least as good to a player that looks
// ahead depth moves, one or more. The error is that of [engine.Position].ParseMove.
func Rivals(p engine.Position, answer string, depth int) (n int, err error) {
	best, err := p.ParseMove(answer)
	if err != nil {
		return 0, err
	}
	s := search{ctx: context.Background(), root: p.Turn()}
	value, _ := s.value(p, best, depth-1, -infinity, infinity)
	for _, m := range p.Moves() {
		if v, _ := s.value(p, m, depth-1, -infinity, infinity); m != best && v >= value {
			n++
		}
	}
	return n, nil
}

// search is an alpha-beta search of the score difference from the view of side root.
type search struct {
	ctx     context.Context
	root    engine.Side
	budget  int  // levelNodes minus the number of positions searched
	limited bool // the search stops without budget
}

// best returns the first of the best of moves in p, a position with root to move, and its value after depth
// moves of best play. ok is false if the search was stopped.
func (s *search) best(p engine.Position, moves []engine.Move, depth int) (best engine.Move, score int, ok bool) {
	score = -infinity
	for _, m := range moves {
		v, ok := s.value(p, m, depth-1, score, infinity)
		if !ok {
			return best, score, false
		}
		if v > score {
			score, best = v, m
		}
	}
	return best, score, true
}

// value returns the score difference for root after move m of p and depth more moves of best play, or a
// bound on it if it is not between alpha and beta. ok is false if the search was stopped.
func (s *search) value(p engine.Position, m engine.Move, depth, alpha, beta int) (v int, ok bool) {
	q, err := p.Play(m)
	if s.budget--; err != nil || s.limited && s.budget < 0 || s.ctx.Err() != nil {
		return 0, false
	}
	if depth == 0 || q.Over() {
		return lead(q, s.root), true
	}
	mine := q.Turn() == s.root
	for _, m := range q.Moves() {
		v, ok := s.value(q, m, depth-1, alpha, beta)
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

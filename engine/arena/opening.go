package arena

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"endwise/engine"
)

const (
	openingTries = 24 // random openings that are tried
	balanced     = 1  // an opening with at most this final score difference ends the search
)

// Openings generates random openings that are balanced by a judge's estimate.
type Openings struct {
	First engine.Position
	// Plies is the number of moves; 0 means no opening.
	Plies int
	Seed  uint64
	// Judge returns a player whose Decision.Score is the estimate of the score difference over the
	// rest of the game.
	Judge func(seed uint64) engine.Player

	made sync.Map // functions by the index of the opening, of type func() ([]engine.Move, error)
}

// Opening returns the moves of opening k, from 0: the first random opening that is balanced, or else
// the most balanced one of several. It returns the result of the first call for k again, also an
// error. Opening may be called concurrently.
func (o *Openings) Opening(ctx context.Context, k int) ([]engine.Move, error) {
	if o.Plies == 0 {
		return nil, nil
	}
	once, _ := o.made.LoadOrStore(k, sync.OnceValues(func() ([]engine.Move, error) { return o.search(ctx, k) }))
	return once.(func() ([]engine.Move, error))()
}

// search returns what Opening returns at the first call for k.
func (o *Openings) search(ctx context.Context, k int) ([]engine.Move, error) {
	seed := mix(o.Seed, uint64(k)+1)
	rng := rand.New(rand.NewPCG(seed, uint64(o.Plies)))
	judge := o.Judge(seed)
	var best []engine.Move
	least := 0
	for range openingTries {
		p, moves, err := randomMoves(o.First, o.Plies, rng)
		if err != nil {
			return nil, err
		}
		if p.Over() {
			continue
		}
		d, err := judge.Choose(ctx, p, engine.Clock{})
		if err != nil {
			return nil, fmt.Errorf("opening %d: %w", k+1, err)
		}
		diff := engine.Lead(p, p.Turn()) + d.Score
		if diff = max(diff, -diff); best == nil || diff < least {
			best, least = moves, diff
		}
		if least <= balanced {
			break
		}
	}
	if best == nil {
		return nil, fmt.Errorf("openings of %d moves: the game is over before that", o.Plies)
	}
	return best, nil
}

// randomMoves plays n random moves from p on, fewer if the game ends. It returns the position after them.
func randomMoves(p engine.Position, n int, rng *rand.Rand) (engine.Position, []engine.Move, error) {
	var moves []engine.Move
	for len(moves) < n && !p.Over() {
		legal := p.Moves()
		if len(legal) == 0 {
			return nil, nil, errors.New("a position without moves that is not over")
		}
		m := legal[rng.IntN(len(legal))]
		q, err := p.Play(m)
		if err != nil {
			return nil, nil, err
		}
		p, moves = q, append(moves, m)
	}
	return p, moves, nil
}

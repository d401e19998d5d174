package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/levels"
)

// levelFlags choose a built-in opponent instead of the full player.
type levelFlags struct {
	level int
	seed  uint64
}

func (f *levelFlags) register(c *cobra.Command) {
	c.Flags().IntVar(&f.level, "level", 0, fmt.Sprintf("play as a built-in opponent, 1 (random) to %d (greedy with look-ahead)", levels.Count))
	c.Flags().Uint64Var(&f.seed, "seed", 0, "with --level: repeat a game; 0 for a new one")
}

// player opens the player of a game: a level, or the lookup with all its
// sources. done closes what it holds.
func (a *app) player(game string, l levelFlags, f lookupFlags) (p engine.Player, done func() error, err error) {
	if l.level != 0 {
		seed := l.seed
		if seed == 0 {
			seed = rand.Uint64()
		}
		p, err := levels.New(l.level, seed)
		if err != nil {
			return nil, nil, badInput(err)
		}
		return p, func() error { return nil }, nil
	}
	g, err := gameNamed(game)
	if err != nil {
		return nil, nil, err
	}
	o, err := f.options(a)
	if err != nil {
		return nil, nil, err
	}
	lookup, err := f.open(g, o)
	if err != nil {
		return nil, nil, err
	}
	return book.Player{Label: "endwise", Lookup: lookup}, lookup.Close, nil
}

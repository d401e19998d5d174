package cli

import (
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/levels"
)

// LevelFlags choose a built-in opponent instead of the full player.
type LevelFlags struct {
	level int
	seed  uint64
}

func (f *LevelFlags) Register(c *cobra.Command) {
	c.Flags().IntVar(&f.level, "level", 0, fmt.Sprintf("play as a built-in opponent, 1 (random) to %d (greedy with look-ahead)", levels.Count))
	c.Flags().Uint64Var(&f.seed, "seed", 0, "with --level: repeat a game; 0 for a new one")
}

// Player opens the player of a game: a level, or the lookup with all its
// sources. done closes what it holds.
func (a *App) Player(game string, l LevelFlags, f LookupFlags) (p engine.Player, done func() error, err error) {
	if l.level != 0 {
		seed := l.seed
		if seed == 0 {
			seed = rand.Uint64()
		}
		p, err := levels.New(l.level, seed)
		if err != nil {
			return nil, nil, BadInput(err)
		}
		return p, func() error { return nil }, nil
	}
	g, err := GameNamed(game)
	if err != nil {
		return nil, nil, err
	}
	o, err := f.Options(a)
	if err != nil {
		return nil, nil, err
	}
	lookup, err := f.Open(g, o)
	if err != nil {
		return nil, nil, err
	}
	return book.Player{Label: "endwise", Lookup: lookup}, lookup.Close, nil
}

package cli

import (
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/levels"
)

// LevelFlags are the flags that select a built-in opponent instead of the full player.
type LevelFlags struct {
	Level string // "" for the full player
	seed  uint64
}

// Register adds the flags of a game.
func (f *LevelFlags) Register(c *cobra.Command, game string) {
	c.Flags().StringVar(&f.Level, "level", "", "play as a practice level; "+levels.Wanted(game))
	c.Flags().Uint64Var(&f.seed, "seed", 0, "with --level: "+SeedUsage+"; 0 for a new one")
}

// Opponent returns the practice level of g that the flags select, or an error if g has no level of
// that name. Without --seed its moves differ from run to run.
func (f *LevelFlags) Opponent(g Game) (engine.Player, error) {
	seed := f.seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	p, ok := levels.Named(g.Name(), f.Level, seed)
	if !ok {
		return nil, BadInput(fmt.Errorf("--level %.40q: want %s", f.Level, levels.Wanted(g.Name())))
	}
	return p, nil
}

// Player returns the practice level of a game that l selects; without a level, the full player with
// the sources that open opens. The caller calls done after the last move.
func (a *App) Player(
	game string, l LevelFlags, open func(*App, Game) (*book.Lookup, error),
) (p engine.Player, done func() error, err error) {
	g, err := a.Games.Named(game)
	if err != nil {
		return nil, nil, err
	}
	if l.Level != "" {
		if p, err = l.Opponent(g); err != nil {
			return nil, nil, err
		}
		return p, func() error { return nil }, nil
	}
	lookup, err := open(a, g)
	if err != nil {
		return nil, nil, err
	}
	return book.Player{Label: "endwise", Lookup: lookup}, lookup.Close, nil
}

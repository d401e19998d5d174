package cli

import (
	"cmp"
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

// Register adds the flags for the named game.
func (f *LevelFlags) Register(c *cobra.Command, game string) {
	c.Flags().StringVar(&f.Level, "level", "", "play as a practice level; "+levels.Wanted(game))
	c.Flags().Uint64Var(&f.seed, "seed", 0, "with --level: "+SeedUsage+"; 0 for a new one")
}

// Player returns the practice level that l selects, or without a level the full player with the
// sources that open opens. The caller calls done after the last move.
func (a *App) Player(
	game string, l LevelFlags, open func(*App, Game) (*book.Lookup, error),
) (p engine.Player, done func() error, err error) {
	g, err := a.Games.Named(game)
	if err != nil {
		return nil, nil, err
	}
	if l.Level != "" {
		p, ok := levels.Named(g.Name(), l.Level, cmp.Or(l.seed, rand.Uint64()))
		if !ok {
			return nil, nil, BadInput(fmt.Errorf("--level %.40q: want %s", l.Level, levels.Wanted(g.Name())))
		}
		return p, func() error { return nil }, nil
	}
	lookup, err := open(a, g)
	if err != nil {
		return nil, nil, err
	}
	return book.Player{Label: "endwise", Lookup: lookup}, lookup.Close, nil
}

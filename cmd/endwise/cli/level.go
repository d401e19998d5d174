package cli

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

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

// Register adds the flags; own are the built-in opponents of this game only.
func (f *LevelFlags) Register(c *cobra.Command, own ...string) {
	usage := fmt.Sprintf("play as a built-in opponent; 1 (random) to %d (greedy with look-ahead)", levels.Count)
	if len(own) > 0 {
		usage += ", " + strings.Join(own, ", ")
	}
	c.Flags().StringVar(&f.Level, "level", "", usage)
	c.Flags().Uint64Var(&f.seed, "seed", 0, "with --level: "+SeedUsage+"; 0 for a new one")
}

// Opponent returns the built-in opponent that the flags select.
func (f *LevelFlags) Opponent(g Game) (p engine.Player, err error) {
	seed := f.seed
	if seed == 0 {
		seed = rand.Uint64()
	}
	own := g.Arena
	switch n := LevelNamed("level" + f.Level); {
	case n > 0:
		p, err = levels.New(n, seed)
	case slices.Contains(own.Levels, f.Level):
		p, err = own.NewLevel(f.Level, seed)
	default:
		err = fmt.Errorf("--level %.40q: want %s", f.Level, strings.Join(append([]string{fmt.Sprintf("1 to %d", levels.Count)}, own.Levels...), ", "))
	}
	return p, BadInput(err)
}

// Player returns a built-in opponent, or the full player with all sources of a game. done
// releases its resources.
func (a *App) Player(game string, l LevelFlags, f LookupFlags) (p engine.Player, done func() error, err error) {
	g, err := a.Games.Named(game)
	if err != nil {
		return nil, nil, err
	}
	if l.Level != "" {
		p, err := l.Opponent(g)
		return p, func() error { return nil }, err
	}
	lookup, err := f.OpenSources(a, g)
	if err != nil {
		return nil, nil, err
	}
	return book.Player{Label: "endwise", Lookup: lookup}, lookup.Close, nil
}

// LevelNamed returns the number of the built-in level with a name, 0 for none.
func LevelNamed(name string) int {
	for n := 1; n <= levels.Count; n++ {
		if l, err := levels.New(n, 0); err == nil && l.Name() == name {
			return n
		}
	}
	return 0
}

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

// LevelFlags choose a built-in opponent instead of the full player.
type LevelFlags struct {
	Level string // "" for the full player
	seed  uint64
}

// Register adds the flags; own are opponents that only this game has.
func (f *LevelFlags) Register(c *cobra.Command, own ...string) {
	usage := fmt.Sprintf("play as a built-in opponent; 1 (random) to %d (greedy with look-ahead)", levels.Count)
	if len(own) > 0 {
		usage += ", " + strings.Join(own, ", ")
	}
	c.Flags().StringVar(&f.Level, "level", "", usage)
	c.Flags().Uint64Var(&f.seed, "seed", 0, "with --level: "+SeedUsage+"; 0 for a new one")
}

// Opponent is the one that the flags name.
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

// Player opens the player of a game: a level, or the lookup with all its
// sources. done closes what it holds.
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

// LevelNamed is the number of the built-in level of a name, 0 for none.
func LevelNamed(name string) int {
	for n := 1; n <= levels.Count; n++ {
		if l, err := levels.New(n, 0); err == nil && l.Name() == name {
			return n
		}
	}
	return 0
}

package levels

import (
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
	wyb "endwise/engine/watchyourback"
)

// Names returns the names of the practice levels of a game.
func Names(game string) []string {
	var out []string
	for n := range Count {
		out = append(out, fmt.Sprintf("level%d", n+1))
	}
	if game == (wyb.Game{}).Name() {
		out = append(out, WatchYourBackNames()...)
	}
	return out
}

// Wanted returns the names of a game's practice levels as a list for messages.
func Wanted(game string) string {
	return strings.Join(append([]string{fmt.Sprintf("level1 to level%d", Count)}, Names(game)[Count:]...), ", ")
}

// Named returns the practice level called name of a game; "3" stands for "level3". Upper and lower
// case are the same. ok is false if the game has no such level.
func Named(game, name string, seed uint64) (p engine.Player, ok bool) {
	name = strings.ToLower(name)
	names := Names(game)
	n := max(slices.Index(names[:Count], name), slices.Index(names[:Count], "level"+name))
	var err error
	switch {
	case n >= 0:
		p, err = New(n+1, seed)
	case slices.Contains(names, name):
		p, err = NewWatchYourBack(name, seed)
	default:
		return nil, false
	}
	return p, err == nil
}

package match

import (
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/arena"
)

// Only a player that crashes before its first move in each of its games so far is absent.
func TestAbsences(t *testing.T) {
	type game struct {
		end    arena.Ending
		winner engine.Side
		moves  [2]int
	}
	crash := game{arena.Crash, engine.First, [2]int{1, 1}}
	for name, c := range map[string]struct {
		games []game
		stops bool
	}{
		"never there":           {[]game{crash, {arena.Crash, engine.First, [2]int{}}}, true},
		"neither":               {[]game{{end: arena.NoPlayer}, {end: arena.NoPlayer}}, true},
		"once":                  {[]game{crash}, false},
		"later":                 {[]game{{arena.Played, engine.First, [2]int{5, 5}}, crash, crash, crash}, false},
		"after a move":          {[]game{{arena.Crash, engine.First, [2]int{3, 2}}, {arena.Crash, engine.First, [2]int{3, 2}}}, false},
		"too slow":              {[]game{{arena.Timeout, engine.First, [2]int{1, 1}}, {arena.Timeout, engine.First, [2]int{1, 1}}}, false},
		"the other one's fault": {[]game{{arena.Crash, engine.Second, [2]int{5, 0}}, {arena.Crash, engine.Second, [2]int{5, 0}}}, false},
	} {
		n := newAbsences()
		var err error
		for _, g := range c.games {
			r := arena.Result{Players: [2]string{"host", "guest"}, End: g.end, Winner: g.winner, Fault: "why"}
			for i, m := range g.moves {
				r.Time[i].Moves = m
			}
			err = n.note(r)
		}
		if (err != nil) != c.stops || err != nil && !strings.HasSuffix(err.Error(), ": why") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package match

import (
	"errors"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
)

// absentGames is after how many games that a player lost before its first move,
// and none that it moved in, the run is stopped.
const absentGames = 2

// absences notices players that come to nothing: programs that can't be
// reached, or end as soon as they are asked. Games against them prove nothing.
type absences struct {
	moved map[string]bool
	lost  map[string][]string // IDs of games, by name
	err   error
}

func newAbsences() *absences {
	return &absences{moved: map[string]bool{}, lost: map[string][]string{}}
}

// note looks at a result. An error ends the run.
func (n *absences) note(r arena.Result) error {
	for i, name := range r.Players {
		side := engine.First + engine.Side(i)
		gone := r.End == arena.NoPlayer || r.End == arena.Crash && r.Loser() == side
		switch {
		case n.moved[name]:
		case gone && r.Time[i].Moves <= 1: // the one it was asked for, and crashed
			n.lost[name] = append(n.lost[name], r.ID)
			if len(n.lost[name]) == absentGames {
				n.err = fmt.Errorf("%s has not made a move in its first %d games, and these are not counted: %s", name, absentGames, r.Fault)
			}
		case r.Time[i].Moves > 0:
			n.moved[name] = true
		}
	}
	return n.err
}

// takeBack forgets the games of players that never moved, so that the run can
// go on once they are mended.
func (n *absences) takeBack(j *arena.Journal) error {
	var errs []error
	for name, games := range n.lost {
		if n.moved[name] {
			continue
		}
		for _, id := range games {
			errs = append(errs, j.TakeBack(id))
		}
	}
	return errors.Join(errs...)
}

package match

import (
	"errors"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
)

// absentGames is the number of games that a player loses without a move in any game until it is absent.
const absentGames = 2

// absences detects players of a championship that never move, such as programs that crash immediately.
type absences struct {
	moved map[string]bool
	lost  map[string][]string // IDs of the games that a player lost before its first move
}

func newAbsences() *absences {
	return &absences{moved: map[string]bool{}, lost: map[string][]string{}}
}

// note records a result. It returns an error if the result makes a player absent.
func (n *absences) note(r arena.Result) (err error) {
	for i, name := range r.Players {
		side := engine.First + engine.Side(i)
		gone := r.End == arena.NoPlayer || r.End == arena.Crash && r.Loser() == side
		switch {
		case n.moved[name]:
		case gone && r.Time[i].Moves <= 1: // 1 for a crash on the first move
			n.lost[name] = append(n.lost[name], r.ID)
			if len(n.lost[name]) == absentGames {
				err = fmt.Errorf("%s made no move in its first %d games; it loses them, and the championship continues; repair its program and repeat the command before the knockout begins: %s",
					name, absentGames, r.Fault)
			}
		case r.Time[i].Moves > 0:
			n.moved[name] = true
		}
	}
	return err
}

// games returns the IDs of the games that players without a move lost.
func (n *absences) games() []string {
	var ids []string
	for name, lost := range n.lost {
		if !n.moved[name] {
			ids = append(ids, lost...)
		}
	}
	return ids
}

// takeBack takes those games back from a journal.
func (n *absences) takeBack(j *arena.Journal) error {
	var errs []error
	for _, id := range n.games() {
		errs = append(errs, j.TakeBack(id))
	}
	return errors.Join(errs...)
}

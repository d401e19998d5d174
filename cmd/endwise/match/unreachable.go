package match

import (
	"cmp"
	"errors"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
)

// absentGames is the number of games that a player may lose before its first move, without
// having moved in another game, before it counts as absent.
const absentGames = 2

// absences detects players that never move, such as programs that cannot be reached or
// crash immediately. A match is worthless with such a player, and stops; a championship
// counts the games as forfeits and continues.
type absences struct {
	then  string              // what happens to the games of an absent player, for the errors
	moved map[string]bool     // players that have moved in a game
	lost  map[string][]string // IDs of the games that a player lost before its first move
	err   error               // the first error of note, nil if no player is absent
}

// newAbsences returns an empty record.
func newAbsences(then string) *absences {
	return &absences{then: then, moved: map[string]bool{}, lost: map[string][]string{}}
}

// note records a result. It returns an error if the result is a player's loss number
// absentGames and the player has not moved in any game.
func (n *absences) note(r arena.Result) (err error) {
	for i, name := range r.Players {
		side := engine.First + engine.Side(i)
		gone := r.End == arena.NoPlayer || r.End == arena.Crash && r.Loser() == side
		switch {
		case n.moved[name]:
		case gone && r.Time[i].Moves <= 1: // it crashed on its first move
			n.lost[name] = append(n.lost[name], r.ID)
			if len(n.lost[name]) == absentGames {
				err = fmt.Errorf("%s has not made a move in its first %d games, %s: %s", name, absentGames, n.then, r.Fault)
				n.err = cmp.Or(n.err, err)
			}
		case r.Time[i].Moves > 0:
			n.moved[name] = true
		}
	}
	return err
}

// games returns the IDs of the games that players lost that never moved.
func (n *absences) games() []string {
	var ids []string
	for name, lost := range n.lost {
		if !n.moved[name] {
			ids = append(ids, lost...)
		}
	}
	return ids
}

// takeBack removes the games of players that never moved from the journal, so that the run
// can resume when the players work.
func (n *absences) takeBack(j *arena.Journal) error {
	var errs []error
	for _, id := range n.games() {
		errs = append(errs, j.TakeBack(id))
	}
	return errors.Join(errs...)
}

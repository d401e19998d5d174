package match

import (
	"errors"
	"fmt"

	"endwise/engine"
	"endwise/engine/arena"
)

// absentGames is the number of games that a player may lose before its first move, without
// having moved in another game, before the run is stopped.
const absentGames = 2

// absences detects players that never move, such as programs that cannot be reached or
// crash immediately. Games against them are worthless.
type absences struct {
	moved map[string]bool     // players that have moved in a game
	lost  map[string][]string // IDs of the games that a player lost before its first move
	err   error               // of note, nil if no player is absent
}

// newAbsences returns an empty record.
func newAbsences() *absences {
	return &absences{moved: map[string]bool{}, lost: map[string][]string{}}
}

// note records a result. It returns an error, then and in all later calls, once a player has
// lost absentGames games without a move in any game.
func (n *absences) note(r arena.Result) error {
	for i, name := range r.Players {
		side := engine.First + engine.Side(i)
		gone := r.End == arena.NoPlayer || r.End == arena.Crash && r.Loser() == side
		switch {
		case n.moved[name]:
		case gone && r.Time[i].Moves <= 1: // it crashed on its first move
			n.lost[name] = append(n.lost[name], r.ID)
			if len(n.lost[name]) == absentGames {
				n.err = fmt.Errorf("%s has not made a move in its first %d games, and these are not counted: %s",
					name, absentGames, r.Fault)
			}
		case r.Time[i].Moves > 0:
			n.moved[name] = true
		}
	}
	return n.err
}

// takeBack removes the games of players that never moved from the journal, so that the run
// can resume when the players work.
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

package circuitwars

import (
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
)

// How much of a team's name and of a sentence about a game reports show, in bytes.
const (
	maxTeam  = 60
	maxFault = 300
)

// readResult reads a game's log and judges it by the rules.
func readResult(file string, first engine.Position) (arena.Result, error) {
	p, err := engine.As[circuitwars.Position](first)
	if err != nil {
		return arena.Result{}, err
	}
	g, v, err := readGame(file, p.Board().Rows, p.Board().Cols)
	if err != nil {
		return arena.Result{}, err
	}
	r := arena.Result{Score: v.Score, Winner: v.Code.Winner(), End: arena.Played, Fault: engine.OneLine(v.Fault, maxFault)}
	for i, team := range g.Teams {
		r.Players[i] = engine.OneLine(team, maxTeam)
	}
	for _, m := range g.Moves {
		r.Moves = append(r.Moves, m.Text)
	}
	switch v.Code.Kind() {
	case circuitwars.WonBy1.Kind():
		if v.Score[0] == v.Score[1] {
			r.Winner = engine.None
		}
	case circuitwars.IllegalBy1.Kind():
		r.End = arena.Illegal
	default:
		r.End = arena.Timeout
	}
	return r, nil
}

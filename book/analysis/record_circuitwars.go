package analysis

import (
	"bytes"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// CircuitWarsReader returns a reader of the championship's logs of games on rows x cols squares. With
// 0 rows and columns, the reader finds the size of the board as [circuitwars.Judge] does.
func CircuitWarsReader(rows, cols int) Reader {
	return func(name string, data []byte) (Record, error) {
		if !circuitwars.IsLog(string(data)) {
			return Record{}, errOtherFormat
		}
		g, err := circuitwars.ReadLog(bytes.NewReader(data))
		if err != nil {
			return Record{}, err
		}
		v, err := circuitwars.Judge(g, rows, cols)
		if err != nil {
			return Record{}, err
		}
		r := Record{Name: name, Players: g.Teams, Winner: v.Code.Winner(), Score: v.Score, Fault: v.Fault}
		if v.Final.Over() {
			r.Winner = engine.Winner(v.Final) // the log has no code for a tie
		}
		for _, p := range v.Positions {
			r.Positions = append(r.Positions, p)
		}
		for _, s := range v.Played {
			r.Moves = append(r.Moves, engine.Move(s))
		}
		return r, nil
	}
}

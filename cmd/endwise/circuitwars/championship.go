package circuitwars

import (
	"fmt"
	"path/filepath"
	"strings"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
)

// readLogs reads and judges the game logs of a directory.
func readLogs(dir string, first circuitwars.Position) ([]arena.Result, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s: no logs named GROUP-TEAM-TEAM.log", dir)
	}
	var out []arena.Result
	for _, name := range names {
		r, err := readLog(name, first)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// maxTeam is how much of a team's name reports show, in bytes.
const maxTeam = 60

// readLog judges one game by the rules.
func readLog(name string, first circuitwars.Position) (arena.Result, error) {
	g, v, err := readGame(name, first.Board().Rows, first.Board().Cols)
	if err != nil {
		return arena.Result{}, err
	}
	r := arena.Result{
		ID: strings.TrimSuffix(filepath.Base(name), ".log"), Players: [2]string{engine.OneLine(g.Teams[0], maxTeam), engine.OneLine(g.Teams[1], maxTeam)}, Score: v.Score,
		Winner: v.Code.Winner(), End: arena.Played, Fault: v.Fault,
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

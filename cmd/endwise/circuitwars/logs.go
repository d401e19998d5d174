package circuitwars

import (
	"bytes"
	"fmt"
	"io"

	"endwise/book/analysis"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
)

// The maximum length of a team's name and of a sentence about a game in reports, in bytes.
const (
	maxTeam  = 60
	maxFault = 300
)

// readResult is the ReadResult of [cli.Game].
func readResult(file, board string) (r arena.Result, logBoard, note string, err error) {
	log, v, err := readLog(file, board)
	if err != nil {
		return r, "", "", err
	}
	if v.Code != log.Code || v.Final.Over() && v.Score != log.Score {
		note = fmt.Sprintf("the log says status %d and %d-%d, its moves status %d and %d-%d; the moves count",
			log.Code, log.Score[0], log.Score[1], v.Code, v.Score[0], v.Score[1])
	}
	r = arena.Result{Score: v.Score, Winner: v.Code.Winner(), End: arena.Played, Fault: engine.OneLine(v.Fault, maxFault)}
	for i, team := range log.Teams {
		r.Players[i] = engine.OneLine(team, maxTeam)
	}
	for _, m := range log.Moves {
		r.Moves = append(r.Moves, m.Text)
	}
	switch v.Code.Kind() {
	case circuitwars.KindWon:
		if v.Score[0] == v.Score[1] { // a tie has the code of a win
			r.Winner = engine.None
		}
	case circuitwars.KindIllegal:
		r.End = arena.Illegal
	case circuitwars.WaitingForBoth:
		r.End = arena.NoPlayer
	default:
		r.End = arena.Timeout
	}
	return r, v.Final.Board().String(), note, nil
}

// parseBoard reads the size of a board of Circuit Wars: 3x5, or 7 for 7x7.
func parseBoard(size string) (*grid.Board, error) {
	rows, cols, err := grid.ParseSize(size)
	if err != nil {
		return nil, err
	}
	p, err := circuitwars.New(rows, cols)
	if err != nil {
		return nil, err
	}
	return p.Board(), nil
}

// readLog reads a log and replays it by the rules, on the board that it fits if board is "".
func readLog(file, board string) (log circuitwars.Log, v circuitwars.Verdict, err error) {
	var rows, cols int
	if board != "" {
		b, err := parseBoard(board)
		if err != nil {
			return log, v, err
		}
		rows, cols = b.Rows, b.Cols
	}
	data, err := cli.ReadLimited(file, analysis.MaxRecordBytes)
	if err != nil {
		return log, v, err
	}
	if engine.IsRecord(string(data)) {
		return log, v, fmt.Errorf("%s: a record as endwise play saves it, not a log: endwise analyze reads it", file)
	}
	if log, v, err = judgeLog(bytes.NewReader(data), rows, cols); err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return log, v, err
}

// judgeLog reads a log and replays it by the rules, on the board that it fits if rows is 0.
func judgeLog(r io.Reader, rows, cols int) (log circuitwars.Log, v circuitwars.Verdict, err error) {
	if log, err = circuitwars.ReadLog(r); err != nil {
		return log, v, err
	}
	v, err = circuitwars.Judge(log, rows, cols)
	return log, v, err
}

package analysis

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/watchyourback"
)

// ReadWatchYourBack reads the output of the referee, which contains a board for every turn. It finds
// a move that leads from each board to the next.
func ReadWatchYourBack(name string, data []byte) (Record, error) {
	if !bytes.Contains(data, []byte("turns into the placing phase")) {
		return Record{}, errOtherFormat
	}
	boards, out := refereeBoards(data)
	out.Name = name
	for _, strict := range []bool{false, true} {
		out.Positions, out.Moves = []engine.Position{watchyourback.New(strict)}, nil
		err := followBoards(&out, boards)
		if err == nil {
			break
		}
		// The referee may play by rules without the limit of quiet turns.
		if strict || !out.Final().Over() {
			return Record{}, err
		}
	}
	out.Score = out.Final().Score()
	out.namePlayers(watchyourback.Game{})
	if out.Fault == "" && !out.Final().Over() {
		out.Fault = "the output stops before the end of the game"
	}
	return out, nil
}

type refereeBoard struct {
	line int    // number of its first line
	text string // eight lines without trailing blanks
}

var refereeSides = [2]string{"White (O): ", "Black (@): "}

// isFault reports whether a line of the referee's output says why a player lost before the end of the
// game: "invalid action (W): …", "out of time (B): …".
func isFault(line string) bool {
	before, after, found := strings.Cut(line, " (")
	side, _, colon := strings.Cut(after, "): ")
	return found && colon && before != "" && strings.Trim(before, "abcdefghijklmnopqrstuvwxyz ") == "" && (side == "W" || side == "B")
}

// refereeBoards returns the boards in the output of the referee, and a record with the players, the
// result and the reason of an early end.
func refereeBoards(data []byte) (boards []refereeBoard, out Record) {
	lines := strings.Split(string(data), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r\t")
		l := lines[i]
		_, _, turns := watchyourback.TurnsLine(l)
		switch {
		case i >= 8 && (turns || l == "game over!"):
			if text := strings.Join(lines[i-8:i], "\n"); isBoard(lines[i-8 : i]) {
				boards = append(boards, refereeBoard{i - 7, text})
			}
		case boards == nil && strings.HasPrefix(l, refereeSides[0]):
			out.Players[0] = engine.OneLine(l[len(refereeSides[0]):], maxQuoted)
		case boards == nil && strings.HasPrefix(l, refereeSides[1]):
			out.Players[1] = engine.OneLine(l[len(refereeSides[1]):], maxQuoted)
		case strings.HasPrefix(l, "winner: W"):
			out.Winner = engine.First
		case strings.HasPrefix(l, "winner: B"):
			out.Winner = engine.Second
		case isFault(l):
			out.Fault = engine.OneLine(l, maxReason)
		}
	}
	return boards, out
}

func isBoard(lines []string) bool {
	return !slices.ContainsFunc(lines, func(l string) bool { return len(l) > 15 || strings.Trim(l, " -XO@") != "" })
}

// followBoards adds to r, which contains only the start position, the first move that leads from each
// board to the next and the position after the move. The last board may repeat the board before it.
// The moves before an error remain in r.
func followBoards(r *Record, boards []refereeBoard) error {
	for n, b := range boards {
		p := r.Final().(watchyourback.Position)
		if n == 0 {
			if diagram(p) != b.text {
				return fmt.Errorf("line %d: the first board is not the empty one", b.line)
			}
			continue
		}
		if len(r.Moves) >= engine.MaxRecordMoves {
			return fmt.Errorf("line %d: more than %d moves", b.line, engine.MaxRecordMoves)
		}
		moves := p.Moves()
		i := slices.IndexFunc(moves, func(m engine.Move) bool { return diagram(p.Next(m)) == b.text })
		switch {
		case i >= 0:
			r.Moves, r.Positions = append(r.Moves, moves[i]), append(r.Positions, p.Next(moves[i]))
		case n == len(boards)-1 && diagram(p) == b.text: // the last board is repeated
		default:
			return fmt.Errorf("line %d: no move leads from the previous board to this one", b.line)
		}
	}
	return nil
}

// diagram returns the board of p in the form of refereeBoard.text.
func diagram(p watchyourback.Position) string {
	lines := strings.Split(strings.TrimSuffix(p.Board(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

package engine

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrNotation is wrapped by errors about a text that is in none of a game's notations.
var ErrNotation = errors.New("unknown notation")

// CleanText returns a text with line feeds only at line ends, ordinary spaces, and no byte
// order mark.
func CleanText(text string) string {
	return strings.NewReplacer("\ufeff", "", "\r\n", "\n", "\r", "\n", "\u00a0", " ", "\x00", " ").Replace(text)
}

// PositionWord begins the line with the one-line notation in the output of query.
const PositionWord = "position "

// PositionLine returns the one-line notation from the output of query.
func PositionLine(text string) (string, bool) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, PositionWord) {
			for strings.HasPrefix(line, PositionWord) {
				line = line[len(PositionWord):]
			}
			return line, true
		}
	}
	return "", false
}

// RecordLine is a line of a record with its number, from 1.
type RecordLine struct {
	Line int
	Text string
}

var recordKeys = []string{"game", "start", "player_1", "player_2", "winner", "score", "end", "fault"}

// ReadRecord reads a record in the plain format, without its result.
func ReadRecord(g Game, text string) (start Position, moves []Move, err error) {
	header, lines, err := SplitRecord(text)
	switch {
	case err != nil:
		return nil, nil, err
	case header["game"] != g.Name():
		return nil, nil, fmt.Errorf("%w: a record of the game %.40q", ErrNotation, header["game"])
	case strings.HasPrefix(header["start"], recordWord):
		return nil, nil, errors.New("start: want a position")
	}
	if start, err = g.Parse(header["start"]); err != nil {
		return nil, nil, fmt.Errorf("start: %w", err)
	}
	moves, err = recordMoves(start, header, lines)
	return start, moves, err
}

// recordWord begins a record.
const recordWord = "game:"

// IsRecord reports whether a text begins like a record in the plain format.
func IsRecord(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), recordWord) }

// SplitRecord splits a record in the plain format of all games: lines "key: value", an
// empty line, and one line per move.
func SplitRecord(text string) (header map[string]string, moves []RecordLine, err error) {
	header = map[string]string{}
	sc := bufio.NewScanner(strings.NewReader(text))
	n, inMoves := 0, false
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		switch {
		case line == "":
			inMoves = inMoves || len(header) > 0
		case inMoves:
			moves = append(moves, RecordLine{n, line})
		default:
			key, value, ok := strings.Cut(line, ":")
			if !ok || !slices.Contains(recordKeys, key) {
				return nil, nil, fmt.Errorf("line %d: %q: want game, start, player_1, player_2, winner, score, end or fault, a colon and a value", n, OneLine(line, 40))
			}
			if _, twice := header[key]; twice {
				return nil, nil, fmt.Errorf("line %d: a second %s", n, key)
			}
			header[key] = strings.TrimSpace(value)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return header, moves, nil
}

// recordMoves returns the moves of a record. An illegal last move is ignored if it ended
// the game.
func recordMoves(p Position, header map[string]string, lines []RecordLine) (moves []Move, err error) {
	for i, l := range lines {
		if len(moves) >= MaxRecordMoves {
			return nil, fmt.Errorf("line %d: more than %d moves", l.Line, MaxRecordMoves)
		}
		m, err := p.ParseMove(l.Text)
		var next Position
		if err == nil {
			next, err = p.Play(m)
		}
		if err != nil && i == len(lines)-1 && header["end"] == "illegal" {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.Line, err)
		}
		p, moves = next, append(moves, m)
	}
	return moves, nil
}

// MaxRecordMoves limits the moves of a record: the longest games are those of Watch Your
// Back without a tie rule.
const MaxRecordMoves = 5000

// ReadStanding returns the score and turn in the lines around a drawing: the line of query,
// "score 3-1, player 2 to move", or one of a score and a player, "3-1 2". scored and moves
// report whether score and turn were found.
func ReadStanding(lines []string) (score [2]int, turn Side, scored, moves bool) {
	for _, line := range lines {
		line = strings.ToLower(strings.TrimSpace(line))
		line = strings.TrimSuffix(strings.TrimPrefix(line, "score "), " to move")
		line = strings.NewReplacer(",", " ", "player ", "", "the game is over", "").Replace(line)
		words := strings.Fields(line)
		if len(words) == 0 || len(words) > 2 {
			continue
		}
		var s [2]int
		var who Side
		ok := true
		for _, w := range words {
			a, b, two := strings.Cut(w, "-")
			n, err := strconv.Atoi(a)
			m, err2 := strconv.Atoi(b)
			switch {
			case two && err == nil && err2 == nil && n >= 0 && m >= 0:
				s = [2]int{n, m}
			case w == "1" || w == "2":
				who = Side(w[0] - '0')
			default:
				ok = false
			}
		}
		if !ok {
			continue
		}
		if hasScore := strings.Contains(line, "-"); hasScore && !scored {
			score, scored = s, true
		}
		if who != None && !moves {
			turn, moves = who, true
		}
	}
	return score, turn, scored, moves
}

package circuitwars

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/grid"
)

// Log is a recorded game in the format of championship logs:
//
//	/move/TEAM/x,y,border     for each move sent to the server
//	----
//	status: 302
//	player_1: TEAM
//	player_2: TEAM
//	score_1: 0
//	score_2: 1
//
// The lines after ---- can be in any order; empty lines are ignored.
type Log struct {
	Teams [2]string // player 1's and player 2's
	Moves []LogMove
	Code  Code   // the final status
	Score [2]int // as recorded; the winner of a forfeit has all squares
}

// LogMove is a move as it was sent.
type LogMove struct {
	Team string
	Text string // x,y,border as written
	Line int    // line number in the log, 1-based
}

// resultKeys are the required keys of the result.
var resultKeys = []string{"status", "player_1", "player_2", "score_1", "score_2"}

// IsLog reports whether a text begins like a log.
func (Game) IsLog(text string) bool { return IsLog(text) }

// IsLog reports whether a text begins like a log.
func IsLog(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "/move/") || strings.HasPrefix(text, "----")
}

// maxLogLine is the maximum length of a line in bytes.
const maxLogLine = 4096

// ReadLog reads a log. Errors, including a missing result, name the line.
func ReadLog(r io.Reader) (Log, error) {
	var g Log
	fail := func(line int, format string, a ...any) (Log, error) {
		return Log{}, fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, a...))
	}
	sc := bufio.NewScanner(engine.Text(r))
	sc.Buffer(make([]byte, 0, maxLogLine), maxLogLine)
	n, ended := 0, false
	seen := map[string]bool{}
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		switch {
		case line == "":
		case !ended && line == "----":
			ended = true
		case !ended:
			rest, ok := strings.CutPrefix(line, "/move/")
			team, text, ok2 := strings.Cut(rest, "/")
			if !ok || !ok2 || team == "" {
				return fail(n, "%.40q: want /move/TEAM/x,y,border or ----", line)
			}
			g.Moves = append(g.Moves, LogMove{team, text, n})
			if len(g.Moves) > 2*grid.MaxSegments {
				return fail(n, "more than %d moves", 2*grid.MaxSegments)
			}
		default:
			key, value, ok := strings.Cut(line, ":")
			value = strings.TrimSpace(value)
			if !ok || seen[key] || !slices.Contains(resultKeys, key) {
				return fail(n, "%.40q: want status, player_1, player_2, score_1 and score_2, once each", line)
			}
			seen[key] = true
			num, err := strconv.Atoi(value)
			switch key {
			case "status":
				if g.Code = Code(num); err != nil || !g.Code.valid() {
					return fail(n, "status %.40q: want a status code", value)
				}
			case "player_1":
				g.Teams[0] = value
			case "player_2":
				g.Teams[1] = value
			case "score_1", "score_2":
				if err != nil || num < 0 || num > grid.MaxSegments {
					return fail(n, "%s %.40q: want a number of squares", key, value)
				}
				g.Score[key[6]-'1'] = num
			}
		}
	}
	if err := sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return fail(n+1, "longer than %d bytes", maxLogLine)
		}
		return Log{}, err
	}
	if !ended {
		return fail(n, "the log stops in the middle: no ---- and no result")
	}
	for _, k := range resultKeys {
		if !seen[k] {
			return fail(n, "the log stops in the middle: no %s", k)
		}
	}
	if g.Teams[0] == g.Teams[1] {
		return fail(n, "player_1 and player_2 are both %.40q", g.Teams[0])
	}
	return g, nil
}

// WriteLog writes a log in the format read by [ReadLog].
func WriteLog(w io.Writer, g Log) error {
	var b strings.Builder
	for _, m := range g.Moves {
		fmt.Fprintf(&b, "/move/%s/%s\n", m.Team, m.Text)
	}
	fmt.Fprintf(&b, "----\nstatus: %d\nplayer_1: %s\nplayer_2: %s\nscore_1: %d\nscore_2: %d\n",
		int(g.Code), g.Teams[0], g.Teams[1], g.Score[0], g.Score[1])
	_, err := io.WriteString(w, b.String())
	return err
}

// Verdict is the result of replaying a log.
type Verdict struct {
	Code  Code
	Score [2]int
	// Final is the position after the last legal move.
	Final Position
	// Positions contains the position before each legal move, and Final.
	Positions []Position
	Played    []int // segments of the legal moves
	// Fault describes the illegal move or timeout that ended the game; "" if the game
	// was played to its end.
	Fault string
}

// errOtherBoard is wrapped by errors about logs that may be of another board.
var errOtherBoard = errors.New("the log of another board? then give its size (--board)")

// Judge replays a log on the given board. An illegal move ends the game. If the moves stop
// before the end, the log's status must be a timeout, and the player it names has lost. If
// it is not that player's turn, the last move was late.
func Judge(g Log, rows, cols int) (Verdict, error) {
	p, err := New(rows, cols)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Positions: []Position{p}}
	lose := func(kind Code, s engine.Side) {
		v.Code = kind.For(s)
		v.Score = [2]int{}
		v.Score[v.Code.Winner()-1] = p.board.Squares()
	}
	v.Final = p
	for i, m := range g.Moves {
		var side engine.Side
		switch m.Team {
		case g.Teams[0]:
			side = engine.First
		case g.Teams[1]:
			side = engine.Second
		default:
			return Verdict{}, fmt.Errorf("line %d: team %.40q plays in a game of %.40q and %.40q", m.Line, m.Team, g.Teams[0], g.Teams[1])
		}
		if p.Over() {
			return Verdict{}, fmt.Errorf("line %d: a move after the end of the game", m.Line)
		}
		s, err := ParseSegment(p.board, m.Text)
		outside := err != nil
		if err == nil && side != p.turn {
			err = fmt.Errorf("move %.40q: it was %s's turn", m.Text, p.turn)
		}
		if err == nil {
			p, err = p.Occupy(s)
		}
		if err == nil {
			v.Final = p
			v.Positions = append(v.Positions, p)
			v.Played = append(v.Played, s)
			continue
		}
		lose(IllegalBy1, side)
		v.Fault = fmt.Sprintf("illegal move %d (line %d) by %s (%s): %s", i+1, m.Line, m.Team, side,
			strings.TrimSuffix(err.Error(), ": "+engine.ErrIllegalMove.Error()))
		if i+1 < len(g.Moves) && outside {
			return v, fmt.Errorf("%s, and moves follow: %w", v.Fault, errOtherBoard)
		}
		if i+1 < len(g.Moves) {
			return v, fmt.Errorf("line %d: a move after %s", g.Moves[i+1].Line, v.Fault)
		}
		return v, nil
	}
	switch {
	case p.Over():
		v.Score = p.score
		v.Code = p.EndCode()
	case g.Code.Kind() == 500 && (g.Code.Side() == p.turn || len(g.Moves) > 0):
		loser := g.Code.Side()
		lose(TimeoutBy1, loser)
		v.Fault = fmt.Sprintf("timeout by %s (%s) at move %d", g.Teams[loser-1], loser, len(g.Moves)+1)
		if loser != p.turn {
			v.Fault = fmt.Sprintf("timeout by %s (%s) at move %d: its last move came late", g.Teams[loser-1], loser, len(g.Moves))
		}
	default:
		return v, fmt.Errorf("the moves stop with %d free segments of %s, but the log says status %d: %w", p.free.Len(), p.board, int(g.Code), errOtherBoard)
	}
	return v, nil
}

// Agrees reports whether the verdict equals the recorded result.
func (v Verdict) Agrees(g Log) bool { return v.Code == g.Code && v.Score == g.Score }

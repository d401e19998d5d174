package circuitwars

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
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
	Teams [2]string
	Moves []LogMove
	Code  Code   // the final status
	Score [2]int // as recorded
}

// LogMove is a move as it was sent.
type LogMove struct {
	Team string
	Text string // x,y,border as written
	Line int    // number in the log, from 1
}

var resultKeys = []string{"status", "player_1", "player_2", "score_1", "score_2"}

func (Game) IsLog(text string) bool { return IsLog(text) }

func IsLog(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "/move/") || strings.HasPrefix(text, "----")
}

const maxLogLine = 4096

// ReadLog reads a log. It does not check that the moves are legal; see [Judge].
func ReadLog(r io.Reader) (Log, error) {
	p := logParser{seen: map[string]bool{}}
	sc := bufio.NewScanner(engine.Text(r))
	sc.Buffer(make([]byte, 0, maxLogLine), maxLogLine)
	n := 0
	for sc.Scan() {
		n++
		if err := p.readLine(n, strings.TrimSpace(sc.Text())); err != nil {
			return Log{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %d: longer than %d bytes", n+1, maxLogLine)
		}
		return Log{}, err
	}
	if err := p.checkComplete(); err != nil {
		return Log{}, fmt.Errorf("line %d: %w", n, err)
	}
	return p.log, nil
}

type logParser struct {
	log   Log
	ended bool
	seen  map[string]bool
}

// readLine reads line number n, from 1, without blanks at its ends.
func (p *logParser) readLine(n int, line string) error {
	switch {
	case line == "":
		return nil
	case p.ended:
		return p.readResult(line)
	case line == "----":
		p.ended = true
		return nil
	}
	rest, isMove := strings.CutPrefix(line, "/move/")
	team, text, hasText := strings.Cut(rest, "/")
	if strings.HasPrefix("/move/", line) || isMove && !hasText {
		return fmt.Errorf("%.40q: an incomplete move: the log is cut off there, so remove this line", line)
	}
	if !isMove || team == "" {
		return fmt.Errorf("%.40q: want /move/TEAM/x,y,border or ----", line)
	}
	p.log.Moves = append(p.log.Moves, LogMove{team, text, n})
	if len(p.log.Moves) > 2*grid.MaxSegments {
		return fmt.Errorf("more than %d moves", 2*grid.MaxSegments)
	}
	return nil
}

func (p *logParser) readResult(line string) error {
	key, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if !ok || p.seen[key] || !slices.Contains(resultKeys, key) {
		return fmt.Errorf("%.40q: want status, player_1, player_2, score_1 and score_2, once each", line)
	}
	p.seen[key] = true
	number, err := strconv.Atoi(value)
	switch key {
	case "status":
		if p.log.Code = Code(number); err != nil || !p.log.Code.valid() {
			return fmt.Errorf("status %.40q: want a status code", value)
		}
	case "player_1":
		p.log.Teams[0] = value
	case "player_2":
		p.log.Teams[1] = value
	case "score_1", "score_2":
		if err != nil || number < 0 || number > grid.MaxSegments {
			return fmt.Errorf("%s %.40q: want a number of squares", key, value)
		}
		p.log.Score[key[6]-'1'] = number
	}
	return nil
}

// checkComplete returns an error if the result is missing or names one team twice.
func (p *logParser) checkComplete() error {
	if !p.ended {
		if n := len(p.log.Moves); n > 0 {
			text := p.log.Moves[n-1].Text
			if _, err := grid.ParseBorder(text[strings.LastIndexByte(text, ',')+1:]); err != nil {
				return errors.New("the log ends in the middle of a move")
			}
		}
		return errors.New("the log stops in the middle: no ---- and no result")
	}
	for _, k := range resultKeys {
		if !p.seen[k] {
			return fmt.Errorf("the result has no %s", k)
		}
	}
	if p.log.Teams[0] == p.log.Teams[1] {
		return fmt.Errorf("player_1 and player_2 are both %.40q", p.log.Teams[0])
	}
	return nil
}

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

// Verdict is the result of [Judge].
type Verdict struct {
	Code  Code
	Score [2]int   // after a forfeit the winner has all squares
	Final Position // after the last legal move
	// Positions contains the position before each legal move, and Final.
	Positions []Position
	Played    []int // segments of the legal moves
	// Fault describes why the game ended early; "" if it was played to its end.
	Fault string
}

// errOtherBoard is wrapped by errors of logs that may be of another board.
var errOtherBoard = errors.New("the log may be of another board: give its size (--board)")

// Judge replays a log on a board of rows x cols squares. The game ends by its rules or by an illegal
// move. If the moves stop earlier, the game has ended only if the log has one of these codes:
//
//   - A timeout: the player in the code has lost. If that player moved last, the move was late.
//   - 100, without moves: neither player came to the game, and both have lost.
//
// Judge returns an error if the moves end otherwise or continue after the end, or if a third team
// moves. After an illegal move or a timeout, the log's score must be the score of the moves or add
// up to all squares. Apart from that, the log's code and score may differ from the verdict.
//
// If the log cannot be of this board, Judge tries the likelySizes. If the log agrees with the rules on
// one of them, the error names this board. If rows and cols are 0, Judge tries the usual board first, and
// returns the verdict on the first board that fits.
func Judge(g Log, rows, cols int) (Verdict, error) {
	unknown := rows == 0 && cols == 0
	if unknown {
		usual, err := grid.Parse(UsualBoard)
		if err != nil {
			return Verdict{}, err
		}
		rows, cols = usual.Rows, usual.Cols
	}
	v, err := judge(g, rows, cols)
	if !errors.Is(err, errOtherBoard) {
		return v, err
	}
	for _, size := range likelySizes(g) {
		other, failed := judge(g, size[0], size[1])
		switch agrees := failed == nil && other.Agrees(g); {
		case agrees && unknown:
			return other, nil
		case agrees:
			return v, fmt.Errorf("the log of a %dx%d board: want --board %dx%d", size[0], size[1], size[0], size[1])
		}
	}
	return v, err
}

// likelySizes returns the sizes of the smallest board that contains all moves of a log, and of the square
// board with as many squares as the log's scores add up to.
func likelySizes(g Log) [2][2]int {
	rows, cols := 0, 0
	for _, m := range g.Moves {
		var x, y int
		if n, _ := fmt.Sscanf(m.Text, "%d,%d,", &x, &y); n == 2 {
			rows, cols = max(rows, y+1), max(cols, x+1)
		}
	}
	side := int(math.Sqrt(float64(g.Score[0] + g.Score[1])))
	return [2][2]int{{rows, cols}, {side, side}}
}

// judge is Judge for one board. The error wraps errOtherBoard if the log cannot be of this board.
func judge(g Log, rows, cols int) (Verdict, error) {
	p, err := New(rows, cols)
	if err != nil {
		return Verdict{}, err
	}
	v := Verdict{Positions: []Position{p}, Final: p}
	for i, m := range g.Moves {
		team := slices.Index(g.Teams[:], m.Team)
		if team < 0 {
			return Verdict{}, fmt.Errorf("line %d: team %.40q plays in a game of %.40q and %.40q",
				m.Line, m.Team, g.Teams[0], g.Teams[1])
		}
		side := engine.First + engine.Side(team)
		if p.Over() {
			return Verdict{}, fmt.Errorf("line %d: a move after the end of the game", m.Line)
		}
		s, err := ParseSegment(p.board, m.Text)
		unreadable := err != nil // or outside the board
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
		v.lose(KindIllegal, side)
		format := "illegal move %d (line %d) by %s (%s): %s"
		if !unreadable && side != p.turn {
			format = "move %d (line %d) out of turn by %s (%s): %s"
		}
		cause := strings.TrimPrefix(err.Error(), engine.ErrIllegalMove.Error()+": ")
		v.Fault = fmt.Sprintf(format, i+1, m.Line, m.Team, side, cause)
		if i+1 < len(g.Moves) && unreadable {
			return v, fmt.Errorf("%s, and moves follow: %w", v.Fault, errOtherBoard)
		}
		if i+1 < len(g.Moves) {
			return v, fmt.Errorf("line %d: a move after %s", g.Moves[i+1].Line, v.Fault)
		}
		return v, v.checkForfeit(g)
	}
	err = v.setEnd(g)
	return v, err
}

// lose sets the result of a game that the loser forfeited; kind is KindIllegal or KindTimeout.
func (v *Verdict) lose(kind Code, loser engine.Side) {
	v.Code = kind.For(loser)
	v.Score = ForfeitScore(v.Final.board, v.Code.Winner())
}

// ForfeitScore returns the score of a forfeited game: all squares for the winner, and none for either
// side without a winner.
func ForfeitScore(b *grid.Board, winner engine.Side) (score [2]int) {
	if winner != engine.None {
		score[winner-1] = b.Squares()
	}
	return score
}

// setEnd sets the result of a log whose moves are all legal. It returns an error if the moves stop early
// and the log's code does not give one of the reasons of [Judge], or that of checkForfeit.
func (v *Verdict) setEnd(g Log) error {
	p := v.Final
	if p.Over() {
		v.Score, v.Code = p.score, p.EndCode()
		return nil
	}
	if g.Code == WaitingForBoth && len(g.Moves) == 0 {
		v.Code, v.Fault = g.Code, "neither player came to the game"
		return nil
	}
	if g.Code.Kind() != KindTimeout {
		return fmt.Errorf("the moves stop with %d free segments of %s, but the log says status %d: %w",
			p.free.Len(), p.board, int(g.Code), errOtherBoard)
	}
	loser := g.Code.Side()
	v.lose(KindTimeout, loser)
	// If the loser is not to move, its last move was late or, in logs of the arena, it has not
	// come to the game.
	switch name := g.Teams[loser-1]; {
	case loser == p.turn:
		v.Fault = fmt.Sprintf("timeout by %s (%s) at move %d", name, loser, len(g.Moves)+1)
	case len(g.Moves) == 0:
		v.Fault = fmt.Sprintf("forfeit by %s (%s) before its first move", name, loser)
	default:
		v.Fault = fmt.Sprintf("timeout by %s (%s) at move %d: its last move came late", name, loser, len(g.Moves))
	}
	return v.checkForfeit(g)
}

// checkForfeit returns an error that wraps errOtherBoard if the log's score is neither the score of the
// moves nor adds up to all squares.
func (v Verdict) checkForfeit(g Log) error {
	b, score := v.Final.board, g.Score
	if score == v.Final.score || score[0]+score[1] == b.Squares() {
		return nil
	}
	return fmt.Errorf("%s, but the score %d-%d is not that of the moves and does not add up to the %d squares of %s: %w",
		v.Fault, score[0], score[1], b.Squares(), b, errOtherBoard)
}

// Agrees reports whether the log has the code and score of the verdict.
func (v Verdict) Agrees(g Log) bool { return v.Code == g.Code && v.Score == g.Score }

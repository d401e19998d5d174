package analysis

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/arena"
)

// Record is one played game: its legal moves and its result.
type Record struct {
	Name    string // usually the file
	Players [2]string
	// Positions contains the position before each move and the last position.
	Positions []engine.Position
	Moves     []engine.Move
	// Winner is the winner in the record, None for a tie or an unfinished game.
	Winner engine.Side
	// Score is the score in the record. After a forfeit it may differ from the squares won.
	Score [2]int
	// Fault is a sentence with the reason why the game was not played to its end, "" if it was.
	Fault string
}

func (r Record) Final() engine.Position { return r.Positions[len(r.Positions)-1] }

const (
	maxQuoted = 60  // maximum length in bytes of text quoted from a record, such as a name
	maxReason = 400 // maximum length in bytes of the reason for a forfeit
)

// MaxRecordBytes is the maximum length of a record.
const MaxRecordBytes = 1 << 20

// Reader reads the records of one game from a file's bytes. It returns errOtherFormat if the bytes
// are not a record in its format.
type Reader func(name string, data []byte) (Record, error)

var (
	errOtherFormat = errors.New("not a game record in this format")
	// ErrNoFormat is returned for bytes in the format of no reader.
	ErrNoFormat = errors.New("not a game record: want the game's own log, a list of its moves, or lines like \"game: NAME\", an empty line, and one move per line")
)

// ReadRecord reads a record with the first of the readers that accepts the data. name is the name of
// the file, which readers may use in the record. UTF-16 with a byte order mark is first converted to
// UTF-8. If no reader accepts the data, ReadRecord returns the error of the first reader that
// recognises the format. It also returns an error for more than MaxRecordBytes, for a zero byte, and
// for a record with neither moves nor a winner.
func ReadRecord(name string, data []byte, readers ...Reader) (Record, error) {
	if len(data) > MaxRecordBytes {
		return Record{}, fmt.Errorf("longer than %d bytes: choose a file with one game", MaxRecordBytes)
	}
	data, err := io.ReadAll(engine.Text(bytes.NewReader(data)))
	if err != nil {
		return Record{}, err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return Record{}, errors.New("not a text file: choose the file that the game's program wrote")
	}
	var firstErr error // of a reader that recognises the format
	for _, read := range readers {
		r, err := read(name, data)
		if err == nil && len(r.Moves) == 0 && r.Winner == engine.None {
			err = errors.New("no move in this game record: choose a game that was played")
		}
		if err == nil {
			return r, nil
		}
		if !errors.Is(err, errOtherFormat) {
			firstErr = cmp.Or(firstErr, err)
		}
	}
	return Record{}, cmp.Or(firstErr, ErrNoFormat)
}

// play adds moves, and the position after each of them, up to the first illegal move.
func (r *Record) play(moves []engine.Move) error {
	for _, m := range moves {
		q, err := r.Final().Play(m)
		if err != nil {
			return err
		}
		r.Moves, r.Positions = append(r.Moves, m), append(r.Positions, q)
	}
	return nil
}

// PlainReader returns a reader of the plain format of every game: lines "key: value", an empty line,
// and one move per line.
//
//	game: dotsandboxes
//	start: 3x3
//	player_1: ann
//	player_2: bob
//	winner: 2
//	score: 3-6
//	end: played
//	fault: a sentence, if the game was not played to its end
//
// Only game and start are required. An illegal last move is ignored if it ended the game.
func PlainReader(g engine.Game) Reader {
	return func(name string, data []byte) (Record, error) {
		text := engine.CleanText(string(data))
		if !engine.IsRecord(text) {
			return Record{}, errOtherFormat
		}
		header, _, err := engine.SplitRecord(text)
		if err != nil {
			return Record{}, err
		}
		if header["game"] != g.Name() {
			return Record{}, errOtherFormat
		}
		start, moves, err := engine.ReadRecord[engine.Position](g, text)
		if err != nil {
			return Record{}, err
		}
		return newRecord(g, name, start, moves, header)
	}
}

// newRecord returns the record of a game that begins with the position start. header contains the lines
// of the plain format by key; it may be nil.
func newRecord(g engine.Game, name string, start engine.Position, moves []engine.Move, header map[string]string) (Record, error) {
	r := Record{Name: name, Players: [2]string{header["player_1"], header["player_2"]}, Positions: []engine.Position{start}}
	if err := r.play(moves); err != nil {
		return Record{}, err
	}
	if err := r.setResult(header); err != nil {
		return Record{}, err
	}
	r.namePlayers(g)
	return r, nil
}

// MovesReader returns a reader of lists of moves in the game's notations. read is the game's
// ReadGame, or a function that adds a board to the text first.
func MovesReader(g engine.Game, read func(text string) (engine.Position, []engine.Move, error)) Reader {
	logs, hasLogs := g.(interface{ IsLog(text string) bool })
	return func(name string, data []byte) (Record, error) {
		text := strings.TrimSpace(engine.CleanText(string(data)))
		if text == "" || text[0] == '{' || engine.IsRecord(text) || hasLogs && logs.IsLog(text) {
			return Record{}, errOtherFormat // another reader reads this format
		}
		start, moves, err := read(text)
		if errors.Is(err, engine.ErrNotation) || err == nil && len(moves) == 0 {
			return Record{}, errOtherFormat
		}
		if err != nil {
			return Record{}, err
		}
		r, err := newRecord(g, name, start, moves, nil)
		if err != nil || r.Final().Over() {
			return r, err
		}
		if list, err := engine.StripComments(text); err == nil {
			text = list
		}
		if winner, end := engine.Result(text, r.Final().Turn(), r.Players); winner != engine.None {
			r.Winner, r.Fault = winner, end
		}
		return r, nil
	}
}

// setResult sets Winner, Score and Fault as in header or, if missing there, as in the last position.
func (r *Record) setResult(header map[string]string) error {
	r.Winner, r.Score = engine.Winner(r.Final()), r.Final().Score()
	if w := header["winner"]; w != "" {
		n, err := strconv.Atoi(w)
		if err != nil || n < 0 || n > 2 {
			return fmt.Errorf("winner %q: want 1, 2 or 0", engine.OneLine(w, maxQuoted))
		}
		r.Winner = engine.Side(n)
	}
	if s := header["score"]; s != "" {
		a, b, ok := strings.Cut(s, "-")
		s1, err1 := strconv.Atoi(a)
		s2, err2 := strconv.Atoi(b)
		if !ok || err1 != nil || err2 != nil || s1 < 0 || s2 < 0 || s1 > 1000 || s2 > 1000 {
			return fmt.Errorf("score %q: want two numbers like 3-6", engine.OneLine(s, maxQuoted))
		}
		r.Score = [2]int{s1, s2}
	}
	r.Fault = header["fault"]
	if r.Fault == "" && !r.Final().Over() {
		r.Fault = "the record stops before the end of the game"
	}
	return nil
}

// namePlayers replaces missing names of players by the sides of g, and makes the two names different.
func (r *Record) namePlayers(g engine.Game) {
	sides := [2]string{"player 1", "player 2"}
	if s, ok := g.(engine.Sided); ok {
		sides = s.SideNames()
	}
	for i, side := range sides {
		r.Players[i] = cmp.Or(r.Players[i], side)
	}
	if r.Players[0] == r.Players[1] {
		r.Players[0] += " (1)"
		r.Players[1] += " (2)"
	}
}

// WritePlain writes a game in the plain format, without the result if it has neither ended nor a winner.
func WritePlain(w io.Writer, r Record) error {
	res := arena.Result{Players: r.Players, Winner: r.Winner, Score: r.Score, End: arena.Played, Fault: r.Fault}
	switch {
	case r.Final().Over():
	case r.Winner == engine.None:
		res.End = ""
	default:
		res.End = arena.Stopped
	}
	for i, m := range r.Moves {
		res.Moves = append(res.Moves, r.Positions[i].MoveString(m))
	}
	return arena.WriteLog(w, r.Positions[0], res)
}

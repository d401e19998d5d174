// Package cwhttp implements the HTTP protocol of Circuit Wars and its game server, on which
// two programs play each other. Package cwbot is the client.
//
// The protocol uses GET only and has one game at a time:
//
//	/reg/TEAM                 {"response": "OK", "player": 1} or {"response": "ERROR", "error_code": N}
//	/status                   the status object, see circuitwars.ParseStatus
//	/move/TEAM/x,y,border     a redirect to /status (some servers answer with the status itself)
//	/restart                  development only: a new game; a redirect to /status
//	/                         a page that shows the game
package cwhttp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

const MaxTeam = 25

// ImpossibleTeam returns an error if the championship's server refuses a team id. It accepts 1 to
// MaxTeam characters, any except a slash.
func ImpossibleTeam(id string) error {
	switch n := utf8.RuneCountInString(id); {
	case id == "":
		return errors.New("want a team id")
	case n > MaxTeam:
		return fmt.Errorf("%d characters: the championship's server takes at most %d", n, MaxTeam)
	case strings.Contains(id, "/"):
		return fmt.Errorf("%q: the championship's server takes no team id with a /", id)
	}
	return nil
}

// validTeam matches the ids that this server accepts.
var validTeam = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{1,%d}$`, MaxTeam))

// RegisterCode is the error code of a refused registration.
type RegisterCode int

// The error codes of /reg.
const (
	InvalidTeam RegisterCode = 1 // the server does not accept the id
	TeamTaken   RegisterCode = 2 // the other player has the same id
	GameStarted RegisterCode = 3 // both players have registered, or the game is over
)

func (c RegisterCode) Error() string {
	switch c {
	case InvalidTeam:
		return fmt.Sprintf("registration refused: error 1, the server does not take this team id; "+
			"usually 1 to %d letters, digits, - or _ are allowed", MaxTeam)
	case TeamTaken:
		return "registration refused: error 2, the team id is taken"
	case GameStarted:
		return "registration refused: error 3, the game has two players already or is over; " +
			"for a new game, restart the practice server or open its /restart"
	}
	return fmt.Sprintf("registration refused: error %d", int(c))
}

type snapshot struct {
	code     circuitwars.Code
	position circuitwars.Position
	timeLeft int64 // milliseconds; 0 if no clock is running or it has run out
	lastMove string
}

// text returns the sentence for the status code or for a tie, which has no status code.
func (s snapshot) text() string {
	if s.code.Kind() == circuitwars.KindWon && s.position.Over() && engine.Winner(s.position) == engine.None {
		return "The game has finished in a tie"
	}
	return s.code.Text()
}

// json returns the status object with the same order of keys and the same spaces as the championship's
// server, because some clients search the text. lastMove is legal, so it needs no escaping.
func (s snapshot) json() string {
	score := s.position.Score()
	board := strings.ReplaceAll(fmt.Sprint(s.position.Cells()), " ", ", ")
	return fmt.Sprintf(`{"status_code": %d, "status": "%s", "score_1": %d, "score_2": %d, `+
		`"board_size": %d, "board": %s, "time_left": %d, "last_move": "%s"}`,
		int(s.code), s.text(), score[0], score[1], s.position.Board().Rows, board, s.timeLeft, s.lastMove)
}

// loggedMove returns at most 64 bytes of a move, in which blanks, control and non-ASCII
// characters, % and / are percent-encoded. A legal move is unchanged.
func loggedMove(text string) string {
	const limit = 64
	var b strings.Builder
	for _, c := range []byte(text) {
		if b.Len()+3 > limit {
			break
		}
		if c <= ' ' || c >= 0x7f || c == '%' || c == '/' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

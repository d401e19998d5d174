// Package cwhttp is the HTTP protocol of Circuit Wars and its game server, at which two
// programs meet. The other end of the wire is package cwbot.
//
// The protocol is GET only and has one game at a time:
//
//	/reg/TEAM                 {"response": "OK", "player": 1} or {"response": "ERROR", "error_code": N}
//	/status                   the status object, see circuitwars.ParseStatus
//	/move/TEAM/x,y,border     a redirect to /status (some servers answer with the status itself)
//	/restart                  development only: a new game; a redirect to /status
//	/                         a page that shows the game
//
// Invariants. The server never lets a result change once it was shown, draws
// no late move and needs no request to notice that a player's time is up. It does
// not trust its clients: what is read is bounded in size and time, and what can't be
// understood is an error, never a panic.
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

// MaxTeam is the longest team id that servers take, in characters.
const MaxTeam = 25

// ImpossibleTeam says why no server takes the id, nil if one may: the
// championship's takes up to MaxTeam of any characters, as far as they fit into
// a part of a path.
func ImpossibleTeam(id string) error {
	switch n := utf8.RuneCountInString(id); {
	case id == "":
		return errors.New("want a team id")
	case n > MaxTeam:
		return fmt.Errorf("%d characters: no server takes more than %d", n, MaxTeam)
	case strings.Contains(id, "/"):
		return fmt.Errorf("%q: no server takes a team id with a /", id)
	}
	return nil
}

// validTeam matches the ids that the server takes. Other servers may take more; the
// client sends any id.
var validTeam = regexp.MustCompile(fmt.Sprintf(`^[A-Za-z0-9_-]{1,%d}$`, MaxTeam))

// RegisterCode is the error code of a refused registration.
type RegisterCode int

// The error codes of /reg.
const (
	InvalidTeam RegisterCode = 1 // the id is not one the server takes
	TeamTaken   RegisterCode = 2 // the other player has the same id
	GameStarted RegisterCode = 3 // both players are there, or the game is over
)

// Error names the code and what it means.
func (c RegisterCode) Error() string {
	switch c {
	case InvalidTeam:
		return "registration refused: error 1, the server does not take this team id"
	case TeamTaken:
		return "registration refused: error 2, the team id is taken"
	case GameStarted:
		return "registration refused: error 3, the game has two players already or is over; on a practice server open /restart or start it again for a new game"
	}
	return fmt.Sprintf("registration refused: error %d", int(c))
}

// snapshot is what the status object is made of.
type snapshot struct {
	code     circuitwars.Code
	position circuitwars.Position
	timeLeft int64  // milliseconds; 0 while no limit runs
	lastMove string // as it was sent
}

// text is the status sentence. A tie has no sentence in the protocol and gets
// one of its own.
func (s snapshot) text() string {
	if s.code.Kind() == circuitwars.WonBy1.Kind() && s.position.Over() && engine.Winner(s.position) == engine.None {
		return "The game has finished in a tie"
	}
	return s.code.Text()
}

// json writes the status object with the keys in the order and with
// the spaces that the championship's server uses, so that even clients that
// pick it apart by hand can read it. On a board that is not square,
// board_size is the number of rows.
func (s snapshot) json() string {
	score := s.position.Score()
	board := strings.ReplaceAll(fmt.Sprint(s.position.Cells()), " ", ", ")
	return fmt.Sprintf(`{"status_code": %d, "status": "%s", "score_1": %d, "score_2": %d, "board_size": %d, "board": %s, "time_left": %d, "last_move": "%s"}`,
		int(s.code), s.text(), score[0], score[1], s.position.Board().Rows, board, s.timeLeft, s.lastMove)
}

// loggedMove is a move's text as it goes into a log: what a plain request line
// can hold, everything else percent-encoded, at most 64 bytes. A legal move is
// left as it was sent.
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

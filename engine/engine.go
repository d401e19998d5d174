// Package engine defines the interfaces of games and players. A [Game] provides a [Position]
// type with the rules. A [Player] chooses a move within the time of a [Clock] and returns a
// [Decision]: the move, the value of the position, and how far the value is proved.
//
// Imports point downwards, cmd → book → solver → engine: this package and the packages below
// its directory import neither solvers nor books.
//
// # Packages
//
// circuitwars, dotsandboxes and watchyourback contain the rules, notation and pictures of
// one game each, and grid the boards of the first two. levels provides the practice opponents.
// svg draws pictures; disk reads and writes files safely.
//
// arena plays games and matches between players, and arena/championship groups and a knockout.
//
// Below wire are the protocols of the competitions: wire/cwhttp is the server of Circuit
// Wars, wire/cwbot its client and bot; wire/dabws is the websocket agent of Dots and Boxes and
// the driver of a match; wire/wyb is the Python module, line protocol and referee of Watch Your
// Back. wire/program starts external programs. wire/httpd contains what the HTTP servers share;
// wire/lenient reads messages of external programs in any spelling.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Side is one of the two players of a game: First makes the first move. None is neither player.
type Side uint8

const (
	None Side = iota
	First
	Second
)

// Other returns the opponent of First or Second; s must not be None.
func (s Side) Other() Side { return First + Second - s }

// String returns "player 1", "player 2" or, for None, "nobody".
func (s Side) String() string {
	if s == None {
		return "nobody"
	}
	return fmt.Sprintf("player %d", uint8(s))
}

// Move is a move as a small number, whose meaning depends on the game.
type Move int32

// ErrIllegalMove is wrapped by the errors of Position.Play and Position.ParseMove about a move
// that is well formed but not legal.
var ErrIllegalMove = errors.New("illegal move")

// ErrGameOver is returned by players that are called in a finished game.
var ErrGameOver = errors.New("the game is over")

// Position is a position of a game, an immutable value.
type Position interface {
	// Game returns the name of the game, for instance "circuitwars".
	Game() string
	// String returns the one-line notation; the game's Parse reads it back to an equal position.
	String() string
	// Turn returns the side to move. If the game is over, it returns one of the two sides.
	Turn() Side
	Over() bool
	// Moves returns the legal moves in a fixed order; none if Over.
	Moves() []Move
	// Play returns the position after a move. Its error wraps ErrIllegalMove.
	Play(Move) (Position, error)
	// MoveString returns a move in the game's notation.
	MoveString(Move) string
	// ParseMove parses a move in the game's notation; its error wraps ErrIllegalMove if the
	// move is well formed but not legal.
	ParseMove(string) (Move, error)
	// Score returns the current scores: squares in the segment games, pieces on the board
	// in Watch Your Back. Index 0 is the first player.
	Score() [2]int
	Draw(w io.Writer, style DrawStyle) error
	// Picture returns the picture of the position. The move last, which led from before to this
	// position, is marked unless before is nil.
	Picture(before Position, last Move) Picture
	// BoardName returns the board as the game's Start reads it, for instance "7x7".
	BoardName() string
	// CanonicalKey appends the key of the canonical position (canonical.go) to dst. A key
	// identifies a position of a given board and game, and all keys of a board have the same length.
	CanonicalKey(dst []byte) ([]byte, Orientation)
	// Gain returns the increase of the mover's score minus the increase of the opponent's
	// score from this position to next, which is one move later.
	Gain(next Position) int
}

// As returns p as a P, the position type of one game, or an error if p is of another game.
func As[P Position](p Position) (P, error) {
	own, ok := p.(P)
	if !ok {
		return own, fmt.Errorf("a position of %s, want one of %s", p.Game(), own.Game())
	}
	return own, nil
}

// PlayAll returns the position after the given moves, played from p on. If a move is illegal, it
// returns the position before the move, and an error with the number of the move, from 1.
func PlayAll[P Position](p P, moves []Move) (P, error) {
	for i, m := range moves {
		next, err := p.Play(m)
		if err != nil {
			return p, fmt.Errorf("move %d: %w", i+1, err)
		}
		p = next.(P)
	}
	return p, nil
}

// Decided is implemented by positions of games in which the higher score does not determine the
// winner. Such a game is not [Counted].
type Decided interface {
	Position
	// Winner returns the winner; None for a tie and before the end.
	Winner() Side
}

// Winner returns the winner of a finished position: that of [Decided], otherwise the side with the
// higher score. The result is None for a tie and before the end.
func Winner(p Position) Side {
	if !p.Over() {
		return None
	}
	if p, ok := p.(Decided); ok {
		return p.Winner()
	}
	switch s := p.Score(); {
	case s[0] > s[1]:
		return First
	case s[1] > s[0]:
		return Second
	}
	return None
}

// PlayText plays a move in the game's notation.
func PlayText(p Position, move string) (Position, error) {
	m, err := p.ParseMove(move)
	if err != nil {
		return nil, err
	}
	return p.Play(m)
}

// Outcome returns 1 if side has won, -1 if it has lost, and 0 for a tie and before the end.
func Outcome(p Position, side Side) int {
	switch Winner(p) {
	case None:
		return 0
	case side:
		return 1
	}
	return -1
}

// Lead returns the score of side, First or Second, minus the score of its opponent.
func Lead(p Position, side Side) int {
	s := p.Score()
	return s[side-1] - s[side.Other()-1]
}

// DrawStyle contains the options of Position.Draw.
type DrawStyle struct {
	Color bool  // allow ANSI colours, which only repeat what the characters show
	Last  *Move // the last move, which is marked on the board; nil for none
}

// Paint returns text in an ANSI colour, like "1;32", or unchanged if s has no colours.
func (s DrawStyle) Paint(color, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// Game is a game with its rules and notations.
type Game interface {
	// Name returns the word used on the command line and in stores.
	Name() string
	// Title returns the name for texts.
	Title() string
	// RulesVersion changes when a change of the rules may change values.
	RulesVersion() int
	// Start returns the first position on a board written like "7x7"; "" means the game's usual board.
	Start(board string) (Position, error)
	// Parse reads a position in any notation of the game. Errors are one line with the place
	// of the fault and what was expected.
	Parse(text string) (Position, error)
	// ReadGame reads a game in any notation that Parse accepts. It returns the position before
	// the first move, and the moves; a text of a single position has none. Its error wraps
	// ErrNotation if the text is in none of the game's notations.
	ReadGame(text string) (start Position, moves []Move, err error)
	Notations() []string
	// Write returns a game in a notation, or the position start if there are no moves. It returns an
	// error if the notation cannot express the game.
	Write(notation string, start Position, moves []Move) (string, error)
	// Boards returns the boards that pages offer, as Start reads them, the usual one first.
	Boards() []string
	// FromKey returns the position of a key, with a possible score and turn if keys do not contain
	// them. It returns an error for bytes that are not a key, and may return one for the key of a
	// finished position. It does not check that the key is canonical.
	FromKey(key []byte) (Position, error)
	// ProofScale returns the factor by which a proved score is multiplied to compare it with an
	// estimate: 1 if both count points, more if proved scores are results, 1, 0 or -1.
	ProofScale() int
}

// Counted is implemented by games whose values are differences of scores. In other games a
// value is 1 for a win, 0 for a tie and -1 for a loss.
type Counted interface {
	Game
	// Unit returns the singular and plural of the unit: "box", "boxes".
	Unit() (one, more string)
}

// Sided is implemented by games whose sides have other names than "Player 1" and "Player 2".
type Sided interface {
	Game
	SideNames() [2]string
}

// Proof states what is proved about the true value.
type Proof uint8

const (
	Estimate Proof = iota // nothing is proved
	Lower                 // proved: the true value is at least the score
	Upper                 // proved: the true value is at most the score
	Exact                 // proved: the score is the value
)

var proofNames = [...]string{"estimate", "lower", "upper", "exact"}

// String returns "estimate", "lower", "upper" or "exact".
func (p Proof) String() string {
	if int(p) < len(proofNames) {
		return proofNames[p]
	}
	return fmt.Sprintf("proof(%d)", uint8(p))
}

func (p Proof) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p *Proof) UnmarshalText(b []byte) error {
	for i, n := range proofNames {
		if n == string(b) {
			*p = Proof(i)
			return nil
		}
	}
	return fmt.Errorf("proof %.40q: want estimate, lower, upper or exact", b)
}

// MoveValue is the value of a legal move for the side that plays it; see [Decision].
type MoveValue struct {
	Move   string   `json:"move"`
	Score  int      `json:"score"`
	Proof  Proof    `json:"proof"`
	Exact  bool     `json:"exact"` // Proof == Exact
	Source string   `json:"source,omitempty"`
	Line   []string `json:"line,omitempty"` // best play after the move
	// Estimate is an estimate of the value if Score is only a bound; nil if there is none.
	Estimate *int `json:"estimate,omitempty"`
	// Distance is the number of turns to the end of a win or loss if the game has such a
	// distance (Watch Your Back on 4x4); otherwise 0.
	Distance int `json:"distance,omitempty"`
}

// Decision is the choice of a move, with the value of the position and of the moves.
type Decision struct {
	// Move is the move in the game's notation; "" if the game is over.
	Move string `json:"move"`
	// Score is the value of the position for the side to move, and Proof what is proved about
	// it. In Circuit Wars and Dots and Boxes the value is the number of squares that this side
	// gains from now on, minus the number that the opponent gains. In Watch Your Back a proved
	// score is 1 for a win, 0 for a tie and -1 for a loss, and an estimate is in hundredths of
	// a piece. Proof may be Exact although it is not proved that Move achieves the value.
	Score int   `json:"score"`
	Proof Proof `json:"proof"`
	Exact bool  `json:"exact"`
	// Source names the source of the score: "book", "table", "solved", "embedded proof",
	// "search" and others.
	Source string      `json:"source"`
	Depth  int         `json:"depth"` // plies searched for an estimate; otherwise 0
	Line   []string    `json:"line"`  // best play, beginning with Move
	Moves  []MoveValue `json:"moves"` // the evaluated legal moves, best first
	// Distance is as in MoveValue.
	Distance  int           `json:"distance,omitempty"`
	Nodes     uint64        `json:"nodes,omitempty"` // expanded by all sources
	Note      string        `json:"note,omitempty"`  // a sentence for the reader
	Elapsed   time.Duration `json:"-"`
	ElapsedMS float64       `json:"elapsed_ms"` // Elapsed in milliseconds
}

// Own returns the value of the chosen move: its entry in Moves or, without an entry, the value of
// the position.
func (d Decision) Own() MoveValue {
	for _, m := range d.Moves {
		if m.Move == d.Move {
			return m
		}
	}
	return MoveValue{Move: d.Move, Score: d.Score, Proof: d.Proof, Exact: d.Exact, Source: d.Source, Distance: d.Distance}
}

// MoveProved reports whether it is proved that the position has the value Score and that the chosen
// move achieves it.
func (d Decision) MoveProved() bool {
	own := d.Own()
	return d.Proof == Exact && (own.Proof == Exact || own.Proof == Lower) && own.Score >= d.Score
}

// Player chooses moves. Choose returns a decision for the side to move, soon after ctx ends and before
// the clock's deadline, or ErrGameOver for a finished game.
type Player interface {
	Name() string
	Choose(ctx context.Context, p Position, c Clock) (Decision, error)
}

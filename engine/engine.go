// Package engine defines the interfaces of games and players. A [Game] provides a [Position]
// type with the rules. A [Player] chooses a move within the time of a [Clock] and returns a
// [Decision]: the move, the value of the position, and how far the value is proved.
//
// [Ask] and [AskInTime] call a player so that a panic, a hang or an illegal move does not
// affect the caller. [WakeDelay] measures how late the system wakes this process. [Picture]
// describes the drawing of a position, and record.go the plain format of recorded games.
//
// Imports point downwards, cmd → book → solver → engine: this package and the packages below
// its directory import neither solvers nor books.
//
// # Packages
//
// circuitwars, dotsandboxes and watchyourback contain the rules, notation and pictures of
// one game each. grid contains the boards of the first two: squares, segments and
// symmetries, canonical positions (canonical.go), pictures (picture.go). levels provides
// the practice opponents level1 to level4. svg draws pictures; disk reads and writes files
// safely (atomic replacement, locks).
//
// arena plays games between players (play.go: time limits and illegal moves), matches
// (match.go), computes Elo ratings and decides matches by SPRT (elo.go, sprt.go), and
// writes reports. arena/championship runs groups and a knockout.
//
// Below wire are the protocols of the competitions: wire/cwhttp is the server of Circuit
// Wars, wire/cwbot its client and bot (clock.go computes the time for a move); wire/dabws
// is the websocket agent of Dots and Boxes and the driver of a match; wire/wyb is the
// Python module, line protocol and referee of Watch Your Back. wire/program starts external
// programs, each in its own network if the system allows it. wire/httpd contains what the
// HTTP servers share; wire/lenient reads messages of external programs in any spelling.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Side is one of the two players of a game: First makes the first move. None stands for
// neither player, for instance as the winner of a tie.
type Side uint8

// The two sides, and neither.
const (
	None Side = iota
	First
	Second
)

// Other returns the opponent of First or Second; s must not be None.
func (s Side) Other() Side { return First + Second - s }

// String returns "player 1", "player 2" or "nobody".
func (s Side) String() string {
	if s == None {
		return "nobody"
	}
	return fmt.Sprintf("player %d", uint8(s))
}

// Move is a move as a small number, whose meaning depends on the game. Position.MoveString and
// Position.ParseMove convert moves to and from text.
type Move int32

// ErrIllegalMove is wrapped by the errors of Position.Play and Position.ParseMove about a move
// that is well formed but not legal.
var ErrIllegalMove = errors.New("illegal move")

// ErrGameOver is returned by players that are called in a finished game.
var ErrGameOver = errors.New("the game is over")

// Position is a position of a game. Positions are immutable values, so they may be shared
// between goroutines.
type Position interface {
	// Game returns the name of the game, for instance "circuitwars".
	Game() string
	// String returns the one-line notation; the game's Parse reads it back to an equal
	// position.
	String() string
	// Turn returns the side to move. If the game is over, it returns one of the two sides.
	Turn() Side
	// Over reports whether the game has ended.
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
	// Draw writes the board as lines of text for a terminal.
	Draw(w io.Writer, style DrawStyle) error
	// Picture returns the picture of the position for pages and image files (package svg). The
	// move last, which led from before to this position, is marked. If before is nil, no move is
	// marked.
	Picture(before Position, last Move) Picture
	// BoardName returns the board as the game's Start reads it, for instance "7x7".
	BoardName() string
	// CanonicalKey appends the key of the canonical position (canonical.go) to dst. The
	// Orientation translates moves between the two positions. Positions with equal keys have
	// equal values. A key identifies a position of a given board and game, and all keys of a
	// board have the same length. The game's FromKey returns the canonical position of a key.
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

// PlayAll returns the position after the given moves, played from p on. If a move is illegal,
// PlayAll returns the position before the move, and the error with the number of the move, from 1.
func PlayAll(p Position, moves []Move) (Position, error) {
	for i, m := range moves {
		next, err := p.Play(m)
		if err != nil {
			return p, fmt.Errorf("move %d: %w", i+1, err)
		}
		p = next
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

// Winner returns the winner of a finished position: the result of its method Winner if p is
// [Decided], otherwise the side with the higher score. The result is None for a tie and before
// the end.
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

// PlayText plays a move in the game's notation. Its error is that of ParseMove.
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
	// Color allows ANSI colours, which only repeat what the characters show.
	Color bool
	// Last is the last move, which is marked on the board; nil for none.
	Last *Move
}

// Paint returns text in an ANSI colour, like "1;32", or unchanged if s has no colours.
func (s DrawStyle) Paint(color, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// Game describes a game to commands that work for every game.
type Game interface {
	// Name returns the word used on the command line and in stores.
	Name() string
	// Title returns the name for texts.
	Title() string
	// RulesVersion changes when a change of the rules may change values.
	RulesVersion() int
	// Start returns the first position on a board written like "7x7"; "" means the game's
	// usual board.
	Start(board string) (Position, error)
	// Parse reads a position in any notation of the game. Errors are one line with the place
	// of the fault and what was expected.
	Parse(text string) (Position, error)
	// ReadGame reads a game in any notation that Parse accepts. It returns the position before
	// the first move, and the moves; a text of a single position has none. Its error wraps
	// ErrNotation if the text is in none of the game's notations.
	ReadGame(text string) (start Position, moves []Move, err error)
	// Notations returns the names of the notations that Write writes.
	Notations() []string
	// Write returns a game in a notation, or the position start if there are no moves. It
	// returns an error if the notation consists of moves only and start is not the position at
	// the start of a game.
	Write(notation string, start Position, moves []Move) (string, error)
	// Boards returns the boards that pages offer, as Start reads them, the usual one first.
	Boards() []string
	// FromKey returns the position of a key. If keys do not contain the score and the turn, FromKey
	// chooses a possible score and turn. It returns an error for bytes that are not a key, and may
	// return one for the key of a finished position. It does not check that the key is canonical.
	FromKey(key []byte) (Position, error)
	// ProofScale returns the factor by which a proved score is multiplied to compare it with an
	// estimate. It is 1 if both count points. It is greater than 1 if proved scores are results, 1, 0
	// or -1: in Watch Your Back it is 10000, and estimates are hundredths of a piece.
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
	// SideNames returns the names of the first and the second player.
	SideNames() [2]string
}

// Proof is the kind of a score: what is proved about the true value.
type Proof uint8

// Kinds of scores.
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

// MarshalText implements encoding.TextMarshaler.
func (p Proof) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Proof) UnmarshalText(b []byte) error {
	for i, n := range proofNames {
		if n == string(b) {
			*p = Proof(i)
			return nil
		}
	}
	return fmt.Errorf("proof %.40q: want estimate, lower, upper or exact", b)
}

// MoveValue is the value of a legal move for the side that plays it.
type MoveValue struct {
	Move   string   `json:"move"`
	Score  int      `json:"score"`            // as in Decision
	Proof  Proof    `json:"proof"`            // as in Decision
	Exact  bool     `json:"exact"`            // Proof == Exact, for programs that need only this
	Source string   `json:"source,omitempty"` // as in Decision
	Line   []string `json:"line,omitempty"`   // best play after the move, the move itself excluded
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
	// a piece. Proof may be Exact although it is not proved that Move achieves the value; the
	// proofs of moves are in Moves.
	Score int   `json:"score"`
	Proof Proof `json:"proof"`
	Exact bool  `json:"exact"`
	// Source names the source of the score: "book", "table", "solved", "embedded proof",
	// "search" and others.
	Source string `json:"source"`
	// Depth is the number of plies searched for an estimate; otherwise 0.
	Depth int `json:"depth"`
	// Line is best play from the position, beginning with the chosen move.
	Line []string `json:"line"`
	// Moves contains the evaluated legal moves, best first.
	Moves []MoveValue `json:"moves"`
	// Distance is as in MoveValue.
	Distance int `json:"distance,omitempty"`
	// Nodes is the number of nodes that all sources expanded.
	Nodes uint64 `json:"nodes,omitempty"`
	// Note is a sentence for the reader, for instance about a theorem.
	Note string `json:"note,omitempty"`
	// Elapsed is the time for the decision.
	Elapsed time.Duration `json:"-"`
	// ElapsedMS is Elapsed in milliseconds, for JSON.
	ElapsedMS float64 `json:"elapsed_ms"`
}

// Own returns the value of the chosen move: its entry in Moves or, without an entry, the value of
// the position. The entry may be only a bound, even if the value of the position is exact.
func (d Decision) Own() MoveValue {
	for _, m := range d.Moves {
		if m.Move == d.Move {
			return m
		}
	}
	return MoveValue{Move: d.Move, Score: d.Score, Proof: d.Proof, Exact: d.Exact, Source: d.Source, Distance: d.Distance}
}

// MoveProved reports whether the value of the position is proved, and also that the chosen
// move achieves it.
func (d Decision) MoveProved() bool {
	own := d.Own()
	return d.Proof == Exact && (own.Proof == Exact || own.Proof == Lower) && own.Score >= d.Score
}

// Player chooses moves. Choose must return soon after ctx ends and before the clock's deadline,
// and returns ErrGameOver for a finished game.
type Player interface {
	// Name returns the name for logs and tables.
	Name() string
	// Choose returns a decision for the side to move.
	Choose(ctx context.Context, p Position, c Clock) (Decision, error)
}

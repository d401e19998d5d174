// Package engine defines what the three games provide to the rest of Endwise: a
// [Game] with its [Position] type, a [Decision] (a move with its value and the reason
// for it), a [Player], and the [Clock] a player must respect. [Ask] calls a player
// safely: a panic, a hang or an illegal move of the player does not affect the caller.
// [WakeDelay] measures how late the system wakes this process.
//
// Nothing here or below imports solvers, stores or books: imports point downwards,
// cmd → book → solver → engine.
//
// # Packages
//
// circuitwars, dotsandboxes and watchyourback contain the rules, notation and pictures
// of one game each. grid has the boards of the first two: squares, segments and
// symmetries, canonical positions (canonical.go), drawings (picture.go). levels
// provides the practice opponents level1 to level4. svg draws pictures; disk reads and
// writes files safely (atomic replacement, locks).
//
// arena plays games between players (play.go: time limits and illegal moves), matches
// (match.go), computes Elo ratings and decides matches by SPRT (elo.go, sprt.go), and
// writes reports. arena/championship runs groups and a knockout.
//
// Below wire are the protocols of the competitions: wire/cwhttp is the server of Circuit
// Wars, wire/cwbot its client and bot (clock.go decides how long a move may take);
// wire/dabws is the websocket agent of Dots and Boxes and the driver of a match;
// wire/wyb is the Python module, line protocol and referee of Watch Your Back.
// wire/program starts programs of other people, each in a network of its own where the
// system allows it. wire/httpd has what the HTTP servers share; wire/lenient reads the
// messages of other people's programs in any spelling.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Side is the player whose turn it is or who owns something: First moves
// first in a game, Second answers. None stands for nobody.
type Side uint8

// The two sides, and nobody.
const (
	None Side = iota
	First
	Second
)

// Other returns the opponent of First or Second.
func (s Side) Other() Side { return First + Second - s }

// String returns "player 1", "player 2" or "nobody".
func (s Side) String() string {
	if s == None {
		return "nobody"
	}
	return fmt.Sprintf("player %d", uint8(s))
}

// Move is a game's move as a small number. Only the game that made it knows
// what it means: Position.MoveString and Position.ParseMove translate.
type Move int32

// ErrIllegalMove is wrapped by Position.Play and Position.ParseMove when a
// move is well written but the rules forbid it.
var ErrIllegalMove = errors.New("illegal move")

// ErrGameOver is returned by players that are asked to move in a finished game.
var ErrGameOver = errors.New("the game is over")

// Position is one position of one game. Positions are values: Play returns a
// new one and leaves the receiver alone, so they may be shared between
// goroutines.
type Position interface {
	// Game names the game, for instance "circuitwars".
	Game() string
	// String is the one-line notation; the game's Parse reads it back to an
	// equal position.
	String() string
	// Turn says who moves; it keeps its last value when the game is over.
	Turn() Side
	// Over says whether the game has ended.
	Over() bool
	// Moves lists the legal moves in a fixed order; empty when Over.
	Moves() []Move
	// Play returns the position after a move. It wraps ErrIllegalMove.
	Play(Move) (Position, error)
	// MoveString writes a move in the game's own notation.
	MoveString(Move) string
	// ParseMove reads a move in the game's notation; it wraps ErrIllegalMove
	// where the move is well formed but not legal here.
	ParseMove(string) (Move, error)
	// Score gives what each side has so far: squares in the segment games,
	// pieces on the board in Watch Your Back. Index 0 is the first player.
	Score() [2]int
	// Draw writes the board for a terminal, a few lines of text.
	Draw(w io.Writer, style DrawStyle) error
	// Picture returns the drawing of the position for pages, reports and books
	// (package svg). before is the position in which last was played to get here,
	// nil if that is not known: then nothing is marked as the last move.
	Picture(before Position, last Move) Picture
	// BoardName is the board as the game's Start reads it, for instance "7x7".
	BoardName() string
	// CanonicalKey appends the key of the canonical position to dst and returns
	// how the moves of the position correspond to those of the canonical one.
	// Positions with equal keys have equal values and their moves correspond; a key
	// belongs to one board of one game, and the game's FromKey reads it back. Keys
	// of one board are equally long. See canonical.go.
	CanonicalKey(dst []byte) ([]byte, Orientation)
	// Gain is what the side to move gets, minus what its opponent gets, when next
	// is the position after one move.
	Gain(next Position) int
}

// As is a position of the game whose own type is P.
func As[P Position](p Position) (P, error) {
	own, ok := p.(P)
	if !ok {
		return own, fmt.Errorf("a position of %s where one of %s is expected", p.Game(), own.Game())
	}
	return own, nil
}

// PlayMoves is the position after moves in the game's notation. The error names
// the move by its number, from 1.
func PlayMoves[P Position](p P, moves []string) (P, error) {
	for i, text := range moves {
		m, err := p.ParseMove(text)
		var next Position
		if err == nil {
			next, err = p.Play(m)
		}
		if err != nil {
			return p, fmt.Errorf("move %d: %w", i+1, err)
		}
		p = next.(P)
	}
	return p, nil
}

// PlayAll is the position after moves.
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

// Decided is a Position of a game that the higher score does not decide. Such a
// game is not Counted.
type Decided interface {
	Position
	// Winner is who has won; None for a tie and before the end.
	Winner() Side
}

// Winner is who has won a finished position: by its own account if it is
// Decided, else with the higher score. It is None for a tie and before the end.
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

// Outcome is 1 or -1 for a side that has won or lost, 0 for a tie and before the end.
func Outcome(p Position, side Side) int {
	switch Winner(p) {
	case None:
		return 0
	case side:
		return 1
	}
	return -1
}

// Lead is by how much a side's score is ahead.
func Lead(p Position, side Side) int {
	s := p.Score()
	return s[side-1] - s[side.Other()-1]
}

// DrawStyle says what a terminal can show.
type DrawStyle struct {
	// Color allows ANSI colours; without it owners are told apart by letters.
	Color bool
	// Last is the last move played, marked on the board; nil for none.
	Last *Move
}

// Paint gives text an ANSI colour, like "1;32", where the terminal has colours.
func (s DrawStyle) Paint(color, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// Game is how a game introduces itself to commands that work for every game.
type Game interface {
	// Name is the word used on the command line and in stores.
	Name() string
	// Title is the name as people write it.
	Title() string
	// RulesVersion changes when a position's value could change.
	RulesVersion() int
	// Start is the first position on a board written like "7x7"; "" means
	// the game's usual board.
	Start(board string) (Position, error)
	// Parse reads a position in any notation the game knows. Errors are one
	// line, name the place and say what was expected.
	Parse(text string) (Position, error)
	// ReadGame reads what Parse reads as a game: the position before the first move, and
	// the moves, none for a single position. Its error wraps ErrNotation if the text is
	// in none of the game's notations.
	ReadGame(text string) (start Position, moves []Move, err error)
	// Notations are the names of the notations that Write writes. Notations of games
	// refuse what starts with a position.
	Notations() []string
	// Write writes a game, or a position if there are no moves.
	Write(notation string, start Position, moves []Move) (string, error)
	// Boards are words that Start reads, the usual board first: pages offer them.
	Boards() []string
	// FromKey is the canonical position of a key. The key does not contain score and
	// turn, so it has possible ones. FromKey refuses bytes that are no key of a
	// position, but accepts a key that is not canonical.
	FromKey(key []byte) (Position, error)
	// ProofScale is the number of points of an estimated score that one point
	// of a proved score stands for: 1 if both count the same thing. Above 1
	// a proved score is the game's result, 1, 0 or -1: 10000 in Watch Your Back, whose
	// estimates are hundredths of a piece.
	ProofScale() int
}

// Counted is a Game whose values count what Score counts. In a
// game that is not, a value is 1 for a win, 0 for a tie and -1 for a loss, and
// Winner says which.
type Counted interface {
	Game
	// Unit names what is counted, one and several: "box", "boxes".
	Unit() (one, more string)
}

// Sided is a Game whose players have names other than "Player 1" and
// "Player 2".
type Sided interface {
	Game
	// SideNames are the names of the first and the second player.
	SideNames() [2]string
}

// Proof says what a score is worth. The four kinds are never mixed: an
// estimate is never shown as a bound, a bound never as a value.
type Proof uint8

// The kinds of proof.
const (
	Estimate Proof = iota // a heuristic score; Depth and Elapsed say what is behind it
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

// MarshalText writes the name of the kind.
func (p Proof) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the name of the kind.
func (p *Proof) UnmarshalText(b []byte) error {
	for i, n := range proofNames {
		if n == string(b) {
			*p = Proof(i)
			return nil
		}
	}
	return fmt.Errorf("proof %.40q: want estimate, lower, upper or exact", b)
}

// MoveValue is what one legal move is worth for the side that plays it.
type MoveValue struct {
	Move   string   `json:"move"`
	Score  int      `json:"score"`            // as in Decision
	Proof  Proof    `json:"proof"`            //
	Exact  bool     `json:"exact"`            // Proof == Exact, for programs that only ask that
	Source string   `json:"source,omitempty"` // as in Decision
	Line   []string `json:"line,omitempty"`   // best play after the move, the move itself excluded
	// Distance counts the turns to the end of a win or loss where the game
	// has such a distance (Watch Your Back on 4x4); 0 elsewhere.
	Distance int `json:"distance,omitempty"`
}

// Decision is the answer to "what is the best move here?". The same decision
// is printed by query, sent by bots, drawn by pages and kept in analyses.
type Decision struct {
	// Move in the game's notation; "" when the game is over.
	Move string `json:"move"`
	// Score is the value of the position for the side to move. Segment
	// games: squares still to be won by the mover minus those of the
	// opponent, whatever was scored before. Watch Your Back: 1 win, 0 tie,
	// -1 loss when exact; in hundredths of a piece for an estimate.
	// Proof may be Exact without a proof of Move: what is proved of it is in Moves.
	Score int   `json:"score"`
	Proof Proof `json:"proof"`
	Exact bool  `json:"exact"`
	// Source is who spoke: "book", "table", "solved", "certificate", "search", …
	Source string `json:"source"`
	// Depth is the number of plies searched for an estimate, 0 elsewhere.
	Depth int `json:"depth"`
	// Line is best play from the position, the chosen move first.
	Line []string `json:"line"`
	// Moves holds every legal move that was looked at, best first.
	Moves []MoveValue `json:"moves"`
	// Distance is as in MoveValue.
	Distance int `json:"distance,omitempty"`
	// Nodes counts what the search expanded, all sources together.
	Nodes uint64 `json:"nodes,omitempty"`
	// Note is a sentence for people, for instance what the mirror theorem says.
	Note string `json:"note,omitempty"`
	// Elapsed is the time the decision took.
	Elapsed time.Duration `json:"-"`
	// ElapsedMS is Elapsed in milliseconds, for JSON.
	ElapsedMS float64 `json:"elapsed_ms"`
}

// Own returns what the decision says of its move. That may be less than it says of the
// position.
func (d Decision) Own() MoveValue {
	for _, m := range d.Moves {
		if m.Move == d.Move {
			return m
		}
	}
	return MoveValue{Move: d.Move, Score: d.Score, Proof: d.Proof, Exact: d.Exact, Source: d.Source, Distance: d.Distance}
}

// MoveProved reports whether the value is proved and the move is worth it.
func (d Decision) MoveProved() bool {
	own := d.Own()
	return d.Proof == Exact && (own.Proof == Exact || own.Proof == Lower) && own.Score >= d.Score
}

// Player chooses moves. Implementations honour both the context and the clock
// and return ErrGameOver for a finished game.
type Player interface {
	// Name is what logs and standings show.
	Name() string
	// Choose decides on a move for the side to move.
	Choose(ctx context.Context, p Position, c Clock) (Decision, error)
}

// Package certificate writes proofs of values that can be checked without this
// program: cmd/checkproof and cmd/checkproof/checkproof.py hold the rules and no
// solver, and import nothing of it.
//
// A certificate is a gzip file (RFC 1952) of one member, with no optional header field but a
// name and with nothing after it, of one line of text and a body:
//
//	endwise certificate 1 game GAME board ROWSxCOLS rules 1 value V count N sha256 HEX
//	N bytes
//
// The line has one space between its words and ends with a newline; numbers are
// decimal without leading zeros, a negative one with a minus sign. HEX, 64
// lower-case hexadecimal digits, is the SHA-256 of everything else: the line, its
// newline included, without HEX, and the N bytes. It is the certificate's digest and
// does not depend on how the stream was compressed. The first 1 is the version of
// the format, rules that of the games' rules as the checkers state them.
//
// # Dots and Boxes and Circuit Wars
//
// GAME is dotsandboxes or circuitwars, V what the player who begins on the empty
// board wins more than the other if both play perfectly, in squares. Byte i of the
// body is a move: the number of a line (grid.Board numbers them). Boards have at most
// 56 lines.
//
// The moves carry two strategies, and so two claims about the empty board: whoever
// begins gets at least V, the other at least -V. A claim is a position, who is to
// move, and how much more than the other the claimant will still win from there.
// Its position is the set of free lines as a number, line i being bit i; what was won
// before does not matter. Where the claimant is to move the body has the move, and
// the claim is that of the position after it; where the other is, all moves give
// claims that must hold. A square that the claimant wins is taken off the claim, one
// that the other wins is added. A claim of at most minus the number of squares left
// holds by itself and is dropped; one of more than the squares left is wrong.
//
// Positions that differ by a symmetry of the board, or by which of the lines
// that have the same single square beside them are free (the two outer lines of a
// corner, for instance), are one: the smallest of their numbers. Two claims with one
// position and the same side to move are one, the larger.
//
// The body's order is that in which claims are met: positions with more free lines
// come first, of equally many the smaller number. Every move takes a line away (in
// Circuit Wars those of a closed area too), so all claims about a position are known
// when its turn comes. Nothing else is needed to find a move's position again, which
// is why the body holds no positions, and why a byte too many or too few is
// noticed.
//
// # Watch Your Back
//
// GAME is watchyourback, the board 4x4: the stage after the second shrink, in which
// the rules know no clock. The twelve squares that are no corners, row by row, are
// digits in base three, the first the lowest: 0 empty, 1 a piece of the player to
// move, 2 one of the other. In ascending order of that number each position in which
// both sides have two pieces or more and no piece is surrounded has a byte: 0 for a
// tie, 100-d for a win in d turns, 156+d for a loss in d. V is the largest d. Values are consistent if each is the best that a move gives, one turn later;
// then they are right: wins and losses by induction over d, and in a tie both sides
// can always move to a tie.
//
// # How it is made
//
// The solvers say which moves are good; the claims are followed (make.go) with rules of
// their own just as a checker does, so a value that is wrong can't be written
// (ErrWrong). Of several good moves the one is taken whose claim is known already,
// which keeps the certificate small. Which moves are good does not depend on threads
// or tables, and so the bytes do not.
package certificate

import (
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"endwise/solver/farm"
)

var (
	// ErrWrong is returned when a claim turns out to be wrong: the value is, or a
	// solver.
	ErrWrong = errors.New("the claim is wrong")
	// ErrNone is wrapped for boards that no certificate can be made of.
	ErrNone = errors.New("no certificate")
	// ErrFormat is wrapped when the moves of an earlier run do not fit.
	ErrFormat = errors.New("not a certificate")
)

// Certificate is a proof of the value of a board.
type Certificate struct {
	Game       string // as on the command line
	Rows, Cols int
	Value      int
	Body       []byte
}

// Options are how a certificate is made. The zero value is ready.
type Options struct {
	Threads   int   // that ask solvers; 0 means one
	HashBytes int64 // of the solver's transposition table; 0 means its default
	Progress  *farm.Progress
	// Record is told, piece by piece, what is added to the body. Known is what it was
	// told by an earlier run that was stopped; ErrFormat is wrapped where it does not
	// fit.
	Known  []byte
	Record func(moves []byte) error
}

// Text of the header; the digest is of it with an empty digest.
const header = "endwise certificate 1 game %s board %dx%d rules 1 value %d count %d sha256 %s\n"

func (c *Certificate) head(digest string) string {
	return fmt.Sprintf(header, c.Game, c.Rows, c.Cols, c.Value, len(c.Body), digest)
}

// Digest is the SHA-256 in hexadecimal.
func (c *Certificate) Digest() string {
	h := sha256.New()
	io.WriteString(h, c.head(""))
	h.Write(c.Body)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Board is the size of the board, ROWSxCOLS.
func (c *Certificate) Board() string { return fmt.Sprintf("%dx%d", c.Rows, c.Cols) }

// Encode writes the certificate.
func (c *Certificate) Encode(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(z, c.head(c.Digest())); err != nil {
		return err
	}
	if _, err := z.Write(c.Body); err != nil {
		return err
	}
	return z.Close()
}

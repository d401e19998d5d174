// Package certificate makes proofs of values that other programs check. The checkers, cmd/checkproof
// and cmd/checkproof/checkproof.py, contain the rules but no solver, and share no code with this
// package. [DotsAndBoxes], [CircuitWars] and [WatchYourBack] return the [Certificate] of a board.
// [ReadClaims] reads a claims file, the part of a certificate near the empty board.
//
// # File format
//
// A certificate is a gzip file (RFC 1952) with one member, whose header has no optional field
// except a name; nothing follows the member. The member unpacks to one line of text and a body:
//
//	endwise certificate 1 game GAME board ROWSxCOLS rules 1 value V count N sha256 HEX
//	N bytes
//
// Words are separated by one space, and the line ends with a newline. Numbers are decimal without
// leading zeros, negative ones with a minus sign. The first 1 is the version of the format, the
// second the version of the rules. HEX, 64 lower-case hexadecimal digits, is the SHA-256 of the
// line without HEX, including the newline, followed by the N bytes.
//
// # Dots and Boxes and Circuit Wars
//
// GAME is dotsandboxes or circuitwars. V is the value of the empty board for the first player.
// Boards have at most 56 lines, numbered as in [grid.Board].
//
// A claim consists of a position, the side to move (the claimant or the opponent) and a number n.
// It states that from the position on, the claimant wins at least n squares more than the opponent.
// The position is the set of free lines, as a number whose bit i is set if line i is free; squares
// won before do not matter. The value follows from two claims about the empty board: the first
// player wins at least V, the second at least -V.
//
//	claimant to move:  the claim follows from the claim after one move, a byte of the body
//	opponent to move:  the claim follows from the claims after all moves
//
// If the move wins squares for the claimant, n of the next claim is smaller by their number; if it
// wins squares for the opponent, n is greater. A claim with n at most minus the number of squares
// left is true and is dropped. If n exceeds that number, the claim is false.
//
// Positions are canonical. Two positions are equivalent if a symmetry of the board maps one to the
// other, or if they differ only in which of two equivalent lines is free. Two lines are equivalent
// if each is next to only one square, the same one. The equivalent position with the smallest
// number is the canonical one. Of several claims about a position with the same side to move, the
// one with the largest n replaces the others.
//
// Each byte of the body is the number of a line: the move of one claim with the claimant to move.
// Claims are processed by free lines, most first, and by ascending number of their position. A move
// removes at least one free line, so all claims about a position are known before its turn comes.
//
// # Pairings
//
// If "value V" is followed by "pairing", the game is Circuit Wars, and the body begins with
// a byte per line, its partner. The partners prove the second claim, which is then dropped.
// No line is its own partner. The partners of the lines around a square are the lines around a
// square, for at least -V squares around the same one. The second player answers every line with
// its partner; the theorem and its proof are in cmd/checkproof.
//
// # Claims files
//
// The first line of a claims file has "claims" in place of "certificate". The body has at most 2^23
// bytes. A byte of 64+k in place of a move makes the claim a leaf: the file does not prove it. A
// search of fewer than 2^k steps proved the claim when the file was made; k is 0 if no search was
// needed. The value follows from the leaves.
//
// The certificate of a leaf has "from P" after the value; P is a position in hexadecimal. It begins
// with one claim: the player to move in P wins at least V squares more than the opponent.
//
// # Watch Your Back
//
// GAME is watchyourback, the board 4x4: the stage after the second shrink, where the rules
// have no limit of turns. The body has one byte for each position in which both sides have
// at least two pieces and no piece is surrounded: 0 for a tie, 100-d for a win in d turns,
// 156+d for a loss in d turns. V is the largest d. Positions are in ascending order of
// their number, whose base-3 digits, lowest first, are the twelve squares other than the
// corners, row by row: 0 empty, 1 own piece, 2 piece of the opponent.
//
// The values are correct if the value of each position is the best value of the positions after its
// moves, one turn later. For wins and losses this follows by induction over d. In a tie, the side
// to move can always move to another tie.
//
// # Making a certificate
//
// The solvers supply good moves; make.go follows the claims with its own rules, exactly as a checker
// does. Of several good moves it prefers one that leads to an existing claim. Except those of
// leaves, the bytes do not depend on the number of threads or the size of the transposition table.
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
	// ErrWrong is wrapped if a claim is false: the value or a solver is wrong.
	ErrWrong = errors.New("the claim is wrong")
	// ErrNone is wrapped for boards for which this package makes no certificate.
	ErrNone = errors.New("no certificate")
	// ErrRecorded is wrapped if moves of Options.Known or of a claims file do not fit the claims.
	ErrRecorded = errors.New("recorded moves do not fit")
)

// Certificate is the contents of a certificate or claims file; see the package comment.
type Certificate struct {
	Game       string
	Rows, Cols int
	Value      int
	Claims     bool
	From       uint64 // P, or 0
	Pairing    bool
	Body       []byte
}

// Options configure how a certificate is made.
type Options struct {
	Threads   int            // 0 means one
	HashBytes int64          // of the solver's transposition table; 0 means its default
	Progress  *farm.Progress // may be nil
	// Record, if not nil, is called with each new part of the body, in order; its error ends the
	// work. Known contains the complete parts recorded by an earlier run.
	Known  []byte
	Record func(moves []byte) error
	// Leaf, if positive, makes a claims file: claims about positions with at most this number of
	// free lines are leaves. With Facts, some have up to leafMargin more.
	Leaf int
	// Facts, if not nil, are proved bounds of Dots and Boxes that contain a proof of the value.
	// Moves that they prove are preferred, and leaves are not searched. Circuit Wars ignores Facts.
	Facts []Fact
}

const header = "endwise %s 1 game %s board %dx%d rules 1 value %d%s count %d sha256 %s\n"

// head returns the line of text, with digest in place of HEX.
func (c *Certificate) head(digest string) string {
	kind, more := "certificate", ""
	if c.Claims {
		kind = "claims"
	}
	switch {
	case c.From != 0:
		more = fmt.Sprintf(" from %x", c.From)
	case c.Pairing:
		more = " pairing"
	}
	return fmt.Sprintf(header, kind, c.Game, c.Rows, c.Cols, c.Value, more, len(c.Body), digest)
}

// Digest returns the certificate's HEX.
func (c *Certificate) Digest() string {
	h := sha256.New()
	io.WriteString(h, c.head(""))
	h.Write(c.Body)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Board returns the size of the board, ROWSxCOLS.
func (c *Certificate) Board() string { return fmt.Sprintf("%dx%d", c.Rows, c.Cols) }

// Encode writes the certificate file.
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

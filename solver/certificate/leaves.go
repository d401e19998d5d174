package certificate

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"endwise/engine/grid"
	"endwise/solver"
)

// leaf+k is the byte of a leaf; see the package comment.
const leaf = 64

const maxClaimsFile = 1 << 23 // maximum length of a claims file's body in bytes

// Leaf is an unproved claim: the player to move wins at least Least squares more than the opponent.
type Leaf struct {
	Position uint64
	Least    int
}

// ClaimsFile is a claims file whose value follows from its leaves.
type ClaimsFile struct {
	*Certificate
	Leaves []Leaf
	board  *grid.Board
}

var headerForm = regexp.MustCompile(`^endwise claims 1 game ([a-z]+) board ([1-9]x[1-9]) rules 1 ` +
	`value (0|-?[1-9][0-9]{0,1})( pairing)? count ([1-9][0-9]{0,6}) sha256 [0-9a-f]{64}\n`)

// ReadClaims reads a claims file about an empty board and checks, without a search, that the value
// follows from the leaves. The file is valid only if the error is nil. The error wraps [ErrRecorded]
// if bytes do not fit the claims, and [ErrWrong] if a claim is false.
func ReadClaims(ctx context.Context, r io.Reader) (*ClaimsFile, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a claims file: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(z, maxClaimsFile+256))
	if err != nil {
		return nil, fmt.Errorf("not a claims file: %w", err)
	}
	head := headerForm.FindSubmatch(text)
	if bytes.HasPrefix(text, []byte("endwise certificate ")) {
		return nil, errors.New("a certificate, not a claims file: check it with checkproof")
	}
	if head == nil {
		return nil, errors.New("not a claims file: want a first line like \"endwise claims 1 game GAME board 4x5 …\"")
	}
	c := &ClaimsFile{Certificate: &Certificate{
		Game: string(head[1]), Claims: true, Pairing: head[4] != nil, Body: text[len(head[0]):],
	}}
	if c.board, err = grid.Parse(string(head[2])); err != nil {
		return nil, fmt.Errorf("not a claims file: %w", err)
	}
	c.Rows, c.Cols = c.board.Rows, c.board.Cols
	c.Value, _ = strconv.Atoi(string(head[3])) // at most two digits
	if want := c.head(c.Digest()); want != string(head[0]) {
		return nil, errors.New("claims file: the digest or the number of claims is wrong")
	}
	g, err := c.game(Options{HashBytes: 1 << 10}) // nothing is searched
	if err != nil {
		return nil, err
	}
	var partner []byte
	if c.Pairing {
		if partner = g.pairing(-c.Value); partner == nil {
			return nil, errors.New("claims file: no pairing proves the value")
		}
	}
	g.newOracle = func() oracle { // for claims without a byte
		return func(context.Context, uint64, int) (solver.Result, error) {
			return solver.Result{}, fmt.Errorf("%w: some are missing", ErrRecorded)
		}
	}
	c.Leaves, err = g.follow(ctx, &Certificate{Value: c.Value}, partner, Options{Leaf: maxLines, Known: c.Body})
	return c, err
}

func (c *ClaimsFile) game(o Options) (g *squaresGame, err error) {
	newGame, ok := lineGames[c.Game]
	if !ok {
		return nil, fmt.Errorf("no game %q has claims files", c.Game)
	}
	return newGame(c.board, o)
}

// Solve searches the position of a leaf. The leaf is true if the lower bound is at least l.Least, and
// false if the upper bound is less. If ctx ends first, neither may hold.
func (c *ClaimsFile) Solve(ctx context.Context, l Leaf, o Options) (solver.Result, error) {
	g, err := c.game(o)
	if err != nil {
		return solver.Result{}, err
	}
	return g.newOracle()(ctx, l.Position, l.Least)
}

// Prove returns the certificate of a leaf. It is complete only if the error is nil. The error wraps
// [ErrWrong] if the leaf is false.
func (c *ClaimsFile) Prove(ctx context.Context, l Leaf, o Options) (*Certificate, error) {
	g, err := c.game(o)
	if err != nil {
		return nil, err
	}
	proved := &Certificate{Game: c.Game, Rows: c.Rows, Cols: c.Cols, Value: l.Least, From: l.Position}
	_, err = g.follow(ctx, proved, nil, o)
	return proved, err
}

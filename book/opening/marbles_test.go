package opening

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strconv"

	"endwise/engine"
)

// marbles is a game without a board, for measuring what the book itself costs:
// the players take marbles off a row, one a turn; who takes marble i scores
// i mod 3. A position is the set of marbles left, so lines transpose freely.
type marbles struct {
	left  uint64
	score [2]int
	turn  engine.Side
}

const marbleCount = 48

type marbleGame struct{}

func (marbleGame) Name() string      { return "marbles" }
func (marbleGame) Title() string     { return "Marbles" }
func (marbleGame) RulesVersion() int { return 1 }
func (marbleGame) ProofScale() int   { return 1 }
func (marbleGame) Start(string) (engine.Position, error) {
	return marbles{left: 1<<marbleCount - 1, turn: engine.First}, nil
}

func (marbleGame) Parse(s string) (engine.Position, error) {
	n, err := strconv.ParseUint(s, 16, marbleCount)
	return marbles{left: n, turn: engine.First}, err
}

func (marbleGame) FromKey(key []byte) (engine.Canonical, error) {
	if len(key) != 16 { // as long as a key of 7x7
		return nil, fmt.Errorf("key of %d bytes", len(key))
	}
	return marbles{left: binary.BigEndian.Uint64(key[8:]), turn: engine.First}, nil
}

func (p marbles) Game() string      { return "marbles" }
func (p marbles) BoardName() string { return "row" }
func (p marbles) String() string    { return strconv.FormatUint(p.left, 16) }
func (p marbles) Turn() engine.Side { return p.turn }
func (p marbles) Over() bool        { return p.left == 0 }
func (p marbles) Score() [2]int     { return p.score }
func (p marbles) Moves() []engine.Move {
	out := make([]engine.Move, 0, marbleCount)
	for x := p.left; x != 0; x &= x - 1 {
		out = append(out, engine.Move(bits.TrailingZeros64(x)))
	}
	return out
}

func (p marbles) Play(m engine.Move) (engine.Position, error) {
	if p.left>>m&1 == 0 {
		return nil, engine.ErrIllegalMove
	}
	p.left &^= 1 << m
	p.score[p.turn-1] += int(m) % 3
	p.turn = p.turn.Other()
	return p, nil
}

func (p marbles) MoveString(m engine.Move) string { return strconv.Itoa(int(m)) }

func (p marbles) ParseMove(s string) (engine.Move, error) {
	n, err := strconv.Atoi(s)
	return engine.Move(n), err
}

func (p marbles) Draw(w io.Writer, _ engine.DrawStyle) error {
	_, err := fmt.Fprintln(w, p)
	return err
}

func (p marbles) CanonicalKey(dst []byte) ([]byte, engine.Orientation) {
	return binary.BigEndian.AppendUint64(append(dst, "marbles!"...), p.left), straight{}
}

func (p marbles) Gain(next engine.Position) int { return engine.Gained(p, next) }

type straight struct{}

func (straight) ToCanonical(m engine.Move) engine.Move           { return m }
func (straight) FromCanonical(m engine.Move) (engine.Move, bool) { return m, true }

// Package plain is a second, slow implementation of the rules of Watch Your Back. It shares no code
// with package watchyourback, whose rules, tables and searches are compared with it.
package plain

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The letters of a board.
const (
	White   = 'O'
	Black   = '@'
	Corner  = 'X'
	Empty   = '-'
	Removed = '.'
)

// Numbers of turns, as in package watchyourback.
const (
	PlacingTurns = 24
	FirstShrink  = 128
	SecondShrink = 192
	QuietLimit   = 100
)

// Game is a position of Watch Your Back.
type Game struct {
	Board  [64]byte // letters, row by row from the top
	Moving bool     // the moving phase
	Turns  int      // turns played in the phase
	Quiet  int      // turns on the 4x4 board without an elimination
	Strict bool     // as in package watchyourback
}

// Move moves a piece between squares. From is -1 for a placement; both are -1 for a forfeited turn.
type Move struct{ From, To int }

func (m Move) String() string {
	switch {
	case m.To < 0:
		return "None"
	case m.From < 0:
		return fmt.Sprintf("(%d,%d)", m.To%8, m.To/8)
	}
	return fmt.Sprintf("(%d,%d)->(%d,%d)", m.From%8, m.From/8, m.To%8, m.To/8)
}

// Read parses the one-line notation of a position. It does not check whether the position is possible.
func Read(position string) (Game, error) {
	var g Game
	f := strings.Split(position, ":")
	if len(f) < 3 {
		return g, fmt.Errorf("%d fields, want ROWS:placing|moving:TURNS", len(f))
	}
	rows := strings.Split(f[0], "/")
	if len(rows) != 8 {
		return g, fmt.Errorf("%d rows, want 8", len(rows))
	}
	for y, row := range rows {
		if len(row) != 8 {
			return g, fmt.Errorf("row %d has %d letters, want 8", y, len(row))
		}
		copy(g.Board[8*y:], row)
	}
	if bad := strings.Trim(strings.Join(rows, ""), "O@X-."); bad != "" {
		return g, fmt.Errorf("letter %q: want O, @, X, - or a dot", bad[0])
	}
	if f[1] != "placing" && f[1] != "moving" {
		return g, fmt.Errorf("phase %q: want placing or moving", f[1])
	}
	g.Moving = f[1] == "moving"
	var err error
	g.Turns, err = strconv.Atoi(f[2])
	if err != nil || g.Turns < 0 || !g.Moving && g.Turns >= PlacingTurns {
		return g, fmt.Errorf("turns %q: want a count, below %d while placing", f[2], PlacingTurns)
	}
	for _, extra := range f[3:] {
		if n, ok := strings.CutPrefix(extra, "quiet="); ok {
			if g.Quiet, err = strconv.Atoi(n); err != nil || g.Quiet < 0 || g.Quiet > QuietLimit {
				return g, fmt.Errorf("field %q: want quiet=0 to quiet=%d", extra, QuietLimit)
			}
		} else if extra == "strict" {
			g.Strict = true
		} else {
			return g, fmt.Errorf("field %q: want quiet=N or strict", extra)
		}
	}
	return g, nil
}

// EmptyBoard returns the board of the moving phase after the given turns, without pieces.
func EmptyBoard(turns int) Game {
	g := Game{Moving: true, Turns: turns}
	low := 0
	switch {
	case turns >= SecondShrink:
		low = 2
	case turns >= FirstShrink:
		low = 1
	}
	high := 7 - low
	for sq := range g.Board {
		x, y := sq%8, sq/8
		switch {
		case x < low || x > high || y < low || y > high:
			g.Board[sq] = Removed
		case (x == low || x == high) && (y == low || y == high):
			g.Board[sq] = Corner
		default:
			g.Board[sq] = Empty
		}
	}
	return g
}

func (g Game) String() string {
	var b strings.Builder
	for y := range 8 {
		if y > 0 {
			b.WriteByte('/')
		}
		b.Write(g.Board[8*y : 8*y+8])
	}
	phase := "placing"
	if g.Moving {
		phase = "moving"
	}
	fmt.Fprintf(&b, ":%s:%d", phase, g.Turns)
	if g.Quiet > 0 {
		fmt.Fprintf(&b, ":quiet=%d", g.Quiet)
	}
	if g.Strict {
		b.WriteString(":strict")
	}
	return b.String()
}

// At returns the letter of a square, Removed if it is off the board.
func (g *Game) At(x, y int) byte {
	if x < 0 || x > 7 || y < 0 || y > 7 {
		return Removed
	}
	return g.Board[8*y+x]
}

// Mover returns the letter of the side to move. White begins each phase.
func (g *Game) Mover() byte {
	if g.Turns%2 == 0 {
		return White
	}
	return Black
}

func Enemy(side byte) byte {
	if side == White {
		return Black
	}
	return White
}

func (g *Game) Count(side byte) int {
	return bytes.Count(g.Board[:], []byte{side})
}

var directions = [4][2]int{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}

// Ended reports whether the game is over. value is the result for the side to move, 1, 0 or -1; 0 before
// the end.
func (g *Game) Ended() (over bool, value int) {
	if !g.Moving {
		return false, 0
	}
	own, enemy := g.Count(g.Mover()) >= 2, g.Count(Enemy(g.Mover())) >= 2
	switch {
	case own && !enemy:
		return true, 1
	case enemy && !own:
		return true, -1
	case !own && !enemy:
		return true, 0
	}
	if g.Turns < SecondShrink || g.Strict {
		return false, 0
	}
	return g.Quiet >= QuietLimit || len(g.Steps(White))+len(g.Steps(Black)) == 0, 0
}

// Moves returns the legal moves; the game must not be over.
func (g *Game) Moves() []Move {
	if g.Moving {
		if steps := g.Steps(g.Mover()); len(steps) > 0 {
			return steps
		}
		return []Move{{-1, -1}}
	}
	first, last := 0, 5
	if g.Mover() == Black {
		first, last = 2, 7
	}
	var out []Move
	for sq, c := range g.Board {
		if c == Empty && sq/8 >= first && sq/8 <= last {
			out = append(out, Move{-1, sq})
		}
	}
	return out
}

// Steps returns the steps and jumps of a side's pieces.
func (g *Game) Steps(side byte) []Move {
	var out []Move
	for sq, c := range g.Board {
		if c != side {
			continue
		}
		for _, d := range directions {
			x, y := sq%8+d[0], sq/8+d[1]
			if next := g.At(x, y); next == White || next == Black {
				x, y = x+d[0], y+d[1]
			}
			if g.At(x, y) == Empty {
				out = append(out, Move{sq, 8*y + x})
			}
		}
	}
	return out
}

// Play returns the position after a legal move.
func (g Game) Play(m Move) Game {
	before := g.Count(White) + g.Count(Black)
	if m.From >= 0 {
		g.Board[m.From] = Empty
	}
	if m.To >= 0 {
		g.enter(m.To)
	}
	if !g.Moving {
		if g.Turns++; g.Turns == PlacingTurns {
			g.Moving, g.Turns = true, 0
		}
		return g
	}
	if g.Turns >= SecondShrink && !g.Strict {
		if g.Quiet++; g.Count(White)+g.Count(Black) < before {
			g.Quiet = 0
		}
	}
	g.Turns++
	if !g.Short() && (g.Turns == FirstShrink || g.Turns == SecondShrink) {
		g.Shrink()
	}
	return g
}

func (g *Game) Short() bool { return g.Count(White) < 2 || g.Count(Black) < 2 }

// enter puts a piece of the side to move on a square.
func (g *Game) enter(to int) {
	own := g.Mover()
	enemy := Enemy(own)
	x, y := to%8, to/8
	g.Board[to] = own
	for _, d := range directions {
		far := g.At(x+2*d[0], y+2*d[1])
		if g.At(x+d[0], y+d[1]) == enemy && (far == own || far == Corner) {
			g.Board[8*(y+d[1])+x+d[0]] = Empty
		}
	}
	hostile := func(x, y int) bool { return g.At(x, y) == enemy || g.At(x, y) == Corner }
	if hostile(x-1, y) && hostile(x+1, y) || hostile(x, y-1) && hostile(x, y+1) {
		g.Board[to] = Empty
	}
}

// Shrink removes the outer ring and sets the corners of the smaller board. Turns must be FirstShrink or
// SecondShrink.
func (g *Game) Shrink() {
	low := 1 // the first remaining row and column
	if g.Turns == SecondShrink {
		low = 2
	}
	high := 7 - low
	for sq := range g.Board {
		if x, y := sq%8, sq/8; x < low || x > high || y < low || y > high {
			g.Board[sq] = Removed
		}
	}
	for _, c := range [4][2]int{{low, low}, {low, high}, {high, high}, {high, low}} {
		g.Board[8*c[1]+c[0]] = Corner
		for _, d := range directions {
			x, y := c[0]+d[0], c[1]+d[1]
			piece := g.At(x, y)
			if piece != White && piece != Black {
				continue
			}
			if far := g.At(x+d[0], y+d[1]); far == Enemy(piece) || far == Corner {
				g.Board[8*y+x] = Empty
			}
		}
	}
}

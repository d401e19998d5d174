package plain

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// The letters of a Watch Your Back board.
const (
	white   = 'O'
	black   = '@'
	corner  = 'X'
	empty   = '-'
	removed = '.'
)

// Turns of the phases, and the turns without an elimination on the 4x4 board
// after which a game that is not strict is a tie.
const (
	placingTurns = 24
	shrinkOne    = 128
	shrinkTwo    = 192
	quietTurns   = 100
)

// defaultVisits is how many positions a Watch Your Back question may visit.
const defaultVisits = 2_000_000

// WatchYourBack solves Watch Your Back positions: by plain minimax until the
// game ends or comes to a position whose value is known from value iteration,
// which are all on the 4x4 board and, with Pieces, those with little material on
// the 6x6 board. The zero value is ready.
type WatchYourBack struct {
	// Pieces is the most pieces, both sides together, for which the 6x6 board
	// is worked out by value iteration when it is first met: 4 takes seconds,
	// 5 a minute and a gigabyte; below 4 it is never done.
	Pieces int
	// Visits is the most positions a question may visit; 0 means two
	// million.
	Visits int
	// For tests, noMemory searches every line of play on its own and noTables
	// goes on with minimax on the 4x4 board.
	noMemory, noTables bool

	memory  map[question]bounds
	visits  int
	final   *finalTable
	middle  *middleTable
	refused bool
}

// bounds is what is known of a value: it is at least Lower and at most Upper.
type bounds struct{ Lower, Upper int }

// Exact says that the bounds meet.
func (b bounds) Exact() bool { return b.Lower == b.Upper }

// flip is the same from the opponent's side.
func (b bounds) flip() bounds { return bounds{-b.Upper, -b.Lower} }

// question is a position and how many turns minimax may look ahead.
type question struct {
	game  backGame
	turns int
}

// backGame is a position of Watch Your Back. It is a plain value, so that it can
// be the key of a map.
type backGame struct {
	board  [64]byte // letters, row by row from the top
	moving bool     // the moving phase
	turns  int      // turns into the phase
	quiet  int      // turns on the 4x4 board without an elimination
	strict bool     // without the ties of the 4x4 board
}

// backMove moves a piece from one square to another; from is -1 for a placement
// and both are -1 for a forfeited turn.
type backMove struct{ from, to int }

// String is the move in the game's notation.
func (m backMove) String() string {
	switch {
	case m.to < 0:
		return "None"
	case m.from < 0:
		return fmt.Sprintf("(%d,%d)", m.to%8, m.to/8)
	}
	return fmt.Sprintf("(%d,%d)->(%d,%d)", m.from%8, m.from/8, m.to%8, m.to/8)
}

// Solve implements Solver for ROWS:PHASE:TURNS[:quiet=N][:strict]. Minimax looks
// as far ahead as the second shrink from the 6x6 board, and 3 turns elsewhere;
// a value that is not decided there is refused.
func (w *WatchYourBack) Solve(position string) (Answer, error) {
	g, err := readBack(position)
	if err != nil {
		return Answer{}, fmt.Errorf("watch your back position: %w", err)
	}
	turns := 3
	if g.moving && g.turns >= shrinkOne && g.turns < shrinkTwo {
		turns = shrinkTwo - g.turns
	}
	value, moves, err := w.ask(g, turns)
	if err != nil {
		return Answer{}, fmt.Errorf("watch your back position: %w", err)
	}
	over, _ := g.ended()
	a := Answer{Value: value.Lower, Moves: map[string]int{}, Over: over}
	open := fmt.Errorf("watch your back position: not decided within %d turns: %w", turns, ErrTooLarge)
	if !value.Exact() {
		return Answer{}, open
	}
	for m, b := range moves {
		if !b.Exact() {
			return Answer{}, open
		}
		a.Moves[m] = b.Lower
	}
	return a, nil
}

// ask answers for a position and its moves.
func (w *WatchYourBack) ask(g backGame, turns int) (bounds, map[string]bounds, error) {
	w.visits, w.refused = 0, false
	if w.memory == nil || len(w.memory) > maxMemory/8 {
		w.memory = map[question]bounds{}
	}
	value := w.search(g, turns)
	moves := map[string]bounds{}
	if over, _ := g.ended(); !over && turns > 0 {
		for _, m := range g.moves() {
			moves[m.String()] = w.search(g.play(m), turns-1).flip()
		}
	}
	if w.refused {
		return bounds{}, nil, fmt.Errorf("more than %d positions to visit: %w", w.limit(), ErrTooLarge)
	}
	return value, moves, nil
}

func (w *WatchYourBack) limit() int {
	if w.Visits > 0 {
		return w.Visits
	}
	return defaultVisits
}

// search is minimax to a depth of so many turns.
func (w *WatchYourBack) search(g backGame, turns int) bounds {
	if over, v := g.ended(); over {
		return bounds{v, v}
	}
	if v, ok := w.known(g); ok {
		return bounds{v, v}
	}
	if w.visits++; w.visits > w.limit() {
		w.refused = true
	}
	if turns == 0 || w.refused {
		return bounds{-1, 1}
	}
	key := question{g, turns}
	if b, ok := w.memory[key]; ok && !w.noMemory {
		return b
	}
	best := bounds{-1, -1}
	for _, m := range g.moves() {
		b := w.search(g.play(m), turns-1).flip()
		best = bounds{max(best.Lower, b.Lower), max(best.Upper, b.Upper)}
	}
	if !w.refused && !w.noMemory {
		w.memory[key] = best
	}
	return best
}

// known looks a position up in what value iteration has worked out.
func (w *WatchYourBack) known(g backGame) (v int, ok bool) {
	if w.noTables || !g.moving || g.turns < shrinkOne {
		return 0, false
	}
	if g.turns >= shrinkTwo {
		w.needFinal()
		return w.final.value(g), true
	}
	if g.count(white)+g.count(black) > w.Pieces {
		return 0, false
	}
	w.needFinal()
	if w.middle == nil {
		w.middle = newMiddleTable(w.Pieces, w.final)
	}
	return w.middle.value(g), true
}

func (w *WatchYourBack) needFinal() {
	if w.final == nil {
		w.final = newFinalTable()
	}
}

// readBack takes the notation apart.
func readBack(position string) (backGame, error) {
	var g backGame
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
		copy(g.board[8*y:], row)
	}
	if bad := strings.Trim(strings.Join(rows, ""), "O@X-."); bad != "" {
		return g, fmt.Errorf("letter %q: want O, @, X, - or a dot", bad[0])
	}
	if f[1] != "placing" && f[1] != "moving" {
		return g, fmt.Errorf("phase %q: want placing or moving", f[1])
	}
	g.moving = f[1] == "moving"
	var err error
	if g.turns, err = strconv.Atoi(f[2]); err != nil || g.turns < 0 || !g.moving && g.turns >= placingTurns {
		return g, fmt.Errorf("turns %q: want a count, below %d while placing", f[2], placingTurns)
	}
	for _, extra := range f[3:] {
		if n, ok := strings.CutPrefix(extra, "quiet="); ok {
			if g.quiet, err = strconv.Atoi(n); err != nil || g.quiet < 0 || g.quiet > quietTurns {
				return g, fmt.Errorf("field %q: want quiet=0 to quiet=%d", extra, quietTurns)
			}
		} else if extra == "strict" {
			g.strict = true
		} else {
			return g, fmt.Errorf("field %q: want quiet=N or strict", extra)
		}
	}
	return g, nil
}

// at is the letter of a square, removed for those off the board.
func (g *backGame) at(x, y int) byte {
	if x < 0 || x > 7 || y < 0 || y > 7 {
		return removed
	}
	return g.board[8*y+x]
}

// mover is the letter of the side to move: White begins each phase.
func (g *backGame) mover() byte {
	if g.turns%2 == 0 {
		return white
	}
	return black
}

func enemyOf(side byte) byte {
	if side == white {
		return black
	}
	return white
}

// count is the number of pieces of a side.
func (g *backGame) count(side byte) int {
	return bytes.Count(g.board[:], []byte{side})
}

var directions = [4][2]int{{0, -1}, {0, 1}, {-1, 0}, {1, 0}}

// ended says whether the game is over, and its value for the side to move.
func (g *backGame) ended() (over bool, value int) {
	if !g.moving {
		return false, 0
	}
	own, enemy := g.count(g.mover()) >= 2, g.count(enemyOf(g.mover())) >= 2
	switch {
	case own && !enemy:
		return true, 1
	case enemy && !own:
		return true, -1
	case !own && !enemy:
		return true, 0
	}
	if g.turns < shrinkTwo || g.strict {
		return false, 0
	}
	return g.quiet >= quietTurns || len(g.steps(white))+len(g.steps(black)) == 0, 0
}

// moves lists the legal moves of the side to move.
func (g *backGame) moves() []backMove {
	if g.moving {
		if steps := g.steps(g.mover()); len(steps) > 0 {
			return steps
		}
		return []backMove{{-1, -1}}
	}
	first, last := 0, 5
	if g.mover() == black {
		first, last = 2, 7
	}
	var out []backMove
	for sq, c := range g.board {
		if c == empty && sq/8 >= first && sq/8 <= last {
			out = append(out, backMove{-1, sq})
		}
	}
	return out
}

// steps lists the steps and jumps of a side's pieces.
func (g *backGame) steps(side byte) []backMove {
	var out []backMove
	for sq, c := range g.board {
		if c != side {
			continue
		}
		for _, d := range directions {
			x, y := sq%8+d[0], sq/8+d[1]
			if next := g.at(x, y); next == white || next == black {
				x, y = x+d[0], y+d[1]
			}
			if g.at(x, y) == empty {
				out = append(out, backMove{sq, 8*y + x})
			}
		}
	}
	return out
}

// play is the position after a legal move.
func (g backGame) play(m backMove) backGame {
	before := g.count(white) + g.count(black)
	if m.from < 0 {
		before++ // a placed piece that dies at once was eliminated as well
	} else {
		g.board[m.from] = empty
	}
	if m.to >= 0 {
		g.enter(m.to)
	} else {
		before--
	}
	if !g.moving {
		if g.turns++; g.turns == placingTurns {
			g.moving, g.turns = true, 0
		}
		return g
	}
	if g.turns >= shrinkTwo && !g.strict {
		if g.quiet++; g.count(white)+g.count(black) < before {
			g.quiet = 0
		}
	}
	g.turns++
	if !g.short() && (g.turns == shrinkOne || g.turns == shrinkTwo) {
		g.shrink()
	}
	return g
}

// short says that a side has fewer than two pieces.
func (g *backGame) short() bool { return g.count(white) < 2 || g.count(black) < 2 }

// enter puts a piece of the side to move on a square and eliminates.
func (g *backGame) enter(to int) {
	own := g.mover()
	enemy := enemyOf(own)
	x, y := to%8, to/8
	g.board[to] = own
	for _, d := range directions {
		behind := g.at(x+2*d[0], y+2*d[1])
		if g.at(x+d[0], y+d[1]) == enemy && (behind == own || behind == corner) {
			g.board[8*(y+d[1])+x+d[0]] = empty
		}
	}
	hostile := func(x, y int) bool { return g.at(x, y) == enemy || g.at(x, y) == corner }
	if hostile(x-1, y) && hostile(x+1, y) || hostile(x, y-1) && hostile(x, y+1) {
		g.board[to] = empty
	}
}

// shrink removes the outer ring and sets the corners of the smaller board.
func (g *backGame) shrink() {
	low := 1 // the first row and column that stay
	if g.turns == shrinkTwo {
		low = 2
	}
	high := 7 - low
	for sq := range g.board {
		if x, y := sq%8, sq/8; x < low || x > high || y < low || y > high {
			g.board[sq] = removed
		}
	}
	for _, c := range [4][2]int{{low, low}, {low, high}, {high, high}, {high, low}} {
		g.board[8*c[1]+c[0]] = corner
		for _, d := range directions {
			x, y := c[0]+d[0], c[1]+d[1]
			piece := g.at(x, y)
			if piece != white && piece != black {
				continue
			}
			if far := g.at(x+d[0], y+d[1]); far == enemyOf(piece) || far == corner {
				g.board[8*y+x] = empty
			}
		}
	}
}

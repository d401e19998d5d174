package plain

import (
	"slices"

	rules "endwise/engine/watchyourback/plain"
)

// Value iteration covers the two stages of Watch Your Back that are too deep for minimax: the 4x4
// board, where play can cycle, and up to 64 turns on the 6x6 board with few pieces. In both tables,
// own pieces are 1, the opponent's 2.

// emptySquares returns the squares that can be occupied after a number of moving turns.
func emptySquares(turns int) []int {
	var out []int
	for sq, c := range rules.EmptyBoard(turns).Board {
		if c == rules.Empty {
			out = append(out, sq)
		}
	}
	return out
}

// finalTable contains the placements on the twelve squares of the 4x4 board, numbered in base 3.
type finalTable struct {
	squares []int
	over    []bool  // by position: one side has too few pieces
	worth   []int8  // by position: the value if over, otherwise 0
	blocked []bool  // by position: neither side can move
	first   []int32 // by position: index of the first move in next and quiet
	next    []int32 // by move: the position after it
	quiet   []bool  // by move: it eliminates no piece

	forced   []int8   // by position: the value without the limit of quiet turns
	distance []uint8  // by position: turns to a forced win or loss, otherwise 0
	limited  [][]int8 // by number of quiet turns, 0..rules.QuietLimit, and position: the value
}

func (t *finalTable) code(g rules.Game) int32 {
	own := g.Mover()
	code := int32(0)
	for _, sq := range t.squares {
		code *= 3
		switch g.Board[sq] {
		case own:
			code++
		case rules.Enemy(own):
			code += 2
		}
	}
	return code
}

// game returns the position with a number, with White to move.
func (t *finalTable) game(code int32) rules.Game {
	g := rules.EmptyBoard(rules.SecondShrink)
	for i := len(t.squares) - 1; i >= 0; i-- {
		g.Board[t.squares[i]] = [3]byte{rules.Empty, rules.White, rules.Black}[code%3]
		code /= 3
	}
	return g
}

func newFinalTable() *finalTable {
	t := &finalTable{squares: emptySquares(rules.SecondShrink)}
	size := 1
	for range t.squares {
		size *= 3
	}
	t.over, t.worth, t.blocked = make([]bool, size), make([]int8, size), make([]bool, size)
	t.first = make([]int32, size+1)
	for code := range int32(size) {
		g := t.game(code)
		if t.over[code] = g.Short(); t.over[code] {
			_, v := g.Ended()
			t.worth[code] = int8(v)
		} else {
			pieces := g.Count(rules.White) + g.Count(rules.Black)
			t.blocked[code] = len(g.Steps(rules.White))+len(g.Steps(rules.Black)) == 0
			for _, m := range g.Moves() {
				after := g.Play(m)
				t.next = append(t.next, t.code(after))
				t.quiet = append(t.quiet, after.Count(rules.White)+after.Count(rules.Black) == pieces)
			}
		}
		t.first[code+1] = int32(len(t.next))
	}
	t.solveStrict()
	t.solveLimited()
	return t
}

// solveStrict sets forced and distance: it computes the results that can be forced within n turns,
// for n = 0, 1, 2, …, until one more turn changes nothing. All other positions are ties.
func (t *finalTable) solveStrict() {
	size := len(t.over)
	now, after := slices.Clone(t.worth), make([]int8, size)
	t.distance = make([]uint8, size)
	for n := uint8(1); ; n++ {
		changed := false
		for code := range after {
			after[code] = now[code]
			if t.over[code] {
				continue
			}
			best := int8(-1)
			for _, c := range t.next[t.first[code]:t.first[code+1]] {
				best = max(best, -now[c])
			}
			if after[code] = best; best != now[code] {
				t.distance[code] = n
				changed = true
			}
		}
		now, after = after, now
		if !changed {
			t.forced = now
			return
		}
	}
}

// solveLimited sets limited, by the rules that declare a tie if both sides are blocked or after
// rules.QuietLimit turns without an elimination. Positions with fewer pieces are computed first,
// and for each number of pieces, more quiet turns first. If two successive numbers of quiet turns
// have the same values, all lower numbers have these values too.
func (t *finalTable) solveLimited() {
	size := len(t.over)
	byPieces := make([][]int32, len(t.squares)+1)
	for code := range int32(size) {
		pieces := 0
		for c := code; c > 0; c /= 3 {
			if c%3 > 0 {
				pieces++
			}
		}
		byPieces[pieces] = append(byPieces[pieces], code)
	}
	t.limited = make([][]int8, rules.QuietLimit+1)
	for q := range t.limited {
		t.limited[q] = make([]int8, size)
	}
	for _, codes := range byPieces {
		for _, code := range codes {
			t.limited[rules.QuietLimit][code] = t.worth[code] // 0 unless over
		}
		same := false
		for q := rules.QuietLimit - 1; q >= 0; q-- {
			if same {
				for _, code := range codes {
					t.limited[q][code] = t.limited[q+1][code]
				}
				continue
			}
			same = q < rules.QuietLimit-1
			for _, code := range codes {
				v := t.limitedValue(code, q)
				same = same && v == t.limited[q+1][code]
				t.limited[q][code] = v
			}
		}
	}
}

// limitedValue returns the value of a position after fewer than rules.QuietLimit quiet turns.
// t.limited must contain the values of the positions after the moves.
func (t *finalTable) limitedValue(code int32, quiet int) int8 {
	if t.over[code] {
		return t.worth[code]
	}
	if t.blocked[code] {
		return 0
	}
	best := int8(-1)
	for i := t.first[code]; i < t.first[code+1]; i++ {
		after := 0
		if t.quiet[i] {
			after = quiet + 1
		}
		best = max(best, -t.limited[after][t.next[i]])
	}
	return best
}

func (t *finalTable) value(g rules.Game) int {
	if g.Strict {
		return int(t.forced[t.code(g)])
	}
	return int(t.limited[g.Quiet][t.code(g)])
}

// middleTable contains the positions of the 6x6 board with at least two pieces on each side and a
// limited total. Layer r contains their values with r turns left to the second shrink, layer 0
// those after the shrink.
type middleTable struct {
	squares []int
	final   *finalTable
	number  map[string]int32
	names   []string          // a character per square: '-' empty, '1' own, '2' enemy
	first   []int32           // by position: index of its first move in next
	next    []int32           // by move: the position after it, or over plus its value
	layers  map[bool][][]int8 // by strict rules, turns left and position: the value
}

// over+v in middleTable.next is a finished game with the value v for its side to move.
const over = -10

func (t *middleTable) name(g rules.Game) string {
	own := g.Mover()
	b := make([]byte, len(t.squares))
	for i, sq := range t.squares {
		switch g.Board[sq] {
		case own:
			b[i] = '1'
		case rules.Enemy(own):
			b[i] = '2'
		default:
			b[i] = rules.Empty
		}
	}
	return string(b)
}

// game returns the named position after an even number of moving turns: White is to move.
func (t *middleTable) game(name string, turns int) rules.Game {
	g := rules.EmptyBoard(rules.FirstShrink)
	g.Turns = turns
	for i, sq := range t.squares {
		switch name[i] {
		case '1':
			g.Board[sq] = rules.White
		case '2':
			g.Board[sq] = rules.Black
		}
	}
	return g
}

func newMiddleTable(pieces int, final *finalTable) *middleTable {
	t := &middleTable{squares: emptySquares(rules.FirstShrink), final: final, number: map[string]int32{}, layers: map[bool][][]int8{}}
	t.list(make([]byte, 0, len(t.squares)), 0, 0, pieces)
	t.first = []int32{0}
	for _, name := range t.names {
		g := t.game(name, rules.FirstShrink)
		for _, m := range g.Moves() {
			after := g.Play(m)
			if ended, v := after.Ended(); ended {
				t.next = append(t.next, int32(over+v))
			} else {
				t.next = append(t.next, t.number[t.name(after)])
			}
		}
		t.first = append(t.first, int32(len(t.next)))
	}
	return t
}

// list appends to t.names all positions with at most the given number of pieces whose names begin
// with b. own and enemy are the numbers of pieces in b.
func (t *middleTable) list(b []byte, own, enemy, pieces int) {
	if own+enemy > pieces {
		return
	}
	if len(b) == len(t.squares) {
		if own >= 2 && enemy >= 2 {
			t.number[string(b)] = int32(len(t.names))
			t.names = append(t.names, string(b))
		}
		return
	}
	t.list(append(b, rules.Empty), own, enemy, pieces)
	t.list(append(b, '1'), own+1, enemy, pieces)
	t.list(append(b, '2'), own, enemy+1, pieces)
}

func (t *middleTable) value(g rules.Game) int {
	return t.at(t.name(g), rules.SecondShrink-g.Turns, g.Strict)
}

// at returns the value of the named position with a number of turns left to the second shrink. It
// computes missing layers.
func (t *middleTable) at(name string, turns int, strict bool) int {
	for len(t.layers[strict]) <= turns {
		t.addLayer(strict)
	}
	return int(t.layers[strict][turns][t.number[name]])
}

// addLayer computes the next layer, which has one more turn left.
func (t *middleTable) addLayer(strict bool) {
	layers, layer := t.layers[strict], make([]int8, len(t.names))
	for i := range layer {
		if len(layers) == 0 {
			layer[i] = t.shrunkValue(t.names[i], strict)
			continue
		}
		layer[i] = -1
		for _, n := range t.next[t.first[i]:t.first[i+1]] {
			if n < 0 {
				layer[i] = max(layer[i], -int8(n-over))
			} else {
				layer[i] = max(layer[i], -layers[len(layers)-1][n])
			}
		}
	}
	t.layers[strict] = append(layers, layer)
}

// shrunkValue returns the value of the named position just after the second shrink.
func (t *middleTable) shrunkValue(name string, strict bool) int8 {
	g := t.game(name, rules.SecondShrink)
	g.Strict = strict
	g.Shrink()
	if ended, v := g.Ended(); ended {
		return int8(v)
	}
	return int8(t.final.value(g))
}

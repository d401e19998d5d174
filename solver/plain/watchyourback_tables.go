package plain

import rules "endwise/engine/watchyourback/plain"

// Value iteration for the two places of Watch Your Back that minimax can't
// look through: the 4x4 board, where play may go round in circles, and up to 64
// turns on the 6x6 board with little material. Both keep every position as the
// side to move sees it: own pieces 1, the opponent's 2.

// emptySquares are the squares that a piece may stand on after so many turns.
func emptySquares(turns int) []int {
	var out []int
	for sq, c := range rules.EmptyBoard(turns).Board {
		if c == rules.Empty {
			out = append(out, sq)
		}
	}
	return out
}

// finalTable holds the 531,441 ways to fill the twelve squares of the 4x4 board,
// numbered by the ternary number that the squares spell.
type finalTable struct {
	squares []int
	over    []bool  // the game has ended, ties of the 4x4 board aside
	worth   []int8  // and its value then
	blocked []bool  // neither side can move
	first   []int32 // where the positions that follow begin in next
	next    []int32 // numbers of the positions after each move
	quiet   []bool  // whether the move eliminated nobody

	forced   []int8   // value when play may go on for ever
	distance []uint8  // turns to a forced win or loss, 0 for a tie
	limited  [][]int8 // value by the turns without an elimination, 0..100
}

// code is a position's number.
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

// game is the position of a number, with White to move.
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
	t.playForEver()
	t.playWithLimit()
	return t
}

// playForEver gives the values of strict games: what can be forced within n
// turns, for n = 0, 1, 2, … until one more turn changes nothing, hence none
// ever will. What nobody can force goes on for ever: a tie.
func (t *finalTable) playForEver() {
	size := len(t.over)
	now, after := make([]int8, size), make([]int8, size)
	t.distance = make([]uint8, size)
	for code := range now {
		now[code] = t.worth[code]
	}
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

// playWithLimit gives the values of games that are a tie when both sides are
// blocked or after rules.QuietLimit turns without an elimination. A move without an
// elimination leads to the next count of quiet turns, one with an elimination
// to count 0 with fewer pieces; hence fewer pieces first, and of the same number
// of pieces the highest count first. When two counts in a row have the same
// values, so have all lower ones.
func (t *finalTable) playWithLimit() {
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

func (t *finalTable) limitedValue(code int32, quiet int) int8 {
	if t.over[code] {
		return t.worth[code]
	}
	if t.blocked[code] {
		return 0
	}
	best := int8(-1)
	for i := t.first[code]; i < t.first[code+1]; i++ {
		count := 0
		if t.quiet[i] {
			count = quiet + 1
		}
		best = max(best, -t.limited[count][t.next[i]])
	}
	return best
}

// value looks up a position of the 4x4 board that is not over.
func (t *finalTable) value(g rules.Game) int {
	if g.Strict {
		return int(t.forced[t.code(g)])
	}
	return int(t.limited[g.Quiet][t.code(g)])
}

// middleTable holds the positions of the 6x6 board in which both sides have at
// least two pieces and together at most so many: the value of each by the turns
// left to the second shrink. Plane 0 is the value after the shrink; plane r
// follows from plane r-1 by one turn.
type middleTable struct {
	squares []int
	final   *finalTable
	number  map[string]int32 // by what stands on the squares: '-', '1' own, '2' enemy
	names   []string
	first   []int32
	next    []int32     // the position after each move, or over + its value for the side to move then
	planes  [2][][]int8 // by strict, then turns left, then number
}

// over in next marks a finished game: over-1 lost, over tied, over+1 won.
const over = -10

// name is what the side to move sees.
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

// game is a position by its name, with White to move after so many turns.
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
	t := &middleTable{squares: emptySquares(rules.FirstShrink), final: final, number: map[string]int32{}}
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

// list numbers every way to fill the squares from the end of b on.
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

// value looks up a position of the 6x6 board that is not over.
func (t *middleTable) value(g rules.Game) int {
	return t.at(t.name(g), rules.SecondShrink-g.Turns, g.Strict)
}

// at is the value of a position with so many turns left.
func (t *middleTable) at(name string, left int, strict bool) int {
	set := 0
	if strict {
		set = 1
	}
	for len(t.planes[set]) <= left {
		t.addPlane(set, strict)
	}
	return int(t.planes[set][left][t.number[name]])
}

// addPlane works out the values with one more turn left.
func (t *middleTable) addPlane(set int, strict bool) {
	plane := make([]int8, len(t.names))
	if len(t.planes[set]) == 0 {
		for i, name := range t.names {
			g := t.game(name, rules.SecondShrink)
			g.Strict = strict
			g.Shrink()
			if ended, v := g.Ended(); ended {
				plane[i] = int8(v)
			} else {
				plane[i] = int8(t.final.value(g))
			}
		}
	} else {
		last := t.planes[set][len(t.planes[set])-1]
		for i := range plane {
			best := int8(-1)
			for _, n := range t.next[t.first[i]:t.first[i+1]] {
				if n < 0 {
					best = max(best, -int8(n-over))
				} else {
					best = max(best, -last[n])
				}
			}
			plane[i] = best
		}
	}
	t.planes[set] = append(t.planes[set], plane)
}

// Package plain states the rules of Watch Your Back once more, in the slowest
// and most obvious way: a map of squares, one rule after the other, nothing
// shared with the bitboards. It is the oracle that the fast rules and the
// tables are compared with, in tests and by the verification of a solve.
package plain

// Square is a square, X the column and Y the row from the top-left corner.
type Square struct{ X, Y int }

// Owners of squares in a Board.
const (
	White  = 'O'
	Black  = '@'
	Corner = 'X'
	Empty  = '-'
)

// Board maps every square that is still on the board to its letter.
type Board map[Square]byte

// Action is a placement (To alone), a step or jump, or a forfeit.
type Action struct {
	From, To Square
	Place    bool
	Forfeit  bool
}

// State is a state of the game.
type State struct {
	Board  Board
	Moving bool
	Turns  int
	Over   bool
	Winner byte // White, Black, or 0 for none
}

// Start is the empty board before the first placement.
func Start() State {
	s := State{Board: Board{}}
	for y := range 8 {
		for x := range 8 {
			s.Board[Square{x, y}] = Empty
		}
	}
	for _, c := range [4]Square{{0, 0}, {0, 7}, {7, 7}, {7, 0}} {
		s.Board[c] = Corner
	}
	return s
}

// Mover is the side to move.
func (s State) Mover() byte {
	if s.Turns%2 == 0 {
		return White
	}
	return Black
}

// Enemy is the other side.
func Enemy(side byte) byte {
	if side == White {
		return Black
	}
	return White
}

func around(s Square) [4]Square {
	return [4]Square{{s.X, s.Y - 1}, {s.X + 1, s.Y}, {s.X, s.Y + 1}, {s.X - 1, s.Y}}
}

func opposite(from, middle Square) Square {
	return Square{2*middle.X - from.X, 2*middle.Y - from.Y}
}

// Actions lists the legal actions, a forfeit where there is nothing else.
func (s State) Actions() []Action {
	var out []Action
	if s.Over {
		return nil
	}
	for y := range 8 {
		for x := range 8 {
			q := Square{x, y}
			if !s.Moving {
				home := s.Mover() == White && y <= 5 || s.Mover() == Black && y >= 2
				if s.Board[q] == Empty && home {
					out = append(out, Action{To: q, Place: true})
				}
				continue
			}
			if s.Board[q] != s.Mover() {
				continue
			}
			for _, n := range around(q) {
				switch s.Board[n] {
				case Empty:
					out = append(out, Action{From: q, To: n})
				case White, Black:
					if far := opposite(q, n); s.Board[far] == Empty {
						out = append(out, Action{From: q, To: far})
					}
				}
			}
		}
	}
	if s.Moving && len(out) == 0 {
		out = append(out, Action{Forfeit: true})
	}
	return out
}

// Count is the number of pieces of a side.
func (s State) Count(side byte) int {
	n := 0
	for _, c := range s.Board {
		if c == side {
			n++
		}
	}
	return n
}

// Do plays a legal action.
func (s State) Do(a Action) State {
	me := s.Mover()
	b := Board{}
	for q, c := range s.Board {
		b[q] = c
	}
	s.Board = b
	if !a.Forfeit {
		if !a.Place {
			b[a.From] = Empty
		}
		b[a.To] = me
		s.eliminate(a.To)
	}
	s.Turns++
	if !s.Moving {
		if s.Turns == 24 {
			s.Moving, s.Turns = true, 0
			s.end()
		}
		return s
	}
	s.end()
	if !s.Over && (s.Turns == 128 || s.Turns == 192) {
		s.shrink()
		s.end()
	}
	return s
}

func (s *State) eliminate(at Square) {
	b := s.Board
	me, enemy := b[at], Enemy(b[at])
	for _, n := range around(at) {
		far := opposite(at, n)
		if b[n] == enemy && (b[far] == me || b[far] == Corner) {
			b[n] = Empty
		}
	}
	hostile := func(q Square) bool { return b[q] == enemy || b[q] == Corner }
	n := around(at)
	if hostile(n[0]) && hostile(n[2]) || hostile(n[1]) && hostile(n[3]) {
		b[at] = Empty
	}
}

func (s *State) shrink() {
	low, high := 1, 6
	if s.Turns == 192 {
		low, high = 2, 5
	}
	for q := range s.Board {
		if q.X < low || q.X > high || q.Y < low || q.Y > high {
			delete(s.Board, q)
		}
	}
	for _, c := range [4]Square{{low, low}, {low, high}, {high, high}, {high, low}} {
		s.Board[c] = Corner
		for _, n := range around(c) {
			side := s.Board[n]
			if side != White && side != Black {
				continue
			}
			if far := s.Board[opposite(c, n)]; far == Enemy(side) || far == Corner {
				s.Board[n] = Empty
			}
		}
	}
}

func (s *State) end() {
	w, b := s.Count(White) < 2, s.Count(Black) < 2
	s.Over = w || b
	if w && !b {
		s.Winner = Black
	}
	if b && !w {
		s.Winner = White
	}
}

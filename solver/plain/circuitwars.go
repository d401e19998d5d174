package plain

import (
	"fmt"
	"strconv"
	"strings"
)

// CircuitWars solves Circuit Wars positions by plain minimax. The zero value is
// ready.
type CircuitWars struct {
	// MaxFree is the most free segments of a position that is answered; 0
	// means 20.
	MaxFree int
	// noMemory searches every line of play to its end, for tests.
	noMemory bool

	size   string // the board that board and memory belong to
	board  *lattice
	memory map[segments]int
}

// Solve implements Solver for SIZE:SEGMENTS:SCORES:TURN[:OWNERS].
func (c *CircuitWars) Solve(position string) (Answer, error) {
	s, err := c.read(position)
	if err != nil {
		return Answer{}, fmt.Errorf("circuit wars position: %w", err)
	}
	limit := c.MaxFree
	if limit == 0 {
		limit = defaultFree
		if c.noMemory {
			limit = defaultFreeBare
		}
	}
	if err := tooManyFree(s.free(), limit); err != nil {
		return Answer{}, fmt.Errorf("circuit wars position: %w", err)
	}
	a := Answer{Value: c.value(s), Moves: map[string]int{}, Over: s.free() == 0}
	for i := range s {
		if s[i] == '.' {
			next, gain := c.take(s, i)
			a.Moves[c.name(i)] = gain - c.value(next)
		}
	}
	return a, nil
}

// read takes the notation apart. Scores, turn and owners don't matter: what can
// still be won depends on the free segments alone.
func (c *CircuitWars) read(position string) (segments, error) {
	f := strings.Split(position, ":")
	if len(f) < 4 || len(f) > 5 {
		return "", fmt.Errorf("%d fields, want SIZE:SEGMENTS:SCORES:TURN[:OWNERS]", len(f))
	}
	if c.board == nil || c.size != f[0] {
		b, err := newLattice(f[0])
		if err != nil {
			return "", err
		}
		c.size, c.board, c.memory = f[0], b, map[segments]int{}
	}
	n := len(c.board.sides)
	var bits strings.Builder
	for i := range f[1] {
		d, err := strconv.ParseUint(f[1][i:i+1], 16, 8)
		if err != nil {
			return "", fmt.Errorf("segments: character %d is %q, want a hexadecimal digit", i+1, f[1][i])
		}
		fmt.Fprintf(&bits, "%04b", d)
	}
	text := bits.String()
	if len(text) != (n+3)/4*4 || strings.Contains(text[n:], "1") {
		return "", fmt.Errorf("segments %q: want %d digits for %d segments", f[1], (n+3)/4, n)
	}
	s := segments(strings.NewReplacer("0", ".", "1", "#").Replace(text[:n]))
	s, _ = c.settle(s)
	return s, nil
}

// settle finds the squares that the outside still reaches through free
// segments; free segments of all other squares are gone.
func (c *CircuitWars) settle(s segments) (after segments, open int) {
	reached := make([]bool, len(c.board.around))
	var border []int
	visit := func(segment int) {
		for _, sq := range c.board.sides[segment] {
			if sq >= 0 && !reached[sq] {
				reached[sq] = true
				border = append(border, sq)
			}
		}
	}
	for i, ends := range c.board.sides {
		if s[i] == '.' && (ends[0] < 0 || ends[1] < 0) {
			visit(i)
		}
	}
	for len(border) > 0 {
		sq := border[len(border)-1]
		border = border[:len(border)-1]
		open++
		for _, i := range c.board.around[sq] {
			if s[i] == '.' {
				visit(i)
			}
		}
	}
	out := []byte(s)
	for sq, ok := range reached {
		if !ok {
			for _, i := range c.board.around[sq] {
				out[i] = '#'
			}
		}
	}
	return segments(out), open
}

// take plays segment i and says how many squares that closes.
func (c *CircuitWars) take(s segments, i int) (next segments, gain int) {
	_, before := c.settle(s)
	next, after := c.settle(s.without(i))
	return next, before - after
}

// value is the best of all moves: what a move closes, minus what the opponent
// can make of the rest.
func (c *CircuitWars) value(s segments) int {
	if v, ok := c.memory[s]; ok && !c.noMemory {
		return v
	}
	best, moved := 0, false
	for i := range s {
		if s[i] != '.' {
			continue
		}
		next, gain := c.take(s, i)
		if v := gain - c.value(next); !moved || v > best {
			best, moved = v, true
		}
	}
	if c.noMemory {
		return best
	}
	if len(c.memory) >= maxMemory {
		clear(c.memory)
	}
	c.memory[s] = best
	return best
}

// name is a segment's "x,y,border" by its square with the lower number.
func (c *CircuitWars) name(i int) string {
	sq := c.board.sides[i][0]
	horizontal := i < (c.board.rows+1)*c.board.cols
	border := "right"
	if horizontal {
		border = "bottom"
	}
	if sq < 0 { // nothing above or to the left: the segment starts a board's edge
		sq = c.board.sides[i][1]
		border = "left"
		if horizontal {
			border = "top"
		}
	}
	return fmt.Sprintf("%d,%d,%s", sq%c.board.cols, sq/c.board.cols, border)
}

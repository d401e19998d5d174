package plain

import (
	"fmt"
	"strings"
)

// DotsAndBoxes solves Dots and Boxes positions by plain minimax. The zero value
// is ready.
type DotsAndBoxes struct {
	// MaxFree is the most free lines of a position that is answered; 0 means
	// 20.
	MaxFree int
	// noMemory searches every line of play to its end, for tests.
	noMemory bool

	size   string // the board that board and memory belong to
	board  *lattice
	memory map[segments]int
}

// Solve implements Solver for "SIZE hROWS vROWS SCORE TURN [oOWNERS]".
func (d *DotsAndBoxes) Solve(position string) (Answer, error) {
	s, err := d.read(position)
	if err != nil {
		return Answer{}, fmt.Errorf("dots and boxes position: %w", err)
	}
	limit := d.MaxFree
	if limit == 0 {
		limit = defaultFree
		if d.noMemory {
			limit = defaultFreeBare
		}
	}
	if err := tooManyFree(s.free(), limit); err != nil {
		return Answer{}, fmt.Errorf("dots and boxes position: %w", err)
	}
	a := Answer{Value: d.value(s), Moves: map[string]int{}, Over: s.free() == 0}
	for i := range s {
		if s[i] == '.' {
			a.Moves[d.name(i)] = d.after(s, i)
		}
	}
	return a, nil
}

// read takes the notation apart; score, turn and owners don't matter.
func (d *DotsAndBoxes) read(position string) (segments, error) {
	f := strings.Fields(position)
	if len(f) < 3 || !strings.HasPrefix(f[1], "h") || !strings.HasPrefix(f[2], "v") {
		return "", fmt.Errorf("%.80q: want SIZE hROWS vROWS SCORE TURN", position)
	}
	if d.board == nil || d.size != f[0] {
		b, err := newLattice(f[0])
		if err != nil {
			return "", err
		}
		d.size, d.board, d.memory = f[0], b, map[segments]int{}
	}
	h, v := strings.Split(f[1][1:], "/"), strings.Split(f[2][1:], "/")
	if len(h) != d.board.rows+1 || len(v) != d.board.rows {
		return "", fmt.Errorf("%d rows of h lines and %d of v lines, a %s board has %d and %d",
			len(h), len(v), d.size, d.board.rows+1, d.board.rows)
	}
	for _, r := range h {
		if len(r) != d.board.cols {
			return "", fmt.Errorf("row of h lines %q: want %d digits", r, d.board.cols)
		}
	}
	for _, r := range v {
		if len(r) != d.board.cols+1 {
			return "", fmt.Errorf("row of v lines %q: want %d digits", r, d.board.cols+1)
		}
	}
	lines := strings.Join(h, "") + strings.Join(v, "")
	if strings.Trim(lines, "01") != "" {
		return "", fmt.Errorf("lines %q: want 0 for a free line, 1 for a drawn one", lines)
	}
	return segments(strings.NewReplacer("0", ".", "1", "#").Replace(lines)), nil
}

// after is what drawing line i is worth: with a box completed the same player
// moves again, without one the opponent does.
func (d *DotsAndBoxes) after(s segments, i int) int {
	if boxes := d.completes(s, i); boxes > 0 {
		return boxes + d.value(s.without(i))
	}
	return -d.value(s.without(i))
}

// completes counts the boxes that line i completes.
func (d *DotsAndBoxes) completes(s segments, i int) (boxes int) {
	next := s.without(i)
	for _, box := range d.board.sides[i] {
		if box < 0 {
			continue
		}
		complete := true
		for _, line := range d.board.around[box] {
			complete = complete && next[line] == '#'
		}
		if complete {
			boxes++
		}
	}
	return boxes
}

// value is the best of all lines that can be drawn.
func (d *DotsAndBoxes) value(s segments) int {
	if v, ok := d.memory[s]; ok && !d.noMemory {
		return v
	}
	best, moved := 0, false
	for i := range s {
		if s[i] == '.' {
			if v := d.after(s, i); !moved || v > best {
				best, moved = v, true
			}
		}
	}
	if d.noMemory {
		return best
	}
	if len(d.memory) >= maxMemory {
		clear(d.memory)
	}
	d.memory[s] = best
	return best
}

// name is "h2,0" for the horizontal line at row line 2 of column 0, "v2,0" for
// the vertical one in row 2 at column line 0.
func (d *DotsAndBoxes) name(i int) string {
	if h := (d.board.rows + 1) * d.board.cols; i >= h {
		i -= h
		return fmt.Sprintf("v%d,%d", i/(d.board.cols+1), i%(d.board.cols+1))
	}
	return fmt.Sprintf("h%d,%d", i/d.board.cols, i%d.board.cols)
}

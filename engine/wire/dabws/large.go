package dabws

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"endwise/engine/grid"
)

const maxLargeSide = 64

// largeBoard is an immutable position on a board that is larger than package grid supports. It is
// played by three rules: complete a box; otherwise draw a line that does not add a third side to a
// box; otherwise open the shortest chain. Lines are numbered as in package grid.
type largeBoard struct {
	rows, cols int
	lines      []bool // whether a line is drawn, indexed by number
	left       int    // number of lines not drawn
	turn       int
	scores     [2]int
}

// newLargeBoard returns an empty board, or an error if a side is not 1 to maxLargeSide.
func newLargeBoard(rows, cols int) (largeBoard, error) {
	if rows < 1 || cols < 1 || rows > maxLargeSide || cols > maxLargeSide {
		return largeBoard{}, fmt.Errorf("board %dx%d: sides must be 1 to %d", rows, cols, maxLargeSide)
	}
	n := (rows+1)*cols + rows*(cols+1)
	return largeBoard{rows: rows, cols: cols, lines: make([]bool, n), left: n, turn: 1}, nil
}

// sides returns the lines around a box: top, bottom, left and right.
func (b largeBoard) sides(row, col int) [4]int {
	h, v := row*b.cols+col, (b.rows+1)*b.cols+row*(b.cols+1)+col
	return [4]int{h, h + b.cols, v, v + 1}
}

// boxes returns the numbers, row*cols+col, of the two boxes next to a line; grid.Outside for no box.
func (b largeBoard) boxes(line int) [2]int {
	orientation, row, col := b.location(line)
	box := row*b.cols + col
	out := [2]int{box - 1, box}
	before, after := col > 0, col < b.cols
	if orientation == "h" {
		out[0], before, after = box-b.cols, row > 0, row < b.rows
	}
	if !before {
		out[0] = grid.Outside
	}
	if !after {
		out[1] = grid.Outside
	}
	return out
}

// location returns the orientation, row and column of a line.
func (b largeBoard) location(line int) (orientation string, row, col int) {
	if n := (b.rows + 1) * b.cols; line >= n {
		return "v", (line - n) / (b.cols + 1), (line - n) % (b.cols + 1)
	}
	return "h", line / b.cols, line % b.cols
}

// number is the inverse of location. It returns an error if the board has no such line.
func (b largeBoard) number(orientation string, row, col int) (line int, err error) {
	rows, cols := b.rows, b.cols
	switch orientation {
	case "h":
		rows, line = rows+1, row*cols+col
	case "v":
		cols, line = cols+1, (rows+1)*cols+row*(cols+1)+col
	default:
		return 0, fmt.Errorf("orientation %.20q: want \"h\" or \"v\"", orientation)
	}
	if row < 0 || col < 0 || row >= rows || col >= cols {
		return 0, fmt.Errorf("line %s%d,%d: outside the %s board", orientation, row, col, b.size())
	}
	return line, nil
}

// missing returns the number of lines around each box that are not drawn.
func (b largeBoard) missing() []int {
	out := make([]int, b.rows*b.cols)
	for box := range out {
		for _, s := range b.sides(box/b.cols, box%b.cols) {
			if !b.lines[s] {
				out[box]++
			}
		}
	}
	return out
}

// chooseLine returns a line by the three rules, at random among equal ones. The game must not be over.
func (b largeBoard) chooseLine() int {
	missing := b.missing()
	// fewest returns the smallest number of missing lines of the boxes next to the line.
	fewest := func(line int) int {
		n := 4
		for _, box := range b.boxes(line) {
			if box != grid.Outside {
				n = min(n, missing[box])
			}
		}
		return n
	}
	var free []int
	for _, line := range rand.Perm(len(b.lines)) {
		if !b.lines[line] {
			free = append(free, line)
		}
	}
	for _, rule := range []func(line int) bool{
		func(line int) bool { return fewest(line) == 1 },
		func(line int) bool { return fewest(line) > 2 },
	} {
		if i := slices.IndexFunc(free, rule); i >= 0 {
			return free[i]
		}
	}
	best, least, lines := free[0], len(missing)+1, slices.Clone(b.lines)
	for _, line := range free {
		if n := b.opens(line, lines, missing, least); n < least {
			best, least = line, n
		}
	}
	return best
}

// opens returns the number of boxes that the opponent can take in sequence after the line is drawn.
// It stops counting at limit. lines is a copy of b.lines, and missing is the result of b.missing,
// which must not contain 1; opens changes both and restores them.
func (b largeBoard) opens(line int, lines []bool, missing []int, limit int) (taken int) {
	var drawn []int
	for next := []int{line}; len(next) > 0 && taken < limit; {
		line, next = next[0], next[1:]
		if lines[line] {
			continue
		}
		lines[line] = true
		drawn = append(drawn, line)
		for _, box := range b.boxes(line) {
			if box == grid.Outside {
				continue
			}
			switch missing[box]--; missing[box] {
			case 0:
				taken++
			case 1: // the opponent draws the last line
				sides := b.sides(box/b.cols, box%b.cols)
				i := slices.IndexFunc(sides[:], func(s int) bool { return !lines[s] })
				next = append(next, sides[i])
			}
		}
	}
	for _, line := range drawn {
		lines[line] = false
		for _, box := range b.boxes(line) {
			if box != grid.Outside {
				missing[box]++
			}
		}
	}
	return taken
}

func (b largeBoard) draw(orientation string, row, col int) (board, error) {
	line, err := b.number(orientation, row, col)
	if err != nil {
		return nil, err
	}
	if b.lines[line] {
		return nil, fmt.Errorf("line %s%d,%d is drawn already", orientation, row, col)
	}
	b.lines = slices.Clone(b.lines)
	b.lines[line] = true
	b.left--
	missing, completed := b.missing(), 0
	for _, box := range b.boxes(line) {
		if box != grid.Outside && missing[box] == 0 {
			completed++
		}
	}
	b.scores[b.turn-1] += completed
	if completed == 0 {
		b.turn = 3 - b.turn
	}
	return b, nil
}

func (b largeBoard) actionOn(line int) message {
	orientation, row, col := b.location(line)
	return message{Type: "action", Orientation: orientation, Location: numbers(row, col)}
}

func (b largeBoard) firstFree() message { return b.actionOn(slices.Index(b.lines, false)) }

func (b largeBoard) mover() int { return b.turn }

func (b largeBoard) over() bool { return b.left == 0 }

func (b largeBoard) empty() bool { return b.left == len(b.lines) }

func (b largeBoard) score() [2]int { return b.scores }

func (b largeBoard) size() string { return fmt.Sprintf("%dx%d", b.rows, b.cols) }

func (b largeBoard) movedBy(player int) (board, error) { b.turn = player; return b, nil }

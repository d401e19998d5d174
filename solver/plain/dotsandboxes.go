package plain

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// DotsAndBoxes solves positions of Dots and Boxes by plain minimax. The zero value is ready.
type DotsAndBoxes struct {
	// MaxFree is the maximum number of free lines; 0 means 20.
	MaxFree int

	last subsets
}

// Solve implements [Solver] for "SIZE hROWS vROWS SCORE TURN [oOWNERS]".
func (d *DotsAndBoxes) Solve(position string) (Answer, error) {
	a, err := dotsRules.solve(position, d.MaxFree, &d.last)
	if err != nil {
		return Answer{}, fmt.Errorf("dots and boxes position: %w", err)
	}
	return a, nil
}

// DotsAndBoxesBoard is [CircuitWarsBoard] for Dots and Boxes.
func DotsAndBoxesBoard(ctx context.Context, size string, progress func(done, sets uint64)) ([]int8, error) {
	return dotsRules.board(ctx, size, progress)
}

// DotsAndBoxesValue is [CircuitWarsValue] for Dots and Boxes.
func DotsAndBoxesValue(size string, free []int) (int, error) { return dotsRules.value(size, free) }

var dotsRules = segmentRules{readDots, playDots, dotsLineName, dotsValues}

func readDots(position string) (size string, l *lattice, s segments, err error) {
	f := strings.Fields(position)
	if len(f) < 3 || !strings.HasPrefix(f[1], "h") || !strings.HasPrefix(f[2], "v") {
		return "", nil, "", fmt.Errorf("%.80q: want SIZE hROWS vROWS SCORE TURN", position)
	}
	if l, err = newLattice(f[0]); err != nil {
		return "", nil, "", err
	}
	h, v := strings.Split(f[1][1:], "/"), strings.Split(f[2][1:], "/")
	if len(h) != l.rows+1 || len(v) != l.rows {
		return "", nil, "", fmt.Errorf("%d rows of h lines and %d of v lines, a %s board has %d and %d",
			len(h), len(v), f[0], l.rows+1, l.rows)
	}
	for _, r := range h {
		if len(r) != l.cols {
			return "", nil, "", fmt.Errorf("row of h lines %q: want %d digits", r, l.cols)
		}
	}
	for _, r := range v {
		if len(r) != l.cols+1 {
			return "", nil, "", fmt.Errorf("row of v lines %q: want %d digits", r, l.cols+1)
		}
	}
	lines := strings.Join(h, "") + strings.Join(v, "")
	if strings.Trim(lines, "01") != "" {
		return "", nil, "", fmt.Errorf("lines %q: want 0 for a free line, 1 for a drawn one", lines)
	}
	s = segments(strings.NewReplacer("0", ".", "1", "#").Replace(lines))
	return f[0], l, s, nil
}

func playDots(l *lattice, s segments, i int) (next segments, boxes int, again bool) {
	next = s.without(i)
	for _, box := range l.sides[i] {
		if box < 0 {
			continue
		}
		complete := true
		for _, line := range l.around[box] {
			complete = complete && next[line] == '#'
		}
		if complete {
			boxes++
		}
	}
	return next, boxes, boxes > 0
}

// dotsLineName returns a name like "h2,0" (grid line 2, column 0) or "v2,0" (row 2, grid line 0).
func dotsLineName(l *lattice, i int) string {
	if h := (l.rows + 1) * l.cols; i >= h {
		i -= h
		return fmt.Sprintf("v%d,%d", i/(l.cols+1), i%(l.cols+1))
	}
	return fmt.Sprintf("h%d,%d", i/l.cols, i%l.cols)
}

func dotsValues(ctx context.Context, l *lattice, free []int, progress func(done, sets uint64)) ([]int8, error) {
	box := make([]uint64, len(l.around)) // bit i: free[i] is a line of the box
	for i, line := range free {
		for _, b := range l.sides[line] {
			if b >= 0 {
				box[b] |= 1 << i
			}
		}
	}
	value := make([]int8, 1<<len(free))
	err := l.each(ctx, free, progress, func(m uint64) {
		if m == 0 {
			return
		}
		best := int8(math.MinInt8)
		for i, line := range free {
			if m>>i&1 == 0 {
				continue
			}
			after := m - 1<<i
			v := value[after]
			boxes := int8(0)
			for _, b := range l.sides[line] {
				if b >= 0 && after&box[b] == 0 {
					boxes++
				}
			}
			if boxes == 0 {
				v = -v
			}
			best = max(best, boxes+v)
		}
		value[m] = best
	})
	return value, err
}

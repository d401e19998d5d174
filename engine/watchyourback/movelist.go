package watchyourback

import (
	"fmt"
	"strings"

	"endwise/engine"
)

// isMoveList reports whether a text contains only characters that occur in lists of moves,
// and at least one coordinate or None.
func isMoveList(text string) bool {
	rest := strings.ReplaceAll(strings.ToLower(text), "none", "0")
	return strings.Trim(rest, "0123456789(,)->.; \t\n") == "" && strings.ContainsAny(rest, "0123456789")
}

// tight returns a text without blanks at its ends and next to brackets, commas and arrows.
// Other blanks become one space.
func tight(text string) string {
	var b strings.Builder
	blanks, last := "", byte('(')
	for i := range len(text) {
		c := text[i]
		if c == ' ' || c == '\t' || c == '\n' {
			blanks = " "
			continue
		}
		if !strings.ContainsRune("(,)->", rune(c)) && !strings.ContainsRune("(,)->", rune(last)) {
			b.WriteString(blanks)
		}
		b.WriteByte(c)
		blanks, last = "", c
	}
	return b.String()
}

// readMoveList reads the moves of a game from its start: squares, (2,3) or 2,3, then steps
// and jumps, (2,3)->(3,3) or the referee's ((2,3),(3,3)), and None for a forfeited turn.
// Numbers of moves, commas and semicolons may stand between them.
func readMoveList(start Position, text string) (moves []engine.Move, err error) {
	p := start
	for rest := tight(strings.ToLower(text)); ; {
		rest = strings.TrimLeft(rest, " ,;")
		if number := strings.TrimLeft(rest, "0123456789"); number != rest && strings.HasPrefix(number, ".") {
			rest = strings.TrimLeft(number, ".")
			continue
		}
		if rest == "" {
			return moves, nil
		}
		n := moveEnd(rest)
		if n == 0 {
			err := fmt.Errorf("move %d, %.40q: want (x,y), (xa,ya)->(xb,yb) or None", len(moves)+1, rest)
			if len(moves) == 0 {
				err = fmt.Errorf("%w: %w", engine.ErrNotation, err)
			}
			return nil, err
		}
		word := rest[:n]
		m, err := p.ParseMove(strings.NewReplacer("((", "(", "))", ")", "),(", ")->(").Replace(word))
		if err != nil {
			return nil, fmt.Errorf("move %d, %.40q: %w", len(moves)+1, word, err)
		}
		p, rest = p.Next(m), rest[n:]
		moves = append(moves, m)
	}
}

// moveEnd returns the length of the move at the beginning of a [tight] text in lower case, 0
// if there is none: none, a step as the referee prints it, a step with an arrow or a hyphen,
// or a square. Package regexp would enlarge the browser's program by a tenth.
func moveEnd(text string) int {
	n := squareEnd(text)
	switch rest := text[n:]; {
	case strings.HasPrefix(text, "none"):
		n = len("none")
	case strings.HasPrefix(text, "(("):
		from := squareEnd(text[1:])
		if from == 0 || !strings.HasPrefix(text[1+from:], ",") {
			return 0
		}
		to := squareEnd(text[2+from:])
		if n = 2 + from + to; to == 0 || !strings.HasPrefix(text[n:], ")") {
			return 0
		}
		n++
	case n > 0 && strings.HasPrefix(rest, "-"):
		arrow := len(rest) - len(strings.TrimPrefix(rest[1:], ">"))
		if to := squareEnd(rest[arrow:]); to > 0 {
			n += arrow + to
		}
	}
	if strings.HasPrefix(text[n:], "-") { // a step without its destination
		return 0
	}
	return n
}

// squareEnd returns the length of the square at the beginning of a text, 0 if there is none:
// (2,3) or 2,3.
func squareEnd(text string) int {
	rest, bracket := strings.CutPrefix(text, "(")
	after := strings.TrimLeft(rest, "0123456789")
	second, comma := strings.CutPrefix(after, ",")
	end := strings.TrimLeft(second, "0123456789")
	if len(after) == len(rest) || !comma || len(end) == len(second) {
		return 0
	}
	if bracket {
		var closed bool
		if end, closed = strings.CutPrefix(end, ")"); !closed {
			return 0
		}
	}
	return len(text) - len(end)
}

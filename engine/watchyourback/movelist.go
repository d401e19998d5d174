package watchyourback

import (
	"fmt"
	"strings"

	"endwise/engine"
)

// isMoveList reports whether a text consists of the characters of moves, with at least one
// of a move.
func isMoveList(text string) bool {
	rest := strings.ReplaceAll(strings.ToLower(text), "none", "0")
	return strings.Trim(rest, "0123456789(,)->.; \t\n") == "" && strings.ContainsAny(rest, "0123456789")
}

// tight returns a text without the blanks next to brackets, commas and arrows.
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
			return nil, fmt.Errorf("move %d, %.40q: want (x,y), (xa,ya)->(xb,yb) or None", len(moves)+1, rest)
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

// moveEnd returns the length of the move at the beginning of a tight text, 0 if there is
// none.
func moveEnd(text string) int {
	if strings.HasPrefix(text, "none") {
		return len("none")
	}
	from := text
	nested := strings.HasPrefix(text, "((")
	if nested {
		from = text[1:]
	}
	n := squareEnd(from)
	if n == 0 {
		return 0
	}
	to, arrow := from[n:], "->"
	switch {
	case nested:
		arrow = ","
	case !strings.HasPrefix(to, arrow):
		if arrow = "-"; !strings.HasPrefix(to, arrow) {
			return n
		}
	}
	to, ok := strings.CutPrefix(to, arrow)
	if n = squareEnd(to); !ok || n == 0 {
		return 0
	}
	if to = to[n:]; nested {
		if to, ok = strings.CutPrefix(to, ")"); !ok {
			return 0
		}
	}
	return len(text) - len(to)
}

// squareEnd returns the length of the square at the beginning of a tight text, "(2,3)" or
// "2,3", 0 if there is none.
func squareEnd(text string) int {
	rest, open := strings.CutPrefix(text, "(")
	for i := range 2 {
		after := strings.TrimLeft(rest, "0123456789")
		if after == rest {
			return 0
		}
		if rest = after; i == 0 {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, ","); !ok {
				return 0
			}
		}
	}
	if open {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, ")"); !ok {
			return 0
		}
	}
	return len(text) - len(rest)
}

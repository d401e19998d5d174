package watchyourback

import (
	"fmt"
	"strings"

	"endwise/engine"
)

// isMoveList reports whether a text begins with a move that contains a comma, or consists only of
// numbers, None and the signs between them.
func isMoveList(text string) bool {
	begin := cutNumbers(tight(text))
	if strings.Contains(begin[:moveEnd(begin)], ",") {
		return true
	}
	rest := strings.ReplaceAll(strings.ToLower(text), "none", "0")
	return strings.Trim(rest, "0123456789(,)->.; \t\n") == "" && strings.ContainsAny(rest, "0123456789")
}

// cutNumbers cuts separators and move numbers such as "12." off the beginning of a tight text.
func cutNumbers(text string) string {
	for {
		text = strings.TrimLeft(text, " ,;")
		rest, ok := cutNumber(text)
		if !ok || !strings.HasPrefix(rest, ".") {
			return text
		}
		text = strings.TrimLeft(rest, ".")
	}
}

// tight returns a text in lower case, without blanks at its ends and next to brackets, commas
// and arrows. Other blanks become one space.
func tight(text string) string {
	text = strings.ToLower(text)
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

// readMoveList reads the moves of a game from its start: squares, (2,3), 2,3 or 2 3, then
// steps and jumps, (2,3)->(3,3) or ((2,3),(3,3)), and None. Numbers of moves, commas and semicolons
// may stand between them.
func readMoveList(start Position, text string) (moves []engine.Move, err error) {
	p := start
	for rest := tight(text); ; {
		if rest = cutNumbers(rest); rest == "" {
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
		// The arrow of a step may be missing.
		if to := strings.TrimLeft(rest[n:], " "); p.phase == Moving && !strings.ContainsAny(rest[:n], "->n") {
			if after, ok := cutSquare(to); ok {
				n = len(rest) - len(after)
			}
		}
		word := rest[:n]
		m, err := p.ParseMove(word)
		if err != nil {
			return nil, fmt.Errorf("move %d, %.40q: %w", len(moves)+1, word, err)
		}
		p, rest = p.Next(m), rest[n:]
		moves = append(moves, m)
	}
}

// moveEnd returns the length of the move at the beginning of a tight text, or 0.
func moveEnd(text string) int {
	rest, ok := strings.CutPrefix(text, "none")
	switch {
	case ok:
	case strings.HasPrefix(text, "(("):
		rest, ok = cutNestedStep(text)
	default:
		if rest, ok = cutSquare(text); ok {
			if to, arrow := strings.CutPrefix(rest, "-"); arrow {
				rest, ok = cutSquare(strings.TrimPrefix(to, ">"))
			}
		}
	}
	if !ok {
		return 0
	}
	return len(text) - len(rest)
}

// cutNestedStep cuts a step like "((2,3),(3,3))" off the beginning of a tight text.
func cutNestedStep(text string) (rest string, ok bool) {
	rest, ok = cutSquare(text[1:])
	if ok {
		rest, ok = strings.CutPrefix(rest, ",")
	}
	if ok {
		rest, ok = cutSquare(rest)
	}
	if ok {
		rest, ok = strings.CutPrefix(rest, ")")
	}
	return rest, ok
}

// cutSquare cuts a square, "(2,3)", "2,3" or "2 3", off the beginning of a tight text.
func cutSquare(text string) (rest string, ok bool) {
	rest, bracket := strings.CutPrefix(text, "(")
	rest, ok = cutNumber(rest)
	if ok {
		ok = strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, " ")
	}
	if ok {
		rest = rest[1:]
	}
	if ok {
		rest, ok = cutNumber(rest)
	}
	if ok && bracket {
		rest, ok = strings.CutPrefix(rest, ")")
	}
	return rest, ok
}

func cutNumber(text string) (rest string, ok bool) {
	rest = strings.TrimLeft(text, "0123456789")
	return rest, rest != text
}

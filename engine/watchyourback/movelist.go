package watchyourback

import (
	"fmt"
	"strings"

	"endwise/engine"
)

// isMoveList reports whether a text begins with a move that contains a comma, or consists only of one
// or more numbers or None and the signs between them.
func isMoveList(text string) bool {
	begin := cutMoveNumbers(tight(text))
	if strings.Contains(begin[:moveLength(begin)], ",") {
		return true
	}
	rest := strings.ReplaceAll(strings.ToLower(text), "none", "0")
	return strings.Trim(rest, "0123456789(,)->.; \t\n") == "" && strings.ContainsAny(rest, "0123456789")
}

// cutMoveNumbers cuts separators and move numbers such as "12." off the beginning of a tight text.
func cutMoveNumbers(text string) string {
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
	blanks, last := "", byte('(') // drops blanks at the beginning, as after a bracket
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
// may stand between them. The error wraps [engine.ErrNotation] if the text does not begin with a move.
func readMoveList(start Position, text string) (moves []engine.Move, err error) {
	if err := engine.CheckNumbers(text); err != nil {
		return nil, err
	}
	p := start
	for rest := tight(text); ; {
		if rest = cutMoveNumbers(rest); rest == "" {
			return moves, nil
		}
		n := moveLength(rest)
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

// moveLength returns the length of the move at the beginning of a tight text, 0 if there is none.
func moveLength(text string) int {
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

// cutNestedStep cuts a step like "((2,3),(3,3))" off the beginning of a tight text that begins with "((".
func cutNestedStep(text string) (rest string, ok bool) {
	rest, from := cutSquare(text[1:])
	rest, comma := strings.CutPrefix(rest, ",")
	rest, to := cutSquare(rest)
	rest, closed := strings.CutPrefix(rest, ")")
	return rest, from && comma && to && closed
}

// cutSquare cuts a square, "(2,3)", "2,3" or "2 3", off the beginning of a tight text.
func cutSquare(text string) (rest string, ok bool) {
	rest, bracket := strings.CutPrefix(text, "(")
	rest, ok = cutNumber(rest)
	if !ok || rest == "" || rest[0] != ',' && rest[0] != ' ' {
		return rest, false
	}
	if rest, ok = cutNumber(rest[1:]); ok && bracket {
		rest, ok = strings.CutPrefix(rest, ")")
	}
	return rest, ok
}

func cutNumber(text string) (rest string, ok bool) {
	rest = strings.TrimLeft(text, "0123456789")
	return rest, rest != text
}

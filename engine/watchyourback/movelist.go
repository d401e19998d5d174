package watchyourback

import (
	"fmt"
	"regexp"
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

// moveForm matches the move at the beginning of a [tight] text in lower case: none, a step
// as the referee prints it, a step with an arrow or a hyphen, or a square.
var moveForm = regexp.MustCompile(strings.ReplaceAll(`^(none|\(\(\d+,\d+\),SQUARE\)|SQUARE->?SQUARE|SQUARE)`, "SQUARE", `(\(\d+,\d+\)|\d+,\d+)`))

// moveEnd returns the length of the move at the beginning of a tight text, 0 if there is
// none.
func moveEnd(text string) int {
	n := len(moveForm.FindString(text))
	if strings.HasPrefix(text[n:], "-") { // a step without its destination
		return 0
	}
	return n
}

package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"endwise/engine"
)

// ForInput returns g with the SizeNote of in, with its turn numbers for [Game.Turn] and, if its moves are in
// one of g.MoveNotations, with this notation for [Game.WithOtherName].
func (g Game) ForInput(in Input) Game {
	g.turns = in.turns()
	if g.AssumedSize != nil && in.board == "" {
		if size := g.AssumedSize(in.text); size != "" {
			g.SizeNote = "size " + size + " assumed; --board 3x3 sets another"
		}
	}
	empty, err := g.Start(in.Start.BoardName())
	if err != nil {
		return g
	}
	for _, notation := range g.MoveNotations {
		if in.usesNotation(g, notation, empty) {
			g.Notation += "; in parentheses: notation " + notation
			g.otherName = func(move string) string {
				m, err := empty.ParseMove(move)
				if err != nil || empty.MoveString(m) != move {
					return ""
				}
				return moveName(g, notation, empty, m)
			}
			break
		}
	}
	return g
}

// usesNotation reports whether the moves of in are in a notation: the text can be continued with a move in
// it or, if the game is over, contains the names of its moves in it. A text with the names of
// [engine.Position.MoveString] uses no notation. empty is the start of the board.
func (in Input) usesNotation(g Game, notation string, empty engine.Position) bool {
	p, err := in.End()
	if err != nil || len(in.Moves) == 0 || in.containsNames(empty.MoveString) {
		return false
	}
	if p.Over() {
		return in.containsNames(func(m engine.Move) string { return moveName(g, notation, empty, m) })
	}
	text := engine.StripResult(in.text) + "\n" + moveName(g, notation, empty, p.Moves()[0])
	_, moves, err := ReadGame(g, in.board, text)
	return err == nil && len(moves) == len(in.Moves)+1
}

// containsNames reports whether the text of in contains the results of moveName for its moves, in order.
func (in Input) containsNames(moveName func(engine.Move) string) bool {
	text := strings.ToLower(in.text)
	for _, m := range in.Moves {
		name := strings.ToLower(moveName(m))
		_, rest, ok := strings.Cut(text, name)
		if name == "" || !ok {
			return false
		}
		text = rest
	}
	return true
}

// moveName returns the name of a move in a notation, "" if it has none. empty is the start of the board.
func moveName(g Game, notation string, empty engine.Position, m engine.Move) string {
	game, err := g.Write(notation, empty, []engine.Move{m})
	if err != nil {
		return ""
	}
	// A size, an address or a move number may precede the move.
	game = strings.TrimPrefix(game, empty.BoardName()+" ")
	return strings.TrimSpace(game[strings.LastIndexAny(game, ",.")+1:])
}

// WithOtherName returns a word of a text, which may end with a mark. If the word is a move and
// [Game.ForInput] has found a notation, the name in it follows: "h0,1 (b7)".
func (g Game) WithOtherName(word string) string {
	move := strings.TrimRight(word, ".,;:)")
	if g.otherName == nil || g.otherName(move) == "" {
		return word
	}
	return move + " (" + g.otherName(move) + ")" + word[len(move):]
}

// WrapWithOtherNames is [Wrap] with the words of [Game.WithOtherName].
func (g Game) WrapWithOtherNames(text, indent string, columns int) string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = g.WithOtherName(w)
	}
	return WrapWords(words, indent, columns)
}

var (
	turnNumber = regexp.MustCompile(`(?:^|[\s,;])(\d+)\.`)
	moveNumber = regexp.MustCompile(`\bmove (\d+)`)
)

// turns returns the number of the turn of each move, from 1, if the text of in numbers all turns and one of
// them has several moves, otherwise nil.
func (in Input) turns() []int {
	var turns []int
	p, n, mover := in.Start, 0, engine.None
	for _, m := range in.Moves {
		if p.Turn() != mover {
			n++
		}
		mover, turns = p.Turn(), append(turns, n)
		next, err := p.Play(m)
		if err != nil {
			return nil
		}
		p = next
	}
	text := strings.TrimRight(engine.StripResult(in.text), "0123456789. \t\n") // a number may precede the result
	numbers := turnNumber.FindAllStringSubmatch(text, -1)
	for i, number := range numbers {
		if number[1] != strconv.Itoa(i+1) {
			return nil
		}
	}
	if n == len(in.Moves) || len(numbers) != n {
		return nil
	}
	return turns
}

// Turn returns the number, from 1, that the record gives to the turn of a move, "" if it gives none.
func (g Game) Turn(ply int) string {
	if ply < 1 || ply > len(g.turns) {
		return ""
	}
	return strconv.Itoa(g.turns[ply-1])
}

// WithTurns adds known numbers of turns to a text: "turn 32 (move 36)" for "move 36".
func (g Game) WithTurns(text string) string {
	return moveNumber.ReplaceAllStringFunc(text, func(move string) string {
		ply, _ := strconv.Atoi(strings.TrimPrefix(move, "move "))
		if g.Turn(ply) == "" {
			return move
		}
		return fmt.Sprintf("turn %s (%s)", g.Turn(ply), move)
	})
}

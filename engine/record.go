package engine

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrNotation is wrapped by errors about a text that is in none of a game's notations.
var ErrNotation = errors.New("unknown notation")

// CleanText returns a text in which lines end with a line feed and blanks are ordinary spaces,
// with sizes like 3x3 instead of 3×3, and without a byte order mark. If all lines are quoted, blanks
// replace the leading >. Lines that begin with ``` become empty, and so do titles (clearTitles). Lines
// keep their numbers, and the characters of quoted lines their columns.
func CleanText(text string) string {
	clean := strings.NewReplacer("\ufeff", "", "\r\n", "\n", "\r", "\n", "\u00a0", " ", "\x00", " ")
	lines := strings.Split(plainSizes(clean.Replace(text)), "\n")
	notQuoted := func(line string) bool { return line != "" && line[0] != '>' }
	quoted := !slices.ContainsFunc(lines, notQuoted)
	for i, line := range lines {
		if quoted {
			rest := strings.TrimLeft(line, "> ")
			line = strings.Repeat(" ", len(line)-len(rest)) + rest
		}
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			line = ""
		}
		lines[i] = line
	}
	clearTitles(lines)
	return strings.Join(lines, "\n")
}

// clearTitles empties the titles ([isTitle]) in front of other text. If the line after them has no size,
// the last size in the titles, as in "Anna - Bert, 3x3", remains.
func clearTitles(lines []string) {
	last, size := 0, ""
	for i, line := range lines {
		switch {
		case i < len(lines)-1 && isTitle(line):
			last, size = i, cmp.Or(sizeIn(line), size)
			lines[i] = ""
		case strings.TrimSpace(line) != "":
			if sizeIn(line) == "" {
				lines[last] += size
			}
			return
		}
	}
}

// sizeIn returns the first size, such as 3x3, in a line, or "". Of tags only [Size "3x3"] has one.
func sizeIn(line string) string {
	if tag := strings.ToLower(strings.TrimSpace(line)); strings.HasPrefix(tag, "[") && !strings.HasPrefix(tag, "[size ") {
		return ""
	}
	words := strings.Fields(line)
	if i := slices.IndexFunc(words, isSize); i >= 0 {
		return strings.Trim(words[i], sizeMarks)
	}
	return ""
}

// sizeMarks are characters around a size in a title.
const sizeMarks = "(),.:;\"[]"

func isSize(w string) bool {
	rows, cols, two := strings.Cut(strings.ToLower(strings.Trim(w, sizeMarks)), "x")
	return two && IsNumber(rows) && IsNumber(cols)
}

// isTitle reports whether a line is a tag such as [Event "Cup"] or a heading: besides sizes it has two or
// more words, the first one consists of three or more letters, and none can belong to a move, a score or
// the player to move.
func isTitle(line string) bool {
	if tag := strings.TrimSpace(line); strings.HasPrefix(tag, "[") && strings.HasSuffix(tag, `"]`) && strings.Contains(tag, ` "`) {
		return true
	}
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(line)), isSize)
	isField := len(words) > 0 && strings.HasSuffix(words[0], ":") &&
		(strings.ContainsAny(line, "0123456789") || words[0] == "game:" && len(words) == 2) // "Red: 3", "game: circuitwars"
	for i, w := range words {
		words[i] = strings.TrimRight(w, "'’,.:;")
	}
	if isField || len(words) < 2 || len(words[0]) < 3 || !areLetters(words[0]) ||
		slices.Contains([]string{"play", "plays", "moves"}, words[len(words)-1]) { // "Black to play"
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		letters := strings.Trim(w, "0123456789.-#()")
		isMove := strings.ContainsAny(w, "0123456789") && letters != ""
		return isMove || slices.Contains([]string{"score", "player", "turn", "turns", "move", "none"}, letters)
	})
}

// areLetters reports whether a word in lower case consists of letters from a to z.
func areLetters(w string) bool { return strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" }

// plainSizes replaces the multiplication sign between two digits by x. Package regexp would enlarge
// the program of the static site.
func plainSizes(text string) string {
	parts := strings.Split(text, "×")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			before := parts[i-1]
			if before != "" && part != "" && isDigit(before[len(before)-1]) && isDigit(part[0]) {
				b.WriteByte('x')
			} else {
				b.WriteString("×")
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsComment reports whether a line begins with # and is not the end of a link such as "#5,f3h9".
func IsComment(line string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
	size, _, comma := strings.Cut(rest, ",")
	return ok && !(comma && IsNumber(size))
}

// StripComments returns a list of moves without comments: text in braces, lines for which
// [IsComment] is true, parentheses for which [isRemark] is true, and ? and ! after a move. It returns
// an error if a brace is not closed.
func StripComments(text string) (string, error) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			break
		}
		if _, text, ok = strings.Cut(after, "}"); !ok {
			return "", fmt.Errorf("the comment {%.40s has no end: add }", after)
		}
		b.WriteByte(' ')
	}
	lines := slices.DeleteFunc(strings.Split(b.String(), "\n"), IsComment)
	return stripJudgements(stripRemarks(strings.Join(lines, "\n"))), nil
}

// stripRemarks replaces remarks in parentheses by blanks.
func stripRemarks(text string) string {
	var b strings.Builder
	for {
		before, after, open := strings.Cut(text, "(")
		inside, rest, closed := strings.Cut(after, ")")
		b.WriteString(before)
		switch {
		case !open:
			return b.String()
		case closed && isRemark(inside):
			b.WriteByte(' ')
			text = rest
		default:
			b.WriteByte('(')
			text = after
		}
	}
}

// isRemark reports whether the text in parentheses is a comment and not part of a move: it contains
// no digit, or a word that no move contains.
func isRemark(inside string) bool {
	notLetter := func(c rune) bool { return !areLetters(string(c)) }
	words := strings.FieldsFunc(strings.ToLower(inside), notLetter)
	if !strings.ContainsAny(inside, "0123456789(") {
		return strings.TrimSpace(inside) != "" && !slices.Contains(words, "none")
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return len(w) > 2 && !slices.Contains(borderWords, w)
	})
}

// borderWords are the words that a move may contain.
var borderWords = []string{"top", "right", "bottom", "left", "none"}

// results and resultWords are the words of [StripResult]. Those of results are a result on their own.
var (
	results = strings.Fields("resign resigns resigned forfeit forfeits forfeited win wins won lose loses lost " +
		"draw drawn tie tied timeout timed time over 1/2 1/2-1/2 ½ ½-½")
	resultWords = strings.Fields("red blue white black player the game is has ended out on by and of -")
)

// CheckNumbers returns an error if a list of moves skips a turn number such as "12.". If the blank before a number
// is missing, as in "e3-f312.", the digits end with the number of the next turn.
func CheckNumbers(text string) error {
	last := 0
	for end := range len(text) {
		if text[end] != '.' {
			continue
		}
		before := strings.TrimRight(text[:end], "0123456789")
		digits := text[len(before):end]
		n, err := strconv.Atoi(digits)
		separate := before == "" || strings.IndexByte(" \t\n,;", before[len(before)-1]) >= 0
		switch isNumber := err == nil && n <= 9999 && separate; {
		case isNumber && last > 0 && n > last+1:
			return fmt.Errorf("number %d follows number %d: add the moves between them, or correct the number", n, last)
		case isNumber:
			last = n
		case strings.HasSuffix(digits, strconv.Itoa(last+1)):
			last++
		}
	}
	return nil
}

// StripResult returns a list of moves without a full stop and a result at its end, such as "Red
// resigns", "Anna Maria resigns", "player 2 wins 20-5" or 1-0. It returns a text that is only a result unchanged.
func StripResult(text string) string {
	end := strings.TrimRight(text, ". \t\n")
	if IsNumber(end[strings.LastIndexAny(end, " \t\n")+1:]) {
		end = text // the full stop belongs to the number of a move
	}
	found := false // a result is part of what is removed
	for rest := end; ; {
		rest = strings.TrimRight(rest, " \t\n")
		i := strings.LastIndexAny(rest, " \t\n") + 1
		w := strings.ToLower(strings.Trim(rest[i:], ".,;:!"))
		if before := strings.TrimRight(rest[:i], " \t"); IsNumber(w) {
			if score := strings.TrimRight(strings.TrimRight(before, "-–"), " \t"); score != before { // 20 - 5
				i = strings.LastIndexAny(score, " \t\n") + 1
				w = score[i:] + "-" + w
			}
		}
		ofPlayer := (w == "1" || w == "2") && strings.HasSuffix(strings.ToLower(strings.TrimRight(rest[:i], " ")), "player")
		first, second, _ := strings.Cut(strings.ReplaceAll(w, "–", "-"), "-")
		isResult := slices.Contains(results, w) || IsNumber(first) && IsNumber(second)
		switch {
		case rest == "":
			return text
		case w == "" || isResult || ofPlayer || slices.Contains(resultWords, w):
			rest, found = rest[:i], found || isResult
		case found && isName(rest[i:]):
			rest = rest[:i]
		case found:
			return rest
		default:
			return end
		}
	}
}

// Result reads the result that [StripResult] removes from a list of moves. It returns the winner, None if the text
// names none, and how the game ended, such as "resignation of player 1". turn is the side to move: it is the
// side that resigned, or ran out of time, if no other one is named. sides are the names of the sides.
func Result(text string, turn Side, sides [2]string) (winner Side, end string) {
	words := strings.FieldsFunc(strings.ToLower(text[len(StripResult(text)):]), func(r rune) bool {
		return strings.ContainsRune(" \t\n.,;:!", r)
	})
	has := func(list string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(strings.Fields(list), w) })
	}
	named := None
	for i, w := range words {
		switch {
		case w == "red" || w == strings.ToLower(sides[0]) || w == "1" && i > 0 && words[i-1] == "player":
			named = First
		case w == "blue" || w == strings.ToLower(sides[1]) || w == "2" && i > 0 && words[i-1] == "player":
			named = Second
		}
	}
	switch {
	case has("resign resigns resigned"):
		end = "resignation"
	case has("forfeit forfeits forfeited"):
		end = "forfeit"
	case has("timeout timed time"):
		end = "timeout"
	}
	switch {
	case named != None && has("win wins won"):
		winner = named
	case named != None && (end != "" || has("lose loses lost")):
		winner = named.Other()
	case has("1-0 1–0"):
		winner = First
	case has("0-1 0–1"):
		winner = Second
	case end != "":
		winner = turn.Other()
	default:
		return None, ""
	}
	if end == "" {
		return winner, "the result in the record"
	}
	return winner, end + " of " + sides[winner.Other()-First]
}

// IsResult reports whether a line consists of a result that [StripResult] removes.
func IsResult(line string) bool { return StripResult("x "+line) == "x" }

// isName reports whether a word is a name: a capital, then at least one letter. The side of a square and
// None, which belong to moves, are no names.
func isName(w string) bool {
	first, size := utf8.DecodeRuneInString(w)
	notLetter := func(c rune) bool { return !unicode.IsLetter(c) }
	return unicode.IsUpper(first) && size < len(w) && !strings.ContainsFunc(w, notLetter) &&
		!slices.Contains(borderWords, strings.ToLower(w)) && !strings.EqualFold(w, "none")
}

// stripJudgements replaces ? and ! after a move by a blank, unless a digit follows.
func stripJudgements(text string) string {
	var b strings.Builder
	for text != "" {
		n := strings.IndexAny(text, "?!")
		if n < 0 {
			break
		}
		rest := strings.TrimLeft(text[n:], "?!")
		b.WriteString(text[:n])
		if n > 0 && endsMove(text[n-1]) && (rest == "" || !isDigit(rest[0])) {
			b.WriteByte(' ')
		} else {
			b.WriteString(text[n : len(text)-len(rest)])
		}
		text = rest
	}
	return b.String() + text
}

// endsMove reports whether c can be the last character of a move, a letter, a digit or ), or is a
// blank after it.
func endsMove(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte(") \t\n", c) >= 0
}

// PositionWord precedes the one-line notation in the output of the command query.
const PositionWord = "position "

// PositionLine returns the one-line notation in the output of query: the first line that begins
// with PositionWord, without this word.
func PositionLine(text string) (position string, ok bool) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, PositionWord) {
			continue
		}
		// Repeated words are removed too, because the caller reads the line like a text.
		for strings.HasPrefix(line, PositionWord) {
			line = line[len(PositionWord):]
		}
		return line, true
	}
	return "", false
}

// RecordLine is a line of a record with its number, from 1.
type RecordLine struct {
	Line int
	Text string
}

var recordKeys = []string{"game", "start", "player_1", "player_2", "winner", "score", "end", "fault"}

// ReadRecord returns the first position and the moves of a record of the game g, whose positions are of
// the type P, in the plain format ([SplitRecord]). The text must be UTF-8 with line feeds ([CleanText]).
// ReadRecord checks the moves, but not the winner and the score. If the record contains "end: illegal",
// a last move that is illegal or cannot be read is ignored. The error wraps ErrNotation if the record is
// of another game.
func ReadRecord[P Position](g Game, text string) (start P, moves []Move, err error) {
	header, lines, err := SplitRecord(text)
	switch {
	case err != nil:
		return start, nil, err
	case header["game"] != g.Name():
		return start, nil, fmt.Errorf("%w: a record of %.40q, not of %s", ErrNotation, header["game"], g.Name())
	case strings.HasPrefix(header["start"], recordWord):
		return start, nil, errors.New("start: want a position")
	}
	first, err := g.Parse(header["start"])
	if err != nil {
		return start, nil, fmt.Errorf("start: %w", err)
	}
	moves, err = recordMoves(first, header, lines)
	return first.(P), moves, err
}

const recordWord = "game:"

// IsRecord reports whether a text begins like a record.
func IsRecord(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), recordWord) }

// SplitRecord splits a record in the plain format of all games, which consists of lines
// "key: value" (the header), an empty line, and one line per move. Further empty lines are ignored.
// SplitRecord checks neither values nor moves; an unknown or repeated key is an error.
func SplitRecord(text string) (header map[string]string, moves []RecordLine, err error) {
	header = map[string]string{}
	sc := bufio.NewScanner(strings.NewReader(text))
	n, inMoves := 0, false
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		switch {
		case line == "":
			inMoves = inMoves || len(header) > 0
		case inMoves:
			moves = append(moves, RecordLine{n, line})
		default:
			key, value, ok := strings.Cut(line, ":")
			if !ok || !slices.Contains(recordKeys, key) {
				return nil, nil, fmt.Errorf("line %d: %q: want game, start, player_1, player_2, winner, score, "+
					"end or fault, a colon and a value", n, OneLine(line, 40))
			}
			if _, twice := header[key]; twice {
				return nil, nil, fmt.Errorf("line %d: a second %s", n, key)
			}
			header[key] = strings.TrimSpace(value)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return header, moves, nil
}

// recordMoves returns the moves of the lines, played from p on. It ignores a last move that is illegal or
// cannot be read if the header contains "end: illegal".
func recordMoves(p Position, header map[string]string, lines []RecordLine) (moves []Move, err error) {
	for i, l := range lines {
		if len(moves) >= MaxRecordMoves {
			return nil, fmt.Errorf("line %d: more than %d moves", l.Line, MaxRecordMoves)
		}
		m, err := p.ParseMove(l.Text)
		var next Position
		if err == nil {
			next, err = p.Play(m)
		}
		if err != nil && i == len(lines)-1 && header["end"] == "illegal" {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.Line, err)
		}
		p, moves = next, append(moves, m)
	}
	return moves, nil
}

// MaxRecordMoves is the maximum number of moves of a record.
const MaxRecordMoves = 5000

// IsNumber reports whether a word consists of decimal digits.
func IsNumber(w string) bool { return w != "" && strings.Trim(w, "0123456789") == "" }

// Standing is the score and the player to move in a text.
type Standing struct {
	Score  [2]int
	Scored bool // the text contains Score
	Turn   Side // None if the text does not contain it
}

// ReadWord reads a score like 3-1 or a player, 1 or 2. ok is false for other words, and for
// a second score or player.
func (s *Standing) ReadWord(w string) (ok bool) {
	a, b, two := strings.Cut(w, "-")
	switch {
	case (w == "1" || w == "2") && s.Turn == None:
		s.Turn = Side(w[0] - '0')
	case two && IsNumber(a) && IsNumber(b) && max(len(a), len(b)) < 5 && !s.Scored:
		s.Score[0], _ = strconv.Atoi(a)
		s.Score[1], _ = strconv.Atoi(b)
		s.Scored = true
	default:
		return false
	}
	return true
}

// ReadStanding reads the score and the turn from the lines around a drawing, for instance
// "score 3-1, player 2 to move" or "3-1 2". It skips numbers of columns, comments, and the line
// "a move is …". Any other line is an error.
func ReadStanding(lines []string) (s Standing, err error) {
	for _, line := range lines {
		text := strings.ToLower(strings.TrimSpace(line))
		if IsComment(text) || strings.HasPrefix(text, "a move is ") {
			continue
		}
		if areColumns(strings.Fields(text)) {
			continue
		}
		for _, w := range strings.Fields(standingWords.Replace(text)) {
			if a, b, two := strings.Cut(w, ":"); two && a != "" && b != "" {
				w = a + "-" + b
			}
			switch w = strings.Trim(w, ":."); w {
			case "a", "r":
				w = "1"
			case "b":
				w = "2"
			}
			if w != "" && !s.ReadWord(w) {
				return s, fmt.Errorf("drawing: the line %q beside it: want only a score and the player to move, "+
					"1 or 2, or A or B, for instance 3-1 2", OneLine(strings.TrimSpace(line), 40))
			}
		}
	}
	return s, nil
}

// standingWords removes the words and signs that may stand next to a score and a turn.
var standingWords = strings.NewReplacer("red to move", "1", "blue to move", "2", ",", " ", "score", "", "player", "", "turn", "", " to move", "",
	"'s", "", "the game is over", "")

// areColumns reports whether words are the headers of the columns of a board: the letters from a
// on, or the numbers from 0 or 1 on. A single word must be 0 or a, because 1 may be a player.
func areColumns(words []string) bool {
	if len(words) == 1 {
		return words[0] == "0" || words[0] == "a"
	}
	for i, w := range words {
		first, err := strconv.Atoi(words[0])
		letter := len(w) == 1 && w[0] == 'a'+byte(i)
		if !letter && (err != nil || first > 1 || w != strconv.Itoa(first+i)) {
			return false
		}
	}
	return true
}

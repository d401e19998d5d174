// Command checkproof checks certificates, files that prove the result of perfect play:
// checkproof FILE… It contains the rules of three games and no solver. A certificate is one gzip
// member: a header line and count bytes. The SHA-256 covers both, without its own 64 digits.
//
// Dots and Boxes, Circuit Wars: the first player wins value squares more than the second. Two
// claims prove it: the first wins at least value more, the second at least -value. A claim is a
// position, the side to move, the claimant, and a number n: from here on the claimant wins at least
// n squares more than the opponent. It is true if n is at most minus the squares left, and false if
// n exceeds the squares left. With the opponent to move, the claims after all moves must hold; with
// the claimant to move, the claim after one move: these moves are the bytes. Bit i of a position is
// set if line i is free, horizontal lines first, row by row. Most free lines come first, then the
// smallest number. Positions that differ by a symmetry, or by which of several lines next to one
// and the same square are free, are one: the smallest number counts, with the largest n.
//
// Watch Your Back on 4x4: the squares except the corners, row by row, are digits in base 3, the
// lowest first: 0 empty, 1 own piece, 2 piece of the opponent. In ascending order each position
// with two or more pieces per side and none surrounded has a byte: 0 for a tie, 100-d for a win in
// d turns, 156+d for a loss. The value is the largest d.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"os"
	"regexp"
	"slices"
	"strings"
)

var header = regexp.MustCompile(`^(endwise certificate 1 game ([a-z]+) board ([1-9])x([1-9]) rules 1 ` +
	`value (0|-?[1-9][0-9]{0,2}) count (0|[1-9][0-9]{0,17}) sha256 )([0-9a-f]{64})\n$`)

func main() {
	for _, name := range append(os.Args, "FILE")[1:max(2, len(os.Args))] {
		file, err := os.ReadFile(name)
		proved, why := check(file)
		if err = cmp.Or(err, why); err != nil {
			fmt.Println("refused:", err)
			os.Exit(1)
		}
		fmt.Println("accepted:", proved)
	}
}

// check returns what a certificate proves. It stops reading at the first wrong move.
func check(file []byte) (proved string, err error) {
	packed := bytes.NewReader(file)
	z, err := gzip.NewReader(packed)
	if err != nil || file[3]&^8 != 0 { // a name is allowed in the gzip header, no other field
		return "", cmp.Or(err, gzip.ErrHeader)
	}
	z.Multistream(false)
	text := bufio.NewReaderSize(z, 256)
	line, _ := text.ReadSlice('\n')
	head := header.FindSubmatch(line)
	if head == nil {
		return "", fmt.Errorf("header %q", line)
	}
	game, digest, rows, cols, value := string(head[2]), string(head[7]), 0, 0, 0
	sum, body := sha256.New(), &io.LimitedReader{R: text}
	fmt.Sscan(string(bytes.Join(head[3:7], []byte(" "))), &rows, &cols, &value, &body.N) // at most 18 digits
	sum.Write(append(head[1], '\n'))
	moves := bufio.NewReader(io.TeeReader(body, sum))
	switch lines := rows*(cols+1) + (rows+1)*cols; {
	case game == "watchyourback" && rows == 4 && cols == 4:
		err = checkStage(value, moves)
	case (game == "dotsandboxes" || game == "circuitwars") && lines < 57 && max(value, -value) <= rows*cols:
		err = newBoard(rows, cols, game == "circuitwars").check(value, moves)
	default:
		err = errors.New("no such game, board or value")
	}
	if err != nil {
		return "", err
	}
	left, _ := io.Copy(io.Discard, moves)
	_, end := text.ReadByte()
	got := fmt.Sprintf("%x", sum.Sum(nil))
	if left > 0 || body.N > 0 || end != io.EOF || packed.Len() > 0 || got != digest {
		return "", fmt.Errorf("%d bytes left over, %d missing, %d after the gzip stream, which ends with %v; digest %s", left, body.N, packed.Len(), end, got)
	}
	return fmt.Sprintf("%s %dx%d, value %d, digest %s", game, rows, cols, value, digest), nil
}

type board struct {
	circuit bool             // Circuit Wars if true, else Dots and Boxes
	lines   int              // number of lines of the board
	boxes   []uint64         // the four lines of each square
	outer   uint64           // lines on the border of the board
	corners []uint64         // the squares with several outer lines
	images  [][8][256]uint64 // symmetry → byte of a position, its value → image
	claims  [2][64][]uint64  // by side to move and free lines: position<<8 + n+128
}

const opponent, claimant = 0, 1 // the side to move in a claim's position

// newBoard returns a board with its boxes and lines; circuit selects the rules of Circuit
// Wars.
func newBoard(rows, cols int, circuit bool) *board {
	b, h, w := &board{circuit: circuit, lines: (rows+1)*cols + rows*(cols+1)}, 2*rows, 2*cols
	number := func(y, x int) int { // of the line with its middle at (y, x), in half squares
		return y/2*cols + x/2 + y%2*((rows+1)*cols+y/2)
	}
	for y := 1; y < h; y += 2 {
		for x := 1; x < w; x += 2 {
			box := uint64(1<<number(y-1, x) | 1<<number(y+1, x) | 1<<number(y, x-1) | 1<<number(y, x+1))
			b.boxes, b.outer = append(b.boxes, box), b.outer^box
		}
	}
	b.corners = slices.DeleteFunc(slices.Clone(b.boxes), func(box uint64) bool { return bits.OnesCount64(box&b.outer) < 2 })
	for way := 0; way < 4 || way < 8 && rows == cols; way++ {
		var image [8][256]uint64
		for y := 0; y <= h; y++ {
			for x := 1 - y%2; x <= w; x += 2 {
				to := [8][2]int{{y, x}, {h - y, x}, {y, w - x}, {h - y, w - x}, {x, y}, {h - x, y}, {x, w - y}, {h - x, w - y}}[way]
				for line, set := number(y, x), 0; set < 256; set++ {
					image[line/8][set] |= uint64(set>>(line%8)&1) << number(to[0], to[1])
				}
			}
		}
		b.images = append(b.images, image)
	}
	return b
}

// smallest returns the smallest number of the positions equal to this one.
func (b *board) smallest(position uint64) uint64 {
	best := ^uint64(0)
	for i := range b.images {
		var p uint64
		for k := 0; position>>(8*k) > 0; k++ {
			p |= b.images[i][k][position>>(8*k)&255]
		}
		for _, box := range b.corners { // free the lowest of its outer lines
			alike, free := box&b.outer, bits.OnesCount64(p&box&b.outer)
			for p &^= alike; free > 0; free-- {
				p |= alike & -alike
				alike &= alike - 1
			}
		}
		best = min(best, p)
	}
	return best
}

// left returns the number of squares not yet won: those with a free line.
func (b *board) left(position uint64) (n int) {
	for _, box := range b.boxes {
		n += min(1, bits.OnesCount64(position&box))
	}
	return n
}

// play draws a line and returns the squares won by it; passes is 1 if the turn passes, else 0.
func (b *board) play(position uint64, line int) (after uint64, won, passes int) {
	after = position &^ (1 << line)
	if b.circuit { // squares not reached from the outside are won
		wet := after & b.outer
		for before := ^wet; before != wet; {
			before = wet
			for _, box := range b.boxes {
				if wet&box != 0 {
					wet |= after & box
				}
			}
		}
		after = wet
	}
	if won = b.left(position) - b.left(after); won == 0 || b.circuit {
		passes = 1
	}
	return after, won, passes
}

// claim adds a claim, unless it is trivially true.
func (b *board) claim(who int, position uint64, least int) error {
	if left := b.left(position); least > left {
		return fmt.Errorf("position %#x: %+d is claimed with %d squares left", position, least, left)
	} else if least > -left {
		claims := &b.claims[who][bits.OnesCount64(position)]
		*claims = append(*claims, b.smallest(position)<<8|uint64(least+128))
	}
	return nil
}

// check checks the claims that prove the value.
func (b *board) check(value int, moves io.ByteReader) error {
	err := errors.Join(b.claim(claimant, 1<<b.lines-1, value), b.claim(opponent, 1<<b.lines-1, -value))
	for i := 2*b.lines + 1; i > 1 && err == nil; i-- {
		claims, who := b.claims[i%2][i/2], i%2
		slices.Sort(claims)
		for k, claim := range claims {
			position, lines, least := claim>>8, claim>>8, int(claim&255)-128
			if k+1 < len(claims) && claims[k+1]>>8 == position {
				continue // the last one is the largest
			}
			if who == claimant {
				move, err := moves.ReadByte()
				if err != nil || position>>move&1 == 0 { // 0 too if move > 63
					return fmt.Errorf("position %#x: line %d is not free, or %v", position, move, err)
				}
				lines = 1 << move
			}
			for ; lines != 0; lines &= lines - 1 {
				line := bits.TrailingZeros64(lines)
				after, won, passes := b.play(position, line)
				if err := b.claim((who+passes)%2, after, least+[2]int{won, -won}[who]); err != nil {
					return fmt.Errorf("position %#x, %+d claimed, line %d: %w", position, least, line, err)
				}
			}
		}
		b.claims[who][i/2] = nil
	}
	return err
}

var directions, turned = [4]int{-6, -1, 1, 6}, strings.NewReplacer("o", "x", "x", "o")

// stage returns the position with the given number, inside a rim: # corner, o own, x opponent.
func stage(number int) []byte {
	s := []byte("      " + " #..# " + " .... " + " .... " + " #..# " + "      ")
	for at := range s {
		if s[at] == '.' {
			s[at], number = ".ox"[number%3], number/3
		}
	}
	return s
}

// surrounded reports whether a piece stands between two enemies or corners.
func surrounded(s []byte, at int) bool {
	hostile := func(i int) bool { return s[i] == 'o'+'x'-s[at] || s[i] == '#' }
	return hostile(at-1) && hostile(at+1) || hostile(at-6) && hostile(at+6)
}

// stageMoves returns the positions after each move.
func stageMoves(s []byte) (after []string) {
	for i := range 4 * 22 { // the 22 squares within the rim, in four directions
		from, d := 7+i/4, directions[i%4]
		to := from + d
		if s[to] == 'o' || s[to] == 'x' { // a jump
			to += d
		}
		if s[from] != 'o' || s[to] != '.' {
			continue
		}
		t := slices.Clone(s)
		t[from], t[to] = '.', 'o'
		for _, d := range directions {
			if t[to+d] == 'x' && (t[to+2*d] == 'o' || t[to+2*d] == '#') {
				t[to+d] = '.'
			}
		}
		if surrounded(t, to) {
			t[to] = '.'
		}
		after = append(after, string(t))
	}
	if after == nil { // the turn is forfeited
		after = append(after, string(s))
	}
	return after
}

// readStage reads the values of all positions.
func readStage(values io.ByteReader) (map[string]int, error) {
	value := map[string]int{}
	for n := range 531441 { // 3^12
		s := stage(n)
		legal := bytes.Count(s, []byte("o")) > 1 && bytes.Count(s, []byte("x")) > 1
		for at := 7; at < 29; at++ { // no empty square lies between two corners
			legal = legal && !surrounded(s, at)
		}
		if legal {
			v, err := values.ReadByte()
			if err != nil {
				return nil, fmt.Errorf("position %s has no value: %w", s, err)
			}
			value[string(s)] = int(int8(v))
		}
	}
	return value, nil
}

// checkStage checks that every value is the best over all moves. Wins and losses are then correct
// by induction on their turns, and so are ties: both players can always move to another tie.
func checkStage(claimed int, values io.ByteReader) error {
	value, err := readStage(values)
	longest := 0
	for _, s := range slices.Sorted(maps.Keys(value)) {
		best := -100
		for _, t := range stageMoves([]byte(s)) {
			v, ok := value[turned.Replace(t)] // for the opponent, one turn later
			switch few, otherFew := strings.Count(t, "o") < 2, strings.Count(t, "x") < 2; {
			case few && otherFew:
				v = 0
			case few:
				v = 100
			case otherFew:
				v = -100
			case !ok:
				return fmt.Errorf("position %s: a move leads to %s, which has no value", s, t)
			}
			best = max(best, cmp.Compare(v, 0)-v)
		}
		if value[s] != best {
			return fmt.Errorf("position %s: value %d, by its moves %d", s, value[s], best)
		}
		longest = max(longest, (100-max(best, -best))%100) // a tie counts 0
	}
	if err == nil && longest != claimed {
		err = fmt.Errorf("the longest win takes %d turns, not %d", longest, claimed)
	}
	return err
}

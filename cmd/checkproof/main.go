// Command checkproof checks certificates, files that prove the result of perfect play:
// checkproof FILE… It contains the rules of three games and no solver. A certificate is one gzip
// member: a header line and count bytes. The SHA-256 is that of both, without its own 64 digits.
//
// Dots and Boxes, Circuit Wars: the value v is how many squares the player who begins wins more
// than the other. Two claims prove it: this player gets at least v, the other at least -v. A claim
// is a position, who is to move, and how much more than the other the claimant will still win: at
// least minus the squares left, at most those. With the other to move every move must lead to a
// claim that holds; with the claimant to move one must, and the bytes are these moves. Bit i of a
// position's number says that line i is free, horizontal ones first, row by row. Most free lines
// come first, then the smallest number. Positions that differ by a flip or turn, or by which of
// several lines beside the same one square are free, go by the smallest number and with the
// largest claim.
//
// Watch Your Back on 4x4: the squares but the corners, row by row, are digits in base 3, the first
// the lowest: empty, of the player to move, of the other. In ascending order each position with
// two pieces or more a side and none surrounded has a byte: 0 for a tie, 100-d for a win in d
// turns, 156+d for a loss. The value is the largest d.
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

// check returns what a certificate proves, or why it proves nothing. Moves are read as they are
// used, so a file that unpacks to gigabytes is refused at its first wrong byte.
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
	circuit bool             // Circuit Wars, else Dots and Boxes
	lines   int              // of the board
	boxes   []uint64         // the four lines of each square
	outer   uint64           // lines with one square beside them
	corners []uint64         // those squares with several outer lines
	images  [][8][256]uint64 // where a flip or turn of the board takes the lines of a byte
	claims  [2][64][]uint64  // by who is to move and free lines: position<<8 + claim+128
}

const opponent, claimant = 0, 1 // who is to move where something is claimed

func newBoard(rows, cols int, circuit bool) *board {
	b, h, w := &board{circuit: circuit, lines: (rows+1)*cols + rows*(cols+1)}, 2*rows, 2*cols
	number := func(y, x int) int { // of the line whose middle is there, in half squares
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

// smallest is the number that a position goes by.
func (b *board) smallest(position uint64) uint64 {
	best := ^uint64(0)
	for i := range b.images {
		var p uint64
		for k := 0; position>>(8*k) > 0; k++ {
			p |= b.images[i][k][position>>(8*k)&255]
		}
		for _, box := range b.corners { // of lines beside this square alone the lowest are free
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

// left counts the squares that are still to be won: those with a free line.
func (b *board) left(position uint64) (n int) {
	for _, box := range b.boxes {
		n += min(1, bits.OnesCount64(position&box))
	}
	return n
}

// play draws a line, which wins so many squares; passes is 1 if the turn passes.
func (b *board) play(position uint64, line int) (after uint64, won, passes int) {
	after = position &^ (1 << line)
	if b.circuit { // what the outside does not flood through free lines is won
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

// claim adds a claim to those to be checked.
func (b *board) claim(who int, position uint64, least int) error {
	if left := b.left(position); least > left {
		return fmt.Errorf("position %#x: %+d is claimed with %d squares left", position, least, left)
	} else if least > -left {
		claims := &b.claims[who][bits.OnesCount64(position)]
		*claims = append(*claims, b.smallest(position)<<8|uint64(least+128))
	}
	return nil
}

// check proves a value by the claimants' moves.
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
		b.claims[who][i/2] = nil // done with
	}
	return err
}

var directions, turned = [4]int{-6, -1, 1, 6}, strings.NewReplacer("o", "x", "x", "o")

// stage is the board of a number within a rim: # corners, o the mover's, x the other's.
func stage(number int) []byte {
	s := []byte("      " + " #..# " + " .... " + " .... " + " #..# " + "      ")
	for at := range s {
		if s[at] == '.' {
			s[at], number = ".ox"[number%3], number/3
		}
	}
	return s
}

// surrounded says whether a piece stands between two enemies or corners.
func surrounded(s []byte, at int) bool {
	hostile := func(i int) bool { return s[i] == 'o'+'x'-s[at] || s[i] == '#' }
	return hostile(at-1) && hostile(at+1) || hostile(at-6) && hostile(at+6)
}

// stageMoves are the positions after each move.
func stageMoves(s []byte) (after []string) {
	for i := range 4 * 22 { // the 22 places within the rim, in four directions
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

// checkStage checks that every value follows from those one move later. Wins and
// losses are then right by induction on their turns. So are ties: none has a move to a
// loss of the other, and each has one to a tie, so that whoever wants can stay in ties.
func checkStage(claimed int, values io.ByteReader) error {
	value, longest := map[string]int{}, 0
	for n := range 531441 { // 3^12
		s := stage(n)
		sound := bytes.Count(s, []byte("o")) > 1 && bytes.Count(s, []byte("x")) > 1
		for at := 7; at < 29; at++ { // no empty square lies between two corners
			sound = sound && !surrounded(s, at)
		}
		if !sound {
			continue
		}
		v, err := values.ReadByte()
		if err != nil {
			return fmt.Errorf("position %s has no value: %w", s, err)
		}
		value[string(s)] = int(int8(v))
	}
	for _, s := range slices.Sorted(maps.Keys(value)) {
		best := -100
		for _, t := range stageMoves([]byte(s)) {
			v, live := value[turned.Replace(t)]
			switch few, otherFew := strings.Count(t, "o") < 2, strings.Count(t, "x") < 2; {
			case few && otherFew:
				v = 0
			case few:
				v = 100
			case otherFew:
				v = -100
			case !live:
				return fmt.Errorf("position %s: a move leads to %s, which has no value", s, t)
			}
			best = max(best, cmp.Compare(v, 0)-v) // one turn more to the end
		}
		if value[s] != best {
			return fmt.Errorf("position %s: value %d, by its moves %d", s, value[s], best)
		}
		if best != 0 {
			longest = max(longest, 100-max(best, -best))
		}
	}
	if longest != claimed {
		return fmt.Errorf("the most turns are %d, not %d", longest, claimed)
	}
	return nil
}

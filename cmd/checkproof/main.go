// Command checkproof checks certificates, files that prove the result of perfect play: checkproof
// FILE… It contains the rules of three games and no solver. A certificate is one gzip member: a
// header line and count bytes. The SHA-256 covers both, without its own 64 digits.
//
// Dots and Boxes, Circuit Wars: the first player wins value squares more than the second. Two
// claims prove it: the first wins at least value more, the second at least -value. A claim is a
// position, the side to move (the claimant or the opponent) and a number n: from here on the
// claimant wins at least n squares more than the opponent. It is true if n is at most minus the
// squares left, and false if n exceeds the squares left. With the opponent to move, the claims
// after all moves must hold; with the claimant to move, the claim after one move: these moves are
// the bytes. Bit i of a position is set if line i is free, horizontal lines first, row by row. Most
// free lines come first, then the smallest number. Positions that differ by a symmetry, or by which
// outer lines of one square are free, count as one, with the smallest number and the largest n.
//
// In a claims file a byte of 64+k instead of a move makes the claim a leaf, without a proof: a search
// proved it with fewer than 2^k steps. A header with "from" and a position in hexadecimal proves a
// leaf: the player to move wins at least value more. With "pairing" (Circuit Wars) the bytes begin with
// a partner of each line; these prove the second claim.
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
	"math/bits"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// The groups are: the line up to the digest, kind, game, rows, columns, value, from, pairing, count, digest.
var header = regexp.MustCompile(`^(endwise (certificate|claims) 1 game ([a-z]+) board ([1-9])x([1-9]) rules 1 ` +
	`value (0|-?[1-9][0-9]{0,2})(?: from ([1-9a-f][0-9a-f]{0,13})| (pairing))? ` +
	`count (0|[1-9][0-9]{0,17}) sha256 )([0-9a-f]{64})\n$`)

const maxClaims = 1 << 23 // in a claims file

func main() {
	if len(os.Args) < 2 || os.Args[1] == "-h" || os.Args[1] == "--help" {
		fmt.Println("usage: checkproof FILE…\nChecks certificates and claims files and prints what they prove.")
		if len(os.Args) < 2 {
			os.Exit(2)
		}
		return
	}
	for _, name := range os.Args[1:] {
		file, err := os.ReadFile(name)
		proved, why := checkFile(file)
		if err = cmp.Or(err, why); err != nil {
			fmt.Println("refused:", err)
			os.Exit(1)
		}
		fmt.Println("accepted:", proved)
	}
}

// checkFile checks a certificate or a claims file and returns what it proves.
func checkFile(file []byte) (proved string, err error) {
	packed := bytes.NewReader(file)
	z, err := gzip.NewReader(packed)
	if err != nil || file[3]&^8 != 0 { // a name is allowed, no other field
		return "", cmp.Or(err, gzip.ErrHeader)
	}
	z.Multistream(false)
	text := bufio.NewReaderSize(z, 256)
	line, _ := text.ReadSlice('\n')
	head := header.FindSubmatch(line)
	if head == nil {
		return "", fmt.Errorf("header %q", line)
	}
	number := func(group int) int64 {
		n, _ := strconv.ParseInt(string(head[group]), 10, 64)
		return n
	}
	game, digest, what := string(head[3]), string(head[10]), ""
	rows, cols, value := int(number(4)), int(number(5)), int(number(6))
	from, _ := strconv.ParseUint(string(head[7]), 16, 64)
	leaves, pairing, circuit := string(head[2]) == "claims", head[8] != nil, game == "circuitwars"
	sum, body := sha256.New(), &io.LimitedReader{R: text, N: number(9)}
	sum.Write(append(head[1], '\n'))
	moves := bufio.NewReader(io.TeeReader(body, sum))
	switch lines := rows*(cols+1) + (rows+1)*cols; {
	case leaves && body.N > maxClaims:
		err = fmt.Errorf("%d claims, want at most %d", body.N, maxClaims)
	case game == "watchyourback" && rows == 4 && cols == 4 && !leaves && !pairing && from == 0:
		what, err = fmt.Sprintf("longest win %d turns", value), checkStage(value, moves)
	case (circuit || game == "dotsandboxes" && !pairing) && lines < 57 && max(value, -value) <= rows*cols:
		what, err = newBoard(rows, cols, circuit, leaves).check(value, from, pairing, moves)
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
		return "", fmt.Errorf("%d bytes too many and %d missing by the header, %d after the gzip data (%v), digest %s",
			left, body.N, packed.Len(), end, got)
	}
	return fmt.Sprintf("%s %dx%d, %s, digest %s", game, rows, cols, what, digest), nil
}

// A position is the set of its free lines.
type board struct {
	circuit bool
	lines   int
	boxes   []uint64         // the four lines of each square
	outer   uint64           // lines on the border
	corners []uint64         // squares with several outer lines
	images  [][8][256]uint64 // symmetry → byte of a position, its value → image
	claims  [2][64][]uint64  // by side to move and free lines: position<<8 + n+128
	leaves  bool             // claims without a proof are allowed
	count   int
	largest int // free lines of a leaf
}

const opponent, claimant = 0, 1 // sides to move

// newBoard returns a board of the given size, without claims.
func newBoard(rows, cols int, circuit, leaves bool) *board {
	b, h, w := &board{circuit: circuit, leaves: leaves, lines: (rows+1)*cols + rows*(cols+1)}, 2*rows, 2*cols
	number := func(y, x int) int { // of the line with its middle at (y, x), in half squares
		return y/2*cols + x/2 + y%2*((rows+1)*cols+y/2)
	}
	for y := 1; y < h; y += 2 {
		for x := 1; x < w; x += 2 {
			box := uint64(1<<number(y-1, x) | 1<<number(y+1, x) | 1<<number(y, x-1) | 1<<number(y, x+1))
			b.boxes, b.outer = append(b.boxes, box), b.outer^box // an inner line is in two boxes
		}
	}
	noCorner := func(box uint64) bool { return bits.OnesCount64(box&b.outer) < 2 }
	b.corners = slices.DeleteFunc(slices.Clone(b.boxes), noCorner)
	for way := 0; way < 4 || way < 8 && rows == cols; way++ {
		var image [8][256]uint64
		for y := 0; y <= h; y++ {
			for x := 1 - y%2; x <= w; x += 2 {
				to := [8][2]int{
					{y, x}, {h - y, x}, {y, w - x}, {h - y, w - x}, {x, y}, {h - x, y}, {x, w - y}, {h - x, w - y},
				}[way]
				for line, set := number(y, x), 0; set < 256; set++ {
					image[line/8][set] |= uint64(set>>(line%8)&1) << number(to[0], to[1])
				}
			}
		}
		b.images = append(b.images, image)
	}
	return b
}

// smallest returns the smallest number of the positions that count as the same.
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

// left returns the number of squares with a free line.
func (b *board) left(position uint64) (n int) {
	for _, box := range b.boxes {
		n += min(1, bits.OnesCount64(position&box))
	}
	return n
}

// open returns the free lines that are reached from the outside across free lines.
func (b *board) open(position uint64) uint64 {
	wet := position & b.outer
	for before := ^wet; before != wet; {
		before = wet
		for _, box := range b.boxes {
			if wet&box != 0 {
				wet |= position & box
			}
		}
	}
	return wet
}

// play returns the position after a line is drawn, the squares won, and whether the turn passes (0 or 1).
func (b *board) play(position uint64, line int) (after uint64, won, passes int) {
	after = position &^ (1 << line)
	if b.circuit { // squares not reached from the outside are won
		after = b.open(after)
	}
	if won = b.left(position) - b.left(after); won == 0 || b.circuit {
		passes = 1
	}
	return after, won, passes
}

// claim adds a claim unless it is true for any result. If it is false for every result, claim fails.
func (b *board) claim(who int, position uint64, least int) error {
	if left := b.left(position); least > left {
		return fmt.Errorf("position %#x: %+d is claimed with %d squares left", position, least, left)
	} else if least > -left {
		claims := &b.claims[who][bits.OnesCount64(position)]
		*claims = append(*claims, b.smallest(position)<<8|uint64(least+128))
	}
	return nil
}

// checkPairing reads the partner of each line. It returns an error unless the pairs prove that the
// second player wins at least -value squares more on the empty board of Circuit Wars.
//
// They do if they swap all lines, map the lines of each square to those of a square, and map at least
// -value squares to themselves: the second player answers each line l with its partner l'. After this
// the free lines are symmetric, for the following reason. Let C be the squares that l cuts off. If C is
// empty, l' is still free. The second player wins what l' cuts off, and the rest is connected to the
// outside, hence symmetric. If C is not empty, l is the last line between C and the rest, and l' that
// between the image C' of C and the rest. Two such sets are nested or disjoint. C and C' have the same
// size and different last lines, so they are disjoint, and l' wins C', as many squares as C. A square
// mapped to itself cannot be in C, because it would be in C' too, so only the second player wins it.
func (b *board) checkPairing(value int, moves *bufio.Reader) error {
	partner := make([]byte, b.lines)
	if _, err := io.ReadFull(moves, partner); err != nil {
		return fmt.Errorf("pairing: %w", err)
	}
	for line, to := range partner {
		if int(to) >= b.lines || int(to) == line || int(partner[to]) != line {
			return fmt.Errorf("line %d is paired with %d", line, to)
		}
	}
	fixed := 0
	for _, box := range b.boxes {
		var image uint64
		for rest := box; rest != 0; rest &= rest - 1 {
			image |= 1 << partner[bits.TrailingZeros64(rest)]
		}
		if !slices.Contains(b.boxes, image) {
			return fmt.Errorf("the lines paired with those of a square, %#x, are no square", box)
		} else if image == box {
			fixed++
		}
	}
	if fixed < -value {
		return fmt.Errorf("the pairing proves that the second player wins %d more, not %d", fixed, -value)
	}
	return nil
}

// check returns what the claims prove. A claim leads only to claims with fewer free lines, so all claims
// about a position are known when it is their turn.
func (b *board) check(value int, from uint64, pairing bool, moves *bufio.Reader) (what string, err error) {
	what, empty := fmt.Sprintf("value %d for the first player", value), uint64(1)<<b.lines-1
	switch {
	case from&^empty != 0 || b.circuit && b.open(from) != from:
		return "", fmt.Errorf("position %#x is not a position of the board", from)
	case from != 0:
		what, err = fmt.Sprintf("position %x, at least %d", from, value), b.claim(claimant, from, value)
	case pairing:
		err = cmp.Or(b.checkPairing(value, moves), b.claim(claimant, empty, value))
	default:
		err = cmp.Or(b.claim(claimant, empty, value), b.claim(opponent, empty, -value))
	}
	for i := 2*b.lines + 1; i > 1 && err == nil; i-- { // by free lines, i/2, then by the side to move
		claims, who := b.claims[i%2][i/2], i%2
		slices.Sort(claims)
		for k, claim := range claims {
			position, lines, least := claim>>8, claim>>8, int(claim&255)-128
			if k+1 < len(claims) && claims[k+1]>>8 == position {
				continue // the last one is the largest
			}
			if who == claimant {
				move, err := moves.ReadByte()
				switch lines = 1 << move; {
				case err == nil && b.leaves && 64 <= move && move < 128: // lines is 0
					b.count, b.largest = b.count+1, max(b.largest, i/2)
				case err != nil || position&lines == 0: // 0 too if move > 63
					return "", fmt.Errorf("position %#x: line %d is not free, or the file is cut off", position, move)
				}
			}
			for ; lines != 0; lines &= lines - 1 {
				line := bits.TrailingZeros64(lines)
				after, won, passes := b.play(position, line)
				if err := b.claim((who+passes)%2, after, least+[2]int{won, -won}[who]); err != nil {
					return "", fmt.Errorf("position %#x, %+d claimed, line %d: %w", position, least, line, err)
				}
			}
		}
		b.claims[who][i/2] = nil
	}
	if b.leaves {
		what += fmt.Sprintf(" if the claims without a proof are true (%d, with at most %d free lines)", b.count, b.largest)
	}
	return what, err
}

package opening

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"endwise/book/opening/facts"
	"endwise/book/opening/value"
	"endwise/engine"
)

// The text form of a book is sorted, complete and the same for every book with
// the same facts:
//
//	endwise opening book 1
//	game circuitwars
//	rules 1
//	board 7x7
//	nodes 2
//	KEY VALUE visits=3 depth=9 ms=2000 [work=ENGINE/LIMIT/NODES] [proved=BOUNDS] MOVE=VALUE MOVE=VALUE …
//	…
//	sha256 DIGEST
//
// with one line a node, in the order of the keys (hexadecimal). VALUE is what
// the node is worth to the side to move, as value.Value.String writes it: 3
// is proved, 3? estimated, 3?>=1, 3?<=4 and 3?1..4 estimated between bounds; it
// follows from the rest and is checked when a book is read. work, in books of
// format 2, is that of an evaluation that recurs (facts.Work). depth (plies), ms
// (milliseconds), proved (about the node itself: 3, >=1, <=4 or 1..4) and what
// the moves are worth are what the evaluation said. A move stands for all that
// lead to the same canonical position; moves are those of the canonical
// position in the game's own notation, in the order of their numbers. DIGEST
// is the SHA-256 of everything before its line.

const textTitle = "endwise opening book"

// maxTextLine is the longest line of a text form.
const maxTextLine = 1 << 20

// sorted lists the nodes in the order of their keys.
func (b *Book) sorted() []int32 {
	order := make([]int32, len(b.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(b.nodes[x].Key, b.nodes[y].Key) })
	return order
}

// Export writes the text form.
func (b *Book) Export(ctx context.Context, w io.Writer) error {
	digest := sha256.New()
	out := bufio.NewWriterSize(w, 1<<16)
	both := io.MultiWriter(out, digest)
	fmt.Fprintf(both, "%s %d\ngame %s\nrules %d\nboard %s\nnodes %d\n", textTitle, b.textFormat(), b.header.Game, b.header.Rules, b.header.Board, len(b.nodes))
	var line []byte
	for i, id := range b.sorted() {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p, err := b.position(id)
		if err != nil {
			return fmt.Errorf("node %x: %w", b.nodes[id].Key, err)
		}
		line = b.nodes[id].AppendText(line[:0], p, b.nodes[id].value)
		if _, err := both.Write(line); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "sha256 %x\n", digest.Sum(nil))
	return out.Flush()
}

// textFormat is the version of the text form: 1 where nothing needs another.
func (b *Book) textFormat() int {
	if slices.ContainsFunc(b.nodes, func(n node) bool { return n.Work != (facts.Work{}) }) {
		return Format
	}
	return 1
}

// readTextHeader reads the lines before the nodes and says how many nodes
// follow.
func readTextHeader(next func() (string, error)) (h Header, nodes int, err error) {
	for _, field := range []struct {
		name string
		set  func(string) error
	}{
		{textTitle, func(s string) (err error) { h.Format, err = strconv.Atoi(s); return err }},
		{"game", func(s string) error { h.Game = s; return nil }},
		{"rules", func(s string) (err error) { h.Rules, err = strconv.Atoi(s); return err }},
		{"board", func(s string) error { h.Board = s; return nil }},
		{"nodes", func(s string) (err error) { nodes, err = strconv.Atoi(s); return err }},
	} {
		line, err := next()
		if err != nil {
			return h, 0, err
		}
		value, ok := strings.CutPrefix(line, field.name+" ")
		if !ok || field.set(value) != nil {
			return h, 0, fmt.Errorf("%.60q: want a line %q with its value", line, field.name)
		}
		if field.name == textTitle && (h.Format < 1 || h.Format > Format) {
			return h, 0, fmt.Errorf("%w: format %d, this program reads formats up to %d", ErrForeign, h.Format, Format)
		}
	}
	if nodes < 0 {
		return h, 0, fmt.Errorf("nodes %d", nodes)
	}
	return h, nodes, nil
}

// ReadText reads the text form into a book in memory. Every line is checked:
// its key must be that of a canonical position, its moves exactly the
// position's, its value the one that follows from all lines together, and the
// digest that of the text. games finds the game by its name. Errors name the
// line.
func ReadText(ctx context.Context, r io.Reader, name string, games func(name string) (engine.Game, error)) (*Book, error) {
	in := bufio.NewReaderSize(r, maxTextLine)
	digest := sha256.New()
	number := 0
	fail := func(err error) (*Book, error) {
		return nil, fmt.Errorf("%s line %d: %w", name, number, err)
	}
	var raw []byte
	next := func() (string, error) {
		number++
		var err error
		raw, err = in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			err = fmt.Errorf("longer than %d bytes", maxTextLine)
		case errors.Is(err, io.EOF):
			err = errors.New("the text stops here, in the middle")
		}
		return strings.TrimSuffix(string(raw), "\n"), err
	}
	hashed := func() (string, error) {
		line, err := next()
		digest.Write(raw)
		return line, err
	}
	h, nodes, err := readTextHeader(hashed)
	if err != nil {
		return fail(err)
	}
	first := number
	game, err := games(h.Game)
	if err != nil {
		return fail(err)
	}
	b, err := newFor(h, name, game, "")
	if err != nil {
		return nil, err
	}
	stated := make([]value.Value, 0, min(nodes, 1<<20))
	last := ""
	for i := range nodes {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, err := hashed()
		if err != nil {
			return fail(err)
		}
		r, v, err := facts.ParseText(b.game, line)
		if err != nil {
			return fail(err)
		}
		if i > 0 && r.Key <= last {
			return fail(errors.New("the keys do not ascend"))
		}
		last = r.Key
		stated = append(stated, v)
		b.insert(r)
	}
	want := hex.EncodeToString(digest.Sum(nil))
	line, err := next()
	if err != nil {
		return fail(err)
	}
	if got, ok := strings.CutPrefix(line, "sha256 "); !ok || got != want {
		return fail(fmt.Errorf("%w: the digest is %s, the text says %.80q", facts.ErrDamaged, want, line))
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		number++
		return fail(errors.New("the text goes on after its digest"))
	}
	var problem problemList
	b.finish(problem.report)
	if err := problem.err(); err != nil {
		return nil, err
	}
	for id, v := range stated {
		if b.nodes[id].value != v {
			number = first + 1 + id
			return fail(fmt.Errorf("the value %s does not follow from the others: they give %s", v, b.nodes[id].value))
		}
	}
	return b, nil
}

// Import writes a book in memory to a new directory.
func (b *Book) Import(dir string) error {
	if Exists(dir) {
		return fmt.Errorf("%s: there is a book already", dir)
	}
	unlock, err := hold(dir)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = b.writeTo(dir)
	return err
}

package opening

import (
	"bufio"
	"bytes"
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
// the node is worth to the side to move, as Value.String writes it: 3 is
// proved, 3? estimated, 3?>=1, 3?<=4 and 3?1..4 estimated between bounds; it
// follows from the rest and is checked when a book is read. work, in books of
// format 2, is that of an evaluation that recurs (Work). depth (plies), ms
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
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(b.nodes[x].key, b.nodes[y].key) })
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
			return fmt.Errorf("node %x: %w", b.nodes[id].key, err)
		}
		line = b.nodes[id].appendText(line[:0], p)
		if _, err := both.Write(line); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "sha256 %x\n", digest.Sum(nil))
	return out.Flush()
}

// textFormat is the version of the text form: 1 where nothing needs another.
func (b *Book) textFormat() int {
	if slices.ContainsFunc(b.nodes, func(n node) bool { return n.work != (Work{}) }) {
		return Format
	}
	return 1
}

func (n *node) appendText(dst []byte, p engine.Position) []byte {
	dst = fmt.Appendf(dst, "%x %s visits=%d depth=%d ms=%d", n.key, n.value, n.visits, n.depth, n.millis)
	if w := n.work; w != (Work{}) {
		dst = fmt.Appendf(dst, " work=%d/%d/%d", w.Engine, w.Limit, w.Nodes)
	}
	if s := n.own.bounds(); s != "" {
		dst = fmt.Appendf(dst, " proved=%s", s)
	}
	for i := range n.classes {
		c := &n.classes[i]
		dst = fmt.Appendf(dst, " %s=%s", p.MoveString(engine.Move(c.move)), c.leaf)
	}
	return append(dst, '\n')
}

// bounds writes what is proved: 3, >=1, <=4, 1..4, or nothing.
func (v Value) bounds() string {
	_, s, estimate := strings.Cut(v.String(), "?")
	if !estimate {
		return v.String()
	}
	return s
}

func parseBounds(s string) (Value, error) {
	v, err := parseValue(s)
	if err != nil {
		v, err = parseValue("0?" + s)
	}
	if err != nil || v.bounds() != s {
		return v, fmt.Errorf("proved=%.40s: want 3, >=1, <=4 or 1..4", s)
	}
	return v, nil
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
	stated := make([]Value, 0, min(nodes, 1<<20))
	last := ""
	for i := range nodes {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		line, err := hashed()
		if err != nil {
			return fail(err)
		}
		r, v, err := b.rules.parseNode(line)
		if err != nil {
			return fail(err)
		}
		if i > 0 && r.key <= last {
			return fail(errors.New("the keys do not ascend"))
		}
		last = r.key
		stated = append(stated, v)
		b.insert(r)
	}
	want := hex.EncodeToString(digest.Sum(nil))
	line, err := next()
	if err != nil {
		return fail(err)
	}
	if got, ok := strings.CutPrefix(line, "sha256 "); !ok || got != want {
		return fail(fmt.Errorf("%w: the digest is %s, the text says %.80q", ErrDamaged, want, line))
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

// parseNode reads a node's line.
func (g *rules) parseNode(line string) (r record, v Value, err error) {
	f := strings.Split(line, " ")
	if len(f) < 5 {
		return r, v, fmt.Errorf("%d fields: want KEY VALUE visits= depth= ms= and the moves", len(f))
	}
	key, err := hex.DecodeString(f[0])
	if err != nil {
		return r, v, fmt.Errorf("key %.80q: want hexadecimal digits", f[0])
	}
	p, err := g.canonicalPosition(string(key))
	if err != nil {
		return r, v, err
	}
	if v, err = parseValue(f[1]); err != nil {
		return r, v, err
	}
	r = record{key: string(key), own: unknown(0)}
	for i, form := range []string{"visits=%d", "depth=%d", "ms=%d"} {
		if _, err := fmt.Sscanf(f[2+i], form, []any{&r.visits, &r.depth, &r.millis}[i]); err != nil {
			return r, v, fmt.Errorf("%.40q: want %s, a number: %w", f[2+i], form, err)
		}
	}
	moves := f[5:]
	if len(moves) > 0 && strings.HasPrefix(moves[0], "work=") {
		if _, err := fmt.Sscanf(moves[0], "work=%d/%d/%d", &r.work.Engine, &r.work.Limit, &r.work.Nodes); err != nil {
			return r, v, fmt.Errorf("%.60q: want work=ENGINE/LIMIT/NODES", moves[0])
		}
		moves = moves[1:]
	}
	if len(moves) > 0 {
		if s, ok := strings.CutPrefix(moves[0], "proved="); ok {
			if r.own, err = parseBounds(s); err != nil {
				return r, v, err
			}
			moves = moves[1:]
		}
	}
	steps, _, err := g.steps(p)
	if err != nil {
		return r, v, err
	}
	if len(steps) != len(moves) {
		return r, v, fmt.Errorf("%d moves: the position has %d that differ", len(moves), len(steps))
	}
	r.classes = blank(steps)
	for i, s := range steps {
		name, text, _ := strings.Cut(moves[i], "=")
		if want := p.MoveString(s.move); name != want {
			return r, v, fmt.Errorf("move %.40q: want %s there", name, want)
		}
		leaf, err := parseValue(text)
		if err != nil {
			return r, v, fmt.Errorf("move %s: %w", name, err)
		}
		if s.over && leaf != exactly(s.gain) {
			return r, v, fmt.Errorf("move %s: %s, but it ends the game with %d", name, leaf, s.gain)
		}
		r.classes[i].leaf = leaf
	}
	n := node{record: r, value: v}
	if want := bytes.TrimSuffix(n.appendText(nil, p), []byte("\n")); string(want) != line {
		return r, v, fmt.Errorf("it would be written %.200q", want)
	}
	return r, v, nil
}

// canonicalPosition is the position of a key that must be canonical and not over.
func (g *rules) canonicalPosition(key string) (engine.Canonical, error) {
	p, err := g.game.FromKey([]byte(key))
	if err != nil {
		return nil, fmt.Errorf("key %x: %w", key, err)
	}
	if again, _ := p.CanonicalKey(nil); string(again) != key {
		return nil, fmt.Errorf("key %x: not canonical, that is %x", key, again)
	}
	if p.Over() {
		return nil, fmt.Errorf("key %x: the game is over there", key)
	}
	return p, nil
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

// parseValue reads what Value.String writes.
func parseValue(s string) (Value, error) {
	est, bounds, estimate := strings.Cut(s, "?")
	n, err := parseScore(est)
	v := exactly(n)
	if estimate {
		v = unknown(n)
		lo, hi, two := strings.Cut(bounds, "..")
		var err2, err3 error
		switch {
		case two:
			v.Lo, err2 = parseScore(lo)
			v.Hi, err3 = parseScore(hi)
		case strings.HasPrefix(bounds, ">="):
			v.Lo, err2 = parseScore(bounds[2:])
		case strings.HasPrefix(bounds, "<="):
			v.Hi, err2 = parseScore(bounds[2:])
		}
		err = errors.Join(err, err2, err3)
	}
	if err != nil || v.Lo > v.Hi || v.String() != s {
		return Value{}, fmt.Errorf("value %.40q: want a number, or an estimate like 1? 1?>=1 1?<=4 or 1?1..4", s)
	}
	return v, nil
}

func parseScore(s string) (int16, error) {
	n, err := strconv.ParseInt(s, 10, 16)
	if err == nil && (n > maxScore || n < -maxScore) {
		err = strconv.ErrRange
	}
	return int16(n), err
}

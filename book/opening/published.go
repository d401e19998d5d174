package opening

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"endwise/book/store"
	"endwise/engine"
)

// Published is a published book, opened for reading. Opening it reads little
// more than a header; it is safe for concurrent use.
type Published struct {
	table    *store.Table
	game     engine.CanonicalGame
	keyBytes int
}

// OpenPublished opens a published book of a game. It returns the errors of
// package store, and store.ErrForeign for another format of the book.
func OpenPublished(path string, game engine.Game) (*Published, error) {
	t, err := store.Open(path, store.Options{Game: game.Name(), Rules: game.RulesVersion(), CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	p, err := newPublished(t, game)
	if err != nil {
		t.Close()
		return nil, err
	}
	return p, nil
}

func newPublished(t *store.Table, game engine.Game) (*Published, error) {
	h := t.Header()
	g, ok := game.(engine.CanonicalGame)
	if !ok {
		return nil, fmt.Errorf("%s: positions have no canonical form", game.Title())
	}
	if h.Solver != PublishedFormat {
		return nil, fmt.Errorf("%s: %w: published as format %d, this program reads format %d: publish it again", t.Path(), store.ErrForeign, h.Solver, PublishedFormat)
	}
	n, err := strconv.Atoi(h.Params["key_bytes"])
	if err != nil || n < 1 || n > maxKeyBytes {
		return nil, fmt.Errorf("%s: %w: key_bytes %q", t.Path(), store.ErrDamaged, h.Params["key_bytes"])
	}
	return &Published{t, g, n}, nil
}

// Close closes the book.
func (p *Published) Close() error { return p.table.Close() }

// Board is the board that the book is for.
func (p *Published) Board() string { return p.Header().Params["board"] }

// Header is the table's description.
func (p *Published) Header() *store.Header { return p.table.Header() }

// Lookup finds a position; the orientation translates the entry's moves. A
// position of another board is not in the book.
func (p *Published) Lookup(c engine.Canonical) (Entry, engine.Orientation, bool, error) {
	key, o := c.CanonicalKey(nil)
	e, ok, err := p.find(key)
	return e, o, ok, err
}

// find looks a key up.
func (p *Published) find(key []byte) (e Entry, ok bool, err error) {
	if len(key) != p.keyBytes {
		return e, false, nil
	}
	n := blockOf(key, p.table.Header().Blocks)
	block, err := p.table.Block(n)
	if err != nil {
		return e, false, err
	}
	err = p.scan(n, block, func(k []byte, entry Entry) error {
		if string(k) == string(key) {
			e, ok = entry, true
			return errFound
		}
		return nil
	})
	if ok {
		err = nil
	}
	return e, ok, err
}

// errFound ends a scan.
var errFound = errors.New("found")

// scan calls f with what a block holds, until f returns an error.
func (p *Published) scan(n uint64, block []byte, f func(key []byte, e Entry) error) error {
	damaged := fmt.Errorf("%s: %w: block %d is malformed", p.table.Path(), store.ErrDamaged, n)
	r := byteReader{b: block}
	count := r.uvarint(uint64(len(block)))
	var key [maxKeyBytes]byte
	for range count {
		shared := int(r.bytes(1)[0])
		if r.bad || shared > p.keyBytes {
			return damaged
		}
		copy(key[shared:p.keyBytes], r.bytes(p.keyBytes-shared))
		e := r.entry()
		if r.bad {
			return damaged
		}
		if err := f(key[:p.keyBytes], e); err != nil {
			return err
		}
	}
	if r.bad || len(r.b) != 0 {
		return damaged
	}
	return nil
}

// Each calls f with every position of the book, in the order of the blocks,
// until f returns an error. A position that cannot be read is an error.
func (p *Published) Each(ctx context.Context, f func(pos engine.Canonical, e Entry) error) error {
	for n := range p.table.Header().Blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		block, err := p.table.Block(n)
		if err != nil {
			return err
		}
		err = p.scan(n, block, func(key []byte, e Entry) error {
			pos, err := p.game.FromKey(key)
			if err != nil {
				return err
			}
			return f(pos, e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckPublished reads a whole published book and tells report of everything
// that is wrong with it: damaged files and blocks, keys that are not canonical
// or lie in a wrong block, moves that are not legal, and values that do not
// follow from the children and the best of the other moves. It returns the
// number of nodes. progress may be nil.
func CheckPublished(ctx context.Context, path string, game engine.Game, report func(Problem), progress func(done, total uint64)) (nodes int, err error) {
	p, err := OpenPublished(path, game)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	if progress == nil {
		progress = func(done, total uint64) {}
	}
	rules := &rules{p.game, p.game.ProofScale()}
	if err := p.table.Verify(ctx, func(err error) { report(Problem{path, err.Error()}) }, func(done, total uint64) {}); err != nil {
		return 0, err
	}
	blocks := p.table.Header().Blocks
	for n := range blocks {
		if err := ctx.Err(); err != nil {
			return nodes, err
		}
		block, err := p.table.Block(n)
		if err != nil {
			continue // reported by Verify
		}
		last := ""
		err = p.scan(n, block, func(key []byte, e Entry) error {
			nodes++
			where := fmt.Sprintf("block %d, node %x", n, key)
			if string(key) <= last && last != "" {
				report(Problem{where, "the keys do not ascend"})
			}
			last = string(key)
			if blockOf(key, blocks) != n {
				report(Problem{where, fmt.Sprintf("belongs into block %d", blockOf(key, blocks))})
			}
			p.checkEntry(rules, where, last, e, report)
			return nil
		})
		if err != nil {
			report(Problem{path, err.Error()})
		}
		progress(n+1, blocks)
	}
	if want := p.table.Header().Notes["nodes"]; uint64(nodes) != want {
		report(Problem{path, fmt.Sprintf("%d nodes, the header says %d", nodes, want)})
	}
	return nodes, nil
}

// checkEntry compares an entry with the rules and with its children's.
func (p *Published) checkEntry(g *rules, where, key string, e Entry, report func(Problem)) {
	pos, err := g.canonicalPosition(key)
	if err != nil {
		report(Problem{where, err.Error()})
		return
	}
	where = "node " + pos.String()
	steps, members, err := g.steps(pos)
	if err != nil {
		report(Problem{where, err.Error()})
		return
	}
	for _, m := range []struct {
		what string
		move engine.Move
		used bool
	}{{"best", e.Best, true}, {"safe", e.Safe, e.HasSafe}, {"best other", e.Rest, e.HasRest}} {
		if _, legal := members[m.move]; m.used && !legal {
			report(Problem{where, fmt.Sprintf("its %s move %s is not legal", m.what, pos.MoveString(m.move))})
			return
		}
	}
	est := int16(-Unbounded)
	if e.HasRest {
		est = e.RestValue.Est
	}
	bestLinked, restLinked := false, false
	for _, s := range steps {
		if s.over {
			continue
		}
		child, ok, err := p.find([]byte(s.key))
		if err != nil || !ok {
			continue // a damaged block is reported where it lies
		}
		v := child.Value.Through(int(s.gain), s.passes)
		est = max(est, min(v.Est, e.Value.Hi))
		if v.Lo > e.Value.Hi {
			report(Problem{where, fmt.Sprintf("proved %s, but move %s is worth at least %d", e.Value.bounds(), pos.MoveString(s.move), v.Lo)})
		}
		bestLinked = bestLinked || s.move == e.Best
		restLinked = restLinked || s.move == e.Rest && e.HasRest
		if s.move == e.Best && e.Value.Exact() && v.Hi < e.Value.Lo {
			report(Problem{where, fmt.Sprintf("proved %s, but its best move %s is worth at most %d", e.Value.bounds(), pos.MoveString(s.move), v.Hi)})
		}
	}
	want := e.Value
	want.Est = est
	if want = want.clamp(); want != e.Value {
		report(Problem{where, fmt.Sprintf("the estimate %s does not follow from its moves: %s does", e.Value, want)})
	}
	if bestLinked != e.BestLinked {
		report(Problem{where, "it is wrong about whether its best move is in the book"})
	}
	if restLinked {
		report(Problem{where, fmt.Sprintf("its best other move %s is in the book", pos.MoveString(e.Rest))})
	}
}

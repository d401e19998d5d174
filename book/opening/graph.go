package opening

import (
	"fmt"
	"iter"

	"endwise/engine"
)

// Header says what a book is about.
type Header struct {
	Format int    `json:"format"`
	Game   string `json:"game"`
	Rules  int    `json:"rules_version"`
	Board  string `json:"board"`
}

// rules is what a book needs of its game.
type rules struct {
	game  engine.CanonicalGame
	scale int
}

// Node numbers a node of one opened book, from 0 in the order in which they
// were added.
type Node int32

// node is a record and what follows from it.
type node struct {
	record
	parents []int32
	// given is what the evaluations of the parents proved about this position.
	given  Value
	value  Value
	behind Behind
	// best is the class that gives value.Est; -1 while nothing was worked out.
	best int32
	// cost is what the cheapest open leaf below gives up, with us (0) or the
	// opponent (1) to move; frontier.go.
	cost [2]int32
	// ply is the number of moves from the frontier's root, noPly if none leads here.
	ply      uint16
	sameHash int32 // next node with the same hash, -1 for none
	queued   bool
	conflict bool // two proofs exclude each other here
}

const noPly = 1<<16 - 1

// Book is an opened book: all nodes in memory, with everything that follows
// from the facts. It is for one goroutine at a time.
type Book struct {
	header Header
	rules  rules
	nodes  []node
	heads  map[uint32]int32 // hash of a key → first node with it
	links  int
	// waiting finds the classes that a new node must be linked to; nil until
	// the first node is added to an opened book.
	waiting  *waitingIndex
	frontier *frontier // nil while nobody grows the book
	journal  *journal  // nil for a book in memory only
	queue    []int32
	// conflicts counts the nodes at which two proofs exclude each other;
	// lastConflict is the one that became so last.
	conflicts    int
	lastConflict int32
}

// New is an empty book in memory.
func New(game engine.Game, board string) (*Book, error) {
	g, ok := game.(engine.CanonicalGame)
	if !ok {
		return nil, fmt.Errorf("%s: positions have no canonical form: no book of them is possible", game.Title())
	}
	start, err := game.Start(board)
	if err != nil {
		return nil, err
	}
	c, err := canonicalOf(start)
	if err != nil {
		return nil, err
	}
	return &Book{
		header: Header{Format: 1, Game: game.Name(), Rules: game.RulesVersion(), Board: c.BoardName()},
		rules:  rules{g, g.ProofScale()},
		heads:  map[uint32]int32{},
	}, nil
}

// Header says what the book is about.
func (b *Book) Header() Header { return b.header }

// Len is the number of nodes.
func (b *Book) Len() int { return len(b.nodes) }

// Start is the first position of the book's board.
func (b *Book) Start() (engine.Canonical, error) {
	p, err := b.rules.game.Start(b.header.Board)
	if err != nil {
		return nil, err
	}
	return canonicalOf(p)
}

// find is the node with a key.
func (b *Book) find(key string) (int32, bool) {
	id, ok := b.heads[hash32(key)]
	for ; ok && id >= 0; id = b.nodes[id].sameHash {
		if b.nodes[id].key == key {
			return id, true
		}
	}
	return 0, false
}

// Find is the node of a position, with the position's orientation in it.
func (b *Book) Find(p engine.Position) (Node, engine.Orientation, bool, error) {
	c, err := b.own(p)
	if err != nil {
		return 0, nil, false, err
	}
	key, o := c.CanonicalKey(nil)
	id, ok := b.find(string(key))
	return Node(id), o, ok, nil
}

// own asserts that p is a position of the book's game and board.
func (b *Book) own(p engine.Position) (engine.Canonical, error) {
	c, err := canonicalOf(p)
	if err != nil {
		return nil, err
	}
	if p.Game() != b.header.Game || c.BoardName() != b.header.Board {
		return nil, fmt.Errorf("%w: it is for %s %s, the position is of %s %s", ErrForeign, b.header.Game, b.header.Board, p.Game(), c.BoardName())
	}
	return c, nil
}

// position is the canonical position of a node.
func (b *Book) position(id int32) (engine.Canonical, error) {
	return b.rules.game.FromKey([]byte(b.nodes[id].key))
}

// replace gives a node that is there another record, or adds one, without linking it.
func (b *Book) replace(r record) int32 {
	id, known := b.find(r.key)
	if !known {
		return b.insert(r)
	}
	b.nodes[id].record = r
	return id
}

// insert adds a node without linking it.
func (b *Book) insert(r record) int32 {
	id := int32(len(b.nodes))
	h := hash32(r.key)
	next := int32(-1)
	if head, ok := b.heads[h]; ok {
		next = head
	}
	b.heads[h] = id
	b.nodes = append(b.nodes, node{record: r, given: unknown(0), best: -1, ply: noPly, cost: [2]int32{never, never}, sameHash: next})
	return id
}

// linkClass links class i of a node if its position is a node. The hash finds
// candidates; a move is only linked after it has been played and the keys have
// been compared.
func (b *Book) linkClass(id int32, i int, p *engine.Canonical) error {
	c := &b.nodes[id].classes[i]
	if c.child == final {
		return nil
	}
	head, ok := b.heads[c.hash]
	if !ok {
		return nil
	}
	if *p == nil {
		q, err := b.position(id)
		if err != nil {
			return fmt.Errorf("node %x: %w", b.nodes[id].key, err)
		}
		*p = q
	}
	s, err := b.rules.play(*p, engine.Move(c.move))
	if err != nil {
		return fmt.Errorf("node %s: %w", *p, err)
	}
	for to := head; to >= 0; to = b.nodes[to].sameHash {
		if !s.over && b.nodes[to].key == s.key {
			c.child, c.gain, c.passes = to, s.gain, s.passes
			b.nodes[to].parents = append(b.nodes[to].parents, id)
			b.links++
			b.give(to, c)
			break
		}
	}
	return nil
}

// give hands a class's proof to the node it leads to, and marks that if it
// learns something.
func (b *Book) give(to int32, c *class) {
	n := &b.nodes[to]
	gain := int(c.gain)
	if !c.passes {
		gain = -gain
	}
	proof := c.leaf.Through(gain, c.passes)
	// Bounds that exclude each other are kept as they are: work finds them.
	given := Value{max(n.given.Lo, proof.Lo), min(n.given.Hi, proof.Hi), 0}
	if given != n.given {
		n.given = given
		if b.waiting != nil {
			b.push(to)
		}
	}
}

// finish links every class of every node of a loaded book and works all out;
// report hears of records that the rules contradict.
func (b *Book) finish(report func(Problem)) {
	for id := range b.nodes {
		var p engine.Canonical
		for i := range b.nodes[id].classes {
			if err := b.linkClass(int32(id), i, &p); err != nil {
				report(Problem{b.header.Game, err.Error()})
				break
			}
		}
	}
	b.propagateAll()
}

// add adds a node, links it both ways and works out what changes. It does not
// write to the journal.
func (b *Book) add(r record) (int32, error) {
	if b.waiting == nil {
		b.waiting = newWaitingIndex(b)
	}
	id := b.insert(r)
	var p engine.Canonical
	for i := range b.nodes[id].classes {
		if err := b.linkClass(id, i, &p); err != nil {
			return id, err
		}
		if c := &b.nodes[id].classes[i]; c.child == unlinked {
			b.waiting.add(c.hash, id)
		}
	}
	if err := b.adopt(id); err != nil {
		return id, err
	}
	if b.frontier != nil {
		b.lowerPly(id)
	}
	b.push(id)
	b.propagate()
	return id, nil
}

// adopt links all classes that lead to a new node.
func (b *Book) adopt(id int32) error {
	h := hash32(b.nodes[id].key)
	for parent := range b.waiting.parents(h) {
		for i := range b.nodes[parent].classes {
			c := &b.nodes[parent].classes[i]
			if c.hash != h || c.child >= 0 {
				continue
			}
			var p engine.Canonical
			if err := b.linkClass(parent, i, &p); err != nil {
				return err
			}
			if c.child >= 0 {
				b.push(parent)
			}
		}
	}
	return nil
}

// waitingIndex finds, for the hash of a position, the nodes with a class that
// leads to a position of that hash. Entries of classes that were linked since stay
// and do no harm.
type waitingIndex struct {
	last map[uint32]int32 // hash → last entry of it
	list []waitingEntry
}

type waitingEntry struct {
	parent int32
	before int32 // the entry of the same hash before, -1 for none
}

func newWaitingIndex(b *Book) *waitingIndex {
	w := &waitingIndex{last: map[uint32]int32{}}
	for id := range b.nodes {
		for _, c := range b.nodes[id].classes {
			if c.child == unlinked || c.child == inFlight {
				w.add(c.hash, int32(id))
			}
		}
	}
	return w
}

func (w *waitingIndex) add(hash uint32, parent int32) {
	before, ok := w.last[hash]
	if !ok {
		before = -1
	}
	w.last[hash] = int32(len(w.list))
	w.list = append(w.list, waitingEntry{parent, before})
}

func (w *waitingIndex) parents(hash uint32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		at, ok := w.last[hash]
		for ; ok && at >= 0; at = w.list[at].before {
			if !yield(w.list[at].parent) {
				return
			}
		}
	}
}

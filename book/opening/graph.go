package opening

import (
	"fmt"
	"iter"
	"slices"

	"endwise/engine"
)

// Header describes a book.
type Header struct {
	Format int    `json:"format"`
	Game   string `json:"game"`
	Rules  int    `json:"rules_version"`
	Board  string `json:"board"`
}

// Node is the number of a node of an opened book, from 0 in the order of addition.
type Node int32

// node is a record and the values that follow from it.
type node struct {
	record
	links   []link // of the classes, in their order
	parents []int32
	// fromParents holds the bounds of this position that the parents' evaluations prove.
	fromParents Value
	value       Value
	behind      Behind
	// best is the class with the estimate value.Est; -1 before the first update.
	best int32
	// cost is the cost of the cheapest open leaf below; see frontier.go.
	cost int32
	// ply is the number of moves from the frontier's root, noPly if no path leads here.
	ply      uint16
	queued   bool
	conflict bool // two proofs exclude each other here
}

// link leads from a class of moves to a node.
type link struct {
	// child is the node, or one of the constants below. If it is a node, gain and passes
	// convert its value to the value of the class.
	child  int32
	gain   int16
	passes bool
}

// Values of child that are not a node.
const (
	unlinked int32 = -1 - iota
	inFlight       // the child is being evaluated
)

// noPly is the ply of a node that no path from the root reaches.
const noPly = 1<<16 - 1

// Book is an opened book with all nodes in memory, including everything that follows from
// the records. It is not safe for concurrent use.
type Book struct {
	header Header
	game   engine.Game
	nodes  []node
	byHash hashIndex // nodes by the hashes of their keys
	links  int       // number of links
	// byChildHash finds the nodes with an unlinked class by the class's hash; it is nil
	// until the first node is added to an opened book. Entries of classes that have been
	// linked since remain and do no harm.
	byChildHash *hashIndex
	frontier    *frontier // nil unless the book is growing
	journal     *journal  // nil for a book in memory only
	torn        bool      // a power cut left a sector of zeros in its journal
	queue       []int32   // nodes marked by push
	// conflicts is the number of nodes at which two proofs exclude each other; lastConflict
	// is the latest of them.
	conflicts    int
	lastConflict int32
}

// New returns an empty book in memory.
func New(game engine.Game, board string) (*Book, error) {
	start, err := game.Start(board)
	if err != nil {
		return nil, err
	}
	return &Book{
		header: Header{Format: Format, Game: game.Name(), Rules: game.RulesVersion(), Board: start.BoardName()},
		game:   game,
	}, nil
}

// Header returns the book's description.
func (b *Book) Header() Header { return b.header }

// Len returns the number of nodes.
func (b *Book) Len() int { return len(b.nodes) }

// Start returns the first position of the book's board.
func (b *Book) Start() (engine.Position, error) { return b.game.Start(b.header.Board) }

// find returns the node with a key.
func (b *Book) find(key string) (int32, bool) {
	for id := range b.byHash.nodes(childHash(key)) {
		if b.nodes[id].Key == key {
			return id, true
		}
	}
	return 0, false
}

// Find returns the node of a position and the position's orientation.
func (b *Book) Find(p engine.Position) (Node, engine.Orientation, bool, error) {
	if err := b.checkBoard(p); err != nil {
		return 0, nil, false, err
	}
	key, o := p.CanonicalKey(nil)
	id, ok := b.find(string(key))
	return Node(id), o, ok, nil
}

// checkBoard returns an error unless p is a position of the book's game and board.
func (b *Book) checkBoard(p engine.Position) error {
	if p.Game() != b.header.Game || p.BoardName() != b.header.Board {
		return fmt.Errorf("%w: it is for %s %s, the position is of %s %s", ErrForeign, b.header.Game, b.header.Board, p.Game(), p.BoardName())
	}
	return nil
}

// position returns the canonical position of a node.
func (b *Book) position(id int32) (engine.Position, error) {
	return b.game.FromKey([]byte(b.nodes[id].Key))
}

// replace replaces the record of an existing node, or adds a node without linking it.
func (b *Book) replace(r record) int32 {
	id, exists := b.find(r.Key)
	if !exists {
		return b.insert(r)
	}
	n := &b.nodes[id]
	n.record, n.links = r, noLinks(&r)
	return id
}

// insert adds a node without linking it.
func (b *Book) insert(r record) int32 {
	id := int32(len(b.nodes))
	b.byHash.add(childHash(r.Key), id)
	b.nodes = append(b.nodes, node{record: r, links: noLinks(&r), fromParents: unknown(0), best: -1, ply: noPly, cost: noLeaf})
	return id
}

// noLinks returns the links of a new record's classes.
func noLinks(r *record) []link { return slices.Repeat([]link{{child: unlinked}}, len(r.Classes)) }

// linkClasses links the classes of a node whose positions are nodes. The hash finds
// candidates; a class is only linked after its move has been played and the keys have been
// compared.
func (b *Book) linkClasses(id int32) error {
	var p engine.Position
	n := &b.nodes[id]
	for i, c := range n.Classes {
		if c.Ends || n.links[i].child >= 0 {
			continue
		}
		for to := range b.byHash.nodes(c.Hash) {
			if p == nil {
				q, err := b.position(id)
				if err != nil {
					return fmt.Errorf("node %x: %w", n.Key, err)
				}
				p = q
			}
			s, err := playStep(b.game, p, engine.Move(c.Move))
			if err != nil {
				return fmt.Errorf("node %s: %w", p, err)
			}
			if !s.Over && b.nodes[to].Key == s.Key {
				n.links[i] = link{to, s.Gain, s.Passes}
				b.nodes[to].parents = append(b.nodes[to].parents, id)
				b.links++
				b.passBounds(n.links[i], c.Leaf)
				break
			}
		}
	}
	return nil
}

// passBounds adds a class's bounds to those of its child, and marks the child for an update
// if they change.
func (b *Book) passBounds(to link, leaf Value) {
	n := &b.nodes[to.child]
	gain := int(to.gain)
	if !to.passes {
		gain = -gain
	}
	proof := leaf.Through(gain, to.passes)
	// Bounds that exclude each other are stored as they are: update reports them.
	bounds := Value{Lo: max(n.fromParents.Lo, proof.Lo), Hi: min(n.fromParents.Hi, proof.Hi)}
	if bounds != n.fromParents {
		n.fromParents = bounds
		if b.byChildHash != nil { // else finish updates all nodes
			b.push(to.child)
		}
	}
}

// finish links every class of every node of a loaded book and computes all values; report
// is called for records that contradict the rules.
func (b *Book) finish(report func(Problem)) {
	for id := range b.nodes {
		if err := b.linkClasses(int32(id)); err != nil {
			report(Problem{b.header.Game, err.Error()})
		}
	}
	b.propagateAll()
}

// add adds a node, links it with its parents and children, and updates all values. It does
// not write to the journal.
func (b *Book) add(r record) (int32, error) {
	if b.byChildHash == nil {
		b.byChildHash = &hashIndex{}
		for id := range b.nodes {
			b.indexUnlinked(int32(id))
		}
	}
	id := b.insert(r)
	if err := b.linkClasses(id); err != nil {
		return id, err
	}
	b.indexUnlinked(id)
	for parent := range b.byChildHash.nodes(childHash(r.Key)) {
		links := b.links
		if err := b.linkClasses(parent); err != nil {
			return id, err
		}
		if b.links > links {
			b.push(parent)
		}
	}
	if b.frontier != nil {
		b.setPly(id)
	}
	b.push(id)
	b.propagate()
	return id, nil
}

// indexUnlinked adds a node to byChildHash for each unlinked class.
func (b *Book) indexUnlinked(id int32) {
	n := &b.nodes[id]
	for i, c := range n.Classes {
		if !c.Ends && n.links[i].child < 0 {
			b.byChildHash.add(c.Hash, id)
		}
	}
}

// hashIndex finds nodes by a hash: of their keys, or of the keys of the positions after
// their moves.
type hashIndex struct {
	last map[uint32]int32 // latest entry of a hash
	list []hashEntry
}

type hashEntry struct {
	node   int32
	before int32 // previous entry of the same hash, -1 for none
}

// add adds a node with a hash.
func (x *hashIndex) add(hash uint32, node int32) {
	before, ok := x.last[hash]
	if !ok {
		before = -1
	}
	if x.last == nil {
		x.last = map[uint32]int32{}
	}
	x.last[hash] = int32(len(x.list))
	x.list = append(x.list, hashEntry{node, before})
}

// nodes returns the nodes of a hash, the last one first.
func (x *hashIndex) nodes(hash uint32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		i, ok := x.last[hash]
		for ; ok && i >= 0; i = x.list[i].before {
			if !yield(x.list[i].node) {
				return
			}
		}
	}
}

package opening

import (
	"fmt"
	"slices"

	"endwise/engine"
)

// Header is the first frame of the journal (journal.go).
type Header struct {
	Format int    `json:"format"`
	Game   string `json:"game"`
	Rules  int    `json:"rules_version"`
	Board  string `json:"board"`
}

// Node identifies a node of an opened book.
type Node int32

type node struct {
	record
	links   []link // parallel to Moves
	parents []int32
	// fromParents holds the bounds that the parents' evaluations prove for this position.
	fromParents Value
	value       Value
	origin      Origin // of value.Est
	// best is the index of bestMove's move; -1 before the first update.
	best int32
	cost int32
	// ply is the number of moves from the frontier's root, noPly if no path leads here.
	ply      uint16
	queued   bool // in Book.queue
	conflict bool // proofs of this position or of a move exclude each other
}

type link struct {
	child  int32 // node, unlinked or inFlight
	gain   int16
	passes bool
}

const (
	unlinked int32 = -1 - iota
	inFlight       // the position is being evaluated
)

const noPly = 1<<16 - 1

// Book is a working book in memory. Methods that change a Book must not run concurrently with others.
type Book struct {
	header Header
	game   engine.Game
	nodes  []node
	byHash map[uint32][]int32 // nodes by the childHash of their keys
	links  int                // number of linked moves
	// byChildHash finds the parents of a new node: it maps a Hash to the nodes with an unlinked move of
	// this Hash, and possibly to nodes whose move is linked now. It is nil before the first add.
	byChildHash map[uint32][]int32
	frontier    *frontier // nil except during Grow
	journal     *journal  // nil for a book that is not open for writing
	torn        bool      // the journal has a sector of zeros, left by a power cut
	replaced    int       // number of records in the opened journal that later ones replace
	queue       []int32
	// conflicts is the number of nodes with node.conflict; lastConflict is the latest one.
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
		byHash: map[uint32][]int32{},
	}, nil
}

func (b *Book) Header() Header { return b.header }

func (b *Book) Len() int { return len(b.nodes) }

// Start returns the position at the start of a game on the book's board.
func (b *Book) Start() (engine.Position, error) { return b.game.Start(b.header.Board) }

func (b *Book) find(key string) (id int32, ok bool) {
	for _, id := range b.byHash[childHash(key)] {
		if b.nodes[id].Key == key {
			return id, true
		}
	}
	return 0, false
}

// Find returns the node of p's canonical position, and the orientation that translates moves of the
// canonical position to moves of p. ok is false if the book does not contain p. The error is
// [ErrForeign] if p belongs to another game or board.
func (b *Book) Find(p engine.Position) (n Node, o engine.Orientation, ok bool, err error) {
	if err := b.checkBoard(p); err != nil {
		return 0, nil, false, err
	}
	key, o := p.CanonicalKey(nil)
	id, ok := b.find(string(key))
	return Node(id), o, ok, nil
}

// checkBoard returns [ErrForeign] unless p belongs to the book's game and board.
func (b *Book) checkBoard(p engine.Position) error {
	if p.Game() != b.header.Game || p.BoardName() != b.header.Board {
		return fmt.Errorf("%w: it is for %s %s, the position is of %s %s",
			ErrForeign, b.header.Game, b.header.Board, p.Game(), p.BoardName())
	}
	return nil
}

func (b *Book) position(id int32) (engine.Position, error) {
	return b.game.FromKey([]byte(b.nodes[id].Key))
}

// replace inserts a record, or stores it in its existing node. The book must not have links yet.
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
	hash := childHash(r.Key)
	b.byHash[hash] = append(b.byHash[hash], id)
	b.nodes = append(b.nodes, node{record: r, links: noLinks(&r), fromParents: unknown(0), best: -1, ply: noPly, cost: noLeaf})
	return id
}

func noLinks(r *record) []link { return slices.Repeat([]link{{child: unlinked}}, len(r.Moves)) }

// linkMoves links a node's moves to nodes. An error means that the node's record contradicts the rules.
func (b *Book) linkMoves(id int32) error {
	var p engine.Position
	n := &b.nodes[id]
	for i, c := range n.Moves {
		if c.Ends || n.links[i].child >= 0 || len(b.byHash[c.Hash]) == 0 {
			continue
		}
		if p == nil {
			var err error
			if p, err = b.position(id); err != nil {
				return fmt.Errorf("node %x: %w", n.Key, err)
			}
		}
		s, err := playStep(b.game, p, engine.Move(c.Move))
		if err != nil {
			return fmt.Errorf("node %s: %w", p, err)
		}
		if to, ok := b.find(s.Key); ok && !s.Over {
			n.links[i] = link{to, s.Gain, s.Passes}
			b.nodes[to].parents = append(b.nodes[to].parents, id)
			b.links++
			b.passBounds(n.links[i], c.Eval)
		}
	}
	return nil
}

// passBounds adds the bounds that a move's evaluation proves for its child to the child's fromParents.
func (b *Book) passBounds(to link, eval Value) {
	n := &b.nodes[to.child]
	gain := int(to.gain)
	if !to.passes {
		gain = -gain
	}
	proof := eval.Through(gain, to.passes)
	// The result may be an empty interval; update then records a conflict.
	bounds := Value{Lo: max(n.fromParents.Lo, proof.Lo), Hi: min(n.fromParents.Hi, proof.Hi)}
	if bounds != n.fromParents {
		n.fromParents = bounds
		if b.byChildHash != nil { // otherwise linkAll is running, which updates all nodes
			b.push(to.child)
		}
	}
}

// linkAll links the nodes of a book without links and computes their values. report is called for
// records that contradict the rules.
func (b *Book) linkAll(report func(Problem)) {
	for id := range b.nodes {
		if err := b.linkMoves(int32(id)); err != nil {
			report(Problem{b.header.Game, err.Error()})
		}
	}
	b.propagateAll()
}

// add adds a node with a new key to the graph and updates all values. It does not write to the journal.
func (b *Book) add(r record) (int32, error) {
	if b.byChildHash == nil {
		b.byChildHash = map[uint32][]int32{}
		for id := range b.nodes {
			b.indexUnlinked(int32(id))
		}
	}
	id := b.insert(r)
	if err := b.linkMoves(id); err != nil {
		return id, err
	}
	b.indexUnlinked(id)
	for _, parent := range b.byChildHash[childHash(r.Key)] {
		links := b.links
		if err := b.linkMoves(parent); err != nil {
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

// indexUnlinked adds a node's unlinked moves to byChildHash.
func (b *Book) indexUnlinked(id int32) {
	n := &b.nodes[id]
	for i, c := range n.Moves {
		if !c.Ends && n.links[i].child < 0 {
			b.byChildHash[c.Hash] = append(b.byChildHash[c.Hash], id)
		}
	}
}

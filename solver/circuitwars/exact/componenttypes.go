package exact

import (
	"sync/atomic"

	"endwise/solver/circuitwars/graph"
)

// typeID is the index of a component type in a store. IDs of different stores differ.
type typeID uint32

const noID = ^typeID(0)

// typeInfo is a component type. It has no pointers, so the garbage collector does not scan
// the types.
type typeInfo struct {
	key      graph.Key
	trace    trace                    // its first place on the board, or zero
	refs     [maxReferences]reference // the best first; see bounds.go
	code     uint32                   // offset in store.codes
	options  uint32                   // offset in store.options
	reduced  uint32                   // offset in store.kids of the types that replace it in sums
	nOptions uint16
	nReduced uint8 // asItself: not replaced
	squares  uint8
	edges    uint8
	nRefs    uint8
	hot      bool // has a single edge to the ground
	cancels  bool // two of them have the value 0 in every sum
	expanded bool
	complete bool   // all options resolved recursively: refs are final
	epoch    uint32 // store.epoch when the masks of the options were computed
	visits   uint32 // number of nodes with the type in their position, until complete
	next     uint32 // number of visits at which to try to complete it
	mirror   int8   // fixed squares of a mirror automorphism, noMirror or unknownMirror
}

const (
	asItself      = 0xFF
	noMirror      = -1
	unknownMirror = -2
)

// option is a move inside a component: a cut of its code, its gain, and the components it
// leaves, the kids. Until the kids are resolved, that is, labelled and interned, mask and
// err are computed from their numbers of squares and of edges to the ground alone.
type option struct {
	mask   uint64 // xor of the masks of the kids' best references
	kids   [2]typeID
	gain   uint8
	err    uint8 // sum of their errors
	nKids  uint8 // or unresolved, or manyKids: kids are store.kids[kids[0]:][:kids[1]]
	a, b   uint8 // the cut
	order  int8  // orders moves with equal bounds, highest first
	whole  bool  // one component with all squares remains
	small  bool  // all kids have at most store.eager edges
	threat uint8 // number of squares that the opponent can then capture in one move
}

const (
	unresolved = 0xFF
	manyKids   = 0xFE
)

// store contains the component types met by one worker. All data is in slabs of fixed
// size. If a slab is full, full is set; the search then stops and restarts with an empty
// store, keeping the transposition table.
type store struct {
	rules   *ruleBook
	types   []typeInfo
	codes   []uint32
	places  []uint8 // parallel to codes: the square of the root position
	traces  []traced
	options []option
	kids    []typeID
	index   []typeID // open addressing by key.Lo
	labeler graph.Labeler
	cutter  graph.Cutter
	threats threats
	finder  referenceFinder
	full    bool
	stop    *atomic.Bool // interrupts the completion of large types
	budget  int          // number of types that finish may still complete
	epoch   uint32       // incremented when large types are completed
	eager   int          // types with at most this number of edges are completed when first expanded

	second bool // Options.SecondOrder
}

// newStore returns an empty store for at most maxTypes types.
func newStore(maxTypes int, rules *ruleBook) *store {
	size := 1
	for size < 2*maxTypes {
		size *= 2
	}
	s := &store{
		rules:   rules,
		types:   make([]typeInfo, 0, maxTypes),
		codes:   make([]uint32, 0, 20*maxTypes),
		places:  make([]uint8, 20*maxTypes),
		traces:  make([]traced, size),
		options: make([]option, 0, 24*maxTypes),
		kids:    make([]typeID, 0, 4*maxTypes),
		index:   make([]typeID, size),
		stop:    new(atomic.Bool),
		eager:   eagerEdges,
	}
	s.reset()
	return s
}

// eagerEdges is the default of store.eager. Small types occur often, and only complete
// types have good references. A higher limit means fewer but more expensive nodes.
const eagerEdges = 10

// reset discards all types.
func (s *store) reset() {
	s.types = s.types[:0]
	s.codes = s.codes[:0]
	s.options = s.options[:0]
	s.kids = s.kids[:0]
	for i := range s.index {
		s.index[i] = noID
	}
	clear(s.traces)
	s.full = false
}

// room reports whether another type with its options fits. If not, it sets full.
func (s *store) room() bool {
	const most = 4 * graph.MaxSquares
	if len(s.types)+256 > cap(s.types) || len(s.codes)+64*graph.MaxSquares > cap(s.codes) ||
		len(s.options)+16*most > cap(s.options) || len(s.kids)+16*most > cap(s.kids) {
		s.full = true
		return false
	}
	return true
}

// codeOf returns the code of a type.
func (s *store) codeOf(id typeID) graph.Code {
	t := &s.types[id]
	return s.codes[t.code : t.code+uint32(t.squares)]
}

// find returns a type and its index slot, or noID and the slot for inserting it.
func (s *store) find(k graph.Key) (typeID, uint64) {
	m := uint64(len(s.index) - 1)
	for i := k.Lo & m; ; i = (i + 1) & m {
		id := s.index[i]
		if id == noID {
			return noID, i
		}
		if s.types[id].key == k {
			return id, i
		}
	}
}

// intern returns the type of a canonical code, adding it if necessary. tied is false if
// the code has no automorphism.
func (s *store) intern(c graph.Code, tied bool) typeID {
	k := graph.KeyOf(c)
	id, at := s.find(k)
	if id != noID {
		return id
	}
	id = typeID(len(s.types))
	s.index[at] = id
	edges, grounds := c.Edges(), c.Grounds()
	t := typeInfo{
		key:      k,
		code:     uint32(len(s.codes)),
		squares:  uint8(len(c)),
		edges:    uint8(edges),
		nReduced: asItself,
		mirror:   unknownMirror,
	}
	if !tied {
		t.mirror = noMirror
	}
	s.codes = append(s.codes, c...)
	t.nRefs = 1
	t.refs[0] = reference{0, uint8(len(c))}
	if grounds == 1 {
		t.hot = true
		t.cancels = s.rules.pairs
		if len(c) <= maxHotSquares {
			t.refs[0] = reference{hotMask(len(c)), 0}
		}
	}
	s.types = append(s.types, t)
	if r, ok := s.rules.find(k); ok {
		s.apply(id, r)
	}
	return id
}

// apply sets what a rule states about a type.
func (s *store) apply(id typeID, r rule) {
	if r.cancels {
		s.types[id].cancels = true
	}
	if !r.replaced {
		return
	}
	ids := make([]typeID, 0, len(r.by))
	for _, c := range r.by {
		ids = append(ids, s.intern(c, true))
	}
	s.types[id].reduced = uint32(len(s.kids))
	s.types[id].nReduced = uint8(len(ids))
	s.kids = append(s.kids, ids...)
}

// appendReduced appends the types that replace a type in sums, or the type itself.
func (s *store) appendReduced(to []typeID, id typeID) []typeID {
	t := &s.types[id]
	if t.nReduced == asItself {
		return append(to, id)
	}
	return append(to, s.kids[t.reduced:t.reduced+uint32(t.nReduced)]...)
}

// expand lists the options of a type, and completes the type if it is small. It returns
// false if the store is full.
func (s *store) expand(id typeID) bool {
	if s.types[id].expanded {
		return true
	}
	if !s.list(id) {
		return false
	}
	t := &s.types[id]
	if int(t.edges) <= s.eager && !t.hot {
		s.budget = 1 << 30
		return s.finish(id)
	}
	list := s.options[t.options : t.options+uint32(t.nOptions)]
	for i := range list {
		if list[i].small && !s.resolve(id, &list[i]) {
			t.expanded = false
			return false
		}
	}
	return true
}

// list makes the options of a type, unresolved. It returns false if the store is full.
func (s *store) list(id typeID) bool {
	if !s.room() {
		return false
	}
	code := s.codeOf(id)
	cuts := s.cutter.Cuts(code)
	s.threats.load(code)
	first := uint32(len(s.options))
	for i := range cuts {
		c := &cuts[i]
		o := option{gain: c.Gain, a: c.A, b: c.B, nKids: unresolved}
		for _, p := range c.Parts {
			if p.Squares == 0 {
				continue
			}
			if p.Grounds == 1 && p.Squares <= maxHotSquares {
				o.mask ^= hotMask(int(p.Squares))
			} else {
				o.err += p.Squares
			}
		}
		if c.Parts[0].Squares == 0 {
			o.nKids = 0
		}
		o.whole = c.Gain == 0 && c.Parts[1].Squares == 0
		o.small = max(int(c.Parts[0].Edges), int(c.Parts[1].Edges)) <= s.eager
		if o.whole && !o.small && c.Parts[0].Grounds > 1 {
			o.threat = uint8(s.threats.of(c.A, c.B))
		}
		o.order = s.threats.rank(c, s.second)
		s.options = append(s.options, o)
	}
	t := &s.types[id]
	t.options, t.nOptions = first, uint16(len(cuts))
	t.expanded = true
	t.next = firstTry
	return true
}

// When types too large for immediate completion are completed. Earlier means fewer but
// more expensive nodes.
const (
	firstTry  = 64 // number of visits before the first attempt
	tryFactor = 2  // growth of this number per attempt
)

// visit counts a node that has the type in its position, and tries to complete types that
// occur often. It reports whether references may have changed.
func (s *store) visit(id typeID) bool {
	t := &s.types[id]
	if t.visits++; t.visits < t.next {
		return false
	}
	t.next = t.visits * tryFactor
	s.budget = int(t.visits) // in types
	s.epoch++
	s.finish(id)
	return true
}

// finish completes a type: it resolves the options, completes the kids, and computes the
// references. It returns false if the budget is used up or the store is full; types
// completed so far remain so.
func (s *store) finish(id typeID) bool {
	t := &s.types[id] // stays valid: the slabs never move
	if t.complete || t.hot {
		return true
	}
	if s.budget--; s.budget < 0 || int(t.edges) > s.eager && s.stop.Load() {
		return false
	}
	fresh := !t.expanded
	if fresh && !s.list(id) {
		return false
	}
	list := s.options[t.options : t.options+uint32(t.nOptions)]
	for i := range list {
		if !s.resolve(id, &list[i]) {
			return false
		}
		for _, k := range s.kidsOf(&list[i]) {
			if !s.finish(k) {
				return false
			}
		}
	}
	if fresh || int(t.edges) <= s.eager {
		// The options are not in use yet, so duplicates can be removed.
		n := 0
	next:
		for i := range list {
			for j := range n {
				if sameResult(&list[i], &list[j]) {
					continue next
				}
			}
			list[n] = list[i]
			n++
		}
		list = list[:n]
		t.nOptions = uint16(n)
	}
	s.refresh(id)
	t.nRefs = uint8(copy(t.refs[:], s.finder.references(s, list, int(t.squares))))
	t.complete = true
	return true
}

// refresh updates the masks and errors of a type's resolved options.
func (s *store) refresh(id typeID) {
	t := &s.types[id]
	t.epoch = s.epoch
	list := s.options[t.options : t.options+uint32(t.nOptions)]
	for i := range list {
		if list[i].nKids != unresolved {
			s.measure(&list[i])
		}
	}
}

// measure updates an option's mask and error from its kids.
func (s *store) measure(o *option) {
	mask, err := uint64(0), 0
	for _, k := range s.kidsOf(o) {
		t := &s.types[k]
		mask ^= t.refs[0].mask
		err += int(t.refs[0].err)
		if t.complete {
			o.threat = 0 // the bound by threats requires the kid's error to be its squares
		}
	}
	o.mask, o.err = mask, uint8(err)
}

// sameResult reports whether two options gain the same and leave the same components.
func sameResult(a, b *option) bool {
	return a.gain == b.gain && a.nKids == b.nKids && a.kids == b.kids && a.nKids != manyKids
}

// resolve labels and interns the kids of an option, and completes small kids. It returns
// false if the store is full.
func (s *store) resolve(id typeID, o *option) bool {
	if o.nKids != unresolved {
		return true
	}
	if !s.room() {
		return false
	}
	var raw [2]typeID
	n := 0
	if o.whole {
		raw[0] = s.wholeKid(id, o)
		n = 1
	} else {
		code := s.codeOf(id)
		s.labeler.Parts(code, o.a, o.b, func(squares []uint8) {
			raw[n] = s.partKid(id, o, squares)
			n++
		})
	}
	var list [16]typeID
	kids := list[:0]
	for _, k := range raw[:n] {
		kids = s.appendReduced(kids, k)
	}
	kids = s.cancelPairs(kids)
	if len(kids) <= 2 {
		o.nKids = uint8(len(kids))
		o.kids = [2]typeID{}
		copy(o.kids[:], kids)
		if len(kids) == 2 && kids[0] > kids[1] {
			o.kids[0], o.kids[1] = kids[1], kids[0]
		}
	} else {
		o.nKids = manyKids
		o.kids = [2]typeID{typeID(len(s.kids)), typeID(len(kids))}
		s.kids = append(s.kids, kids...)
	}
	for _, k := range s.kidsOf(o) {
		t := &s.types[k]
		if int(t.edges) <= s.eager && !t.complete && !t.hot {
			budget := s.budget
			s.budget = 1 << 30
			done := s.finish(k)
			s.budget = budget
			if !done {
				o.nKids = unresolved
				return false
			}
		}
	}
	s.measure(o)
	return true
}

// cancelPairs removes pairs of types that cancel.
func (s *store) cancelPairs(kids []typeID) []typeID {
	for i := 0; i < len(kids); i++ {
		if !s.types[kids[i]].cancels {
			continue
		}
		for j := i + 1; j < len(kids); j++ {
			if kids[j] == kids[i] {
				kids = append(kids[:j], kids[j+1:]...)
				kids = append(kids[:i], kids[i+1:]...)
				i--
				break
			}
		}
	}
	return kids
}

// kidsOf returns the resolved kids of an option.
func (s *store) kidsOf(o *option) []typeID {
	if o.nKids == manyKids {
		return s.kids[o.kids[0] : o.kids[0]+o.kids[1]]
	}
	return o.kids[:o.nKids]
}

package exact

import (
	"math/bits"
	"slices"
	"sync/atomic"

	"endwise/solver/circuitwars/graph"
)

// typeID is the index of a component type in a store.
type typeID uint32

const noID = ^typeID(0)

// typeInfo is a component type. It has no pointers, so the garbage collector does not scan types.
type typeInfo struct {
	key      graph.Key
	trace    trace                    // of its first place in the root position, or zero
	refs     [maxReferences]reference // the first nRefs, by ascending error
	code     uint32                   // offset in store.codes
	options  uint32                   // offset in store.options
	reduced  uint32                   // offset in store.kids of the types that replace it in sums
	nOptions uint16
	nReduced uint8 // number of these types; asItself: the type is not replaced
	squares  uint8
	edges    uint8
	nRefs    uint8
	hot      bool
	cancels  bool // two of the type have no effect in any sum
	expanded bool
	complete bool   // all options are resolved and all kids complete or hot
	epoch    uint32 // store.epoch when the masks of the options were computed
	visits   uint32 // calls of visit
	next     uint32 // value of visits at which to try to complete the type
	mirror   int8   // fixed squares of a mirror automorphism, noMirror or unknownMirror
}

const (
	asItself      = 0xFF
	noMirror      = -1
	unknownMirror = -2
)

// option is a move inside a component; the kids are the components left. Until the kids are
// interned (resolved), mask and err follow from their squares and edges to the ground alone.
type option struct {
	mask   uint64 // xor of the masks of the kids' best references
	kids   [2]typeID
	gain   uint8
	err    uint8 // sum of the errors of these references
	nKids  uint8 // or unresolved, or manyKids: kids are store.kids[kids[0]:][:kids[1]]
	a, b   uint8 // ends of the edge drawn: squares of the type; b may be graph.Ground
	order  int8  // orders moves with equal bounds, highest first
	whole  bool  // one component is left, with all squares
	small  bool  // all kids have at most store.eager edges
	threat uint8 // squares that the opponent can then capture in one move; 0 if not used
}

const (
	unresolved = 0xFF
	manyKids   = 0xFE
)

// store contains the component types met by one worker, in slabs of fixed size. If a slab is full,
// full is set; the search then restarts with an empty store and the same transposition table.
type store struct {
	rules   *ruleBook
	types   []typeInfo
	codes   []uint32
	places  []uint8 // parallel to codes: the square of the root position
	traces  []traced
	options []option
	kids    []typeID
	index   []typeID // open addressing by key.Lo; at most half full
	labeler graph.Labeler
	cutter  graph.Cutter
	threats threats
	finder  referenceFinder
	full    bool
	stop    *atomic.Bool
	budget  int // number of types that finish may still complete
	epoch   uint32
	eager   int // types with at most this number of edges are completed when first expanded

	second bool // Options.SecondOrder
}

func newStore(maxTypes int, rules *ruleBook) *store {
	size := 1 << bits.Len(uint(2*maxTypes-1)) // a power of two, because hashes are masked
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

const (
	eagerEdges = 10      // default of store.eager
	unlimited  = 1 << 30 // budget that no completion uses up
)

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

// room reports whether all slabs have room for several more types, and sets full if not.
func (s *store) room() bool {
	const edges = 4 * graph.MaxSquares // at least the number of options of a type
	types, codes := len(s.types)+256, len(s.codes)+64*graph.MaxSquares
	options, kids := len(s.options)+16*edges, len(s.kids)+16*edges
	if types > cap(s.types) || codes > cap(s.codes) || options > cap(s.options) || kids > cap(s.kids) {
		s.full = true
		return false
	}
	return true
}

func (s *store) codeOf(id typeID) graph.Code {
	t := &s.types[id]
	return s.codes[t.code : t.code+uint32(t.squares)]
}

// find returns the type with key k and its slot in s.index, or noID and the slot for a new type.
func (s *store) find(k graph.Key) (id typeID, slot uint64) {
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

// intern returns the type of a canonical code. It adds a new type with its rule; the caller must
// have checked room. tied may be false only if the code has no automorphism except the identity.
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
	if r, ok := s.rules.rules[k]; ok {
		s.apply(id, r)
	}
	return id
}

// apply sets the fields of type id that follow from its rule r.
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

// appendReduced appends what counts as type id in a sum: the types that replace it, possibly none, or the
// type itself if no rule replaces it.
func (s *store) appendReduced(to []typeID, id typeID) []typeID {
	t := &s.types[id]
	if t.nReduced == asItself {
		return append(to, id)
	}
	return append(to, s.kids[t.reduced:t.reduced+uint32(t.nReduced)]...)
}

// expandType lists the options of a type, unless they are listed. It completes a type that is small
// and not hot; of another type, it resolves the options whose kids are all small. It returns false
// if the store is full.
func (s *store) expandType(id typeID) bool {
	if s.types[id].expanded {
		return true
	}
	if !s.listOptions(id) {
		return false
	}
	t := &s.types[id]
	if int(t.edges) <= s.eager && !t.hot {
		s.budget = unlimited
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

// listOptions appends the options of a type to s.options. It returns false if the store is full.
func (s *store) listOptions(id typeID) bool {
	if !s.room() {
		return false
	}
	code := s.codeOf(id)
	cuts := s.cutter.Cuts(code)
	s.threats.load(code)
	first := uint32(len(s.options))
	for i := range cuts {
		s.options = append(s.options, s.unresolvedOption(&cuts[i]))
	}
	t := &s.types[id]
	t.options, t.nOptions = first, uint16(len(cuts))
	t.expanded = true
	t.next = firstTry
	return true
}

// unresolvedOption returns the option of a cut of the component loaded in s.threats.
func (s *store) unresolvedOption(c *graph.Cut) option {
	o := option{gain: c.Gain, a: c.A, b: c.B, nKids: unresolved}
	for _, p := range c.Parts {
		switch {
		case p.Squares == 0:
		case p.Grounds == 1 && p.Squares <= maxHotSquares:
			o.mask ^= hotMask(int(p.Squares))
		default:
			o.err += p.Squares
		}
	}
	if c.Parts[0].Squares == 0 {
		o.nKids = 0
	}
	o.whole = c.Gain == 0 && c.Parts[1].Squares == 0
	o.small = max(int(c.Parts[0].Edges), int(c.Parts[1].Edges)) <= s.eager
	if o.whole && !o.small && c.Parts[0].Grounds > 1 {
		o.threat = uint8(s.threats.capturable(c.A, c.B))
	}
	o.order = s.threats.rank(c, s.second)
	return o
}

const (
	firstTry  = 64 // number of visits at the first attempt
	tryFactor = 2  // growth of this number per attempt
)

// visit counts a visit of the type. At some counts it tries to complete the type, with the count as
// the budget; it reports whether it tried.
func (s *store) visit(id typeID) bool {
	t := &s.types[id]
	if t.visits++; t.visits < t.next {
		return false
	}
	t.next = t.visits * tryFactor
	s.budget = int(t.visits)
	s.epoch++
	s.finish(id)
	return true
}

// finish completes a type: it resolves the options, completes the kids, and computes the
// references. The reference of a hot type is final. finish returns false if the budget is used up,
// the store is full or, for a large type, the search is stopped.
func (s *store) finish(id typeID) bool {
	t := &s.types[id] // the slabs never move
	if t.complete || t.hot {
		return true
	}
	if s.budget--; s.budget < 0 || int(t.edges) > s.eager && s.stop.Load() {
		return false
	}
	fresh := !t.expanded
	if fresh && !s.listOptions(id) {
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
		// No move refers to the options yet.
		list = distinct(list)
		t.nOptions = uint16(len(list))
	}
	s.measureOptions(id)
	t.nRefs = uint8(copy(t.refs[:], s.finder.references(s, list, int(t.squares))))
	t.complete = true
	return true
}

// distinct removes all but the first of the options with the same result. It overwrites list.
func distinct(list []option) []option {
	n := 0
	for i := range list {
		same := func(o option) bool { return sameResult(&o, &list[i]) }
		if !slices.ContainsFunc(list[:n], same) {
			list[n] = list[i]
			n++
		}
	}
	return list[:n]
}

// measureOptions recomputes mask and err of the resolved options of a type.
func (s *store) measureOptions(id typeID) {
	t := &s.types[id]
	t.epoch = s.epoch
	list := s.options[t.options : t.options+uint32(t.nOptions)]
	for i := range list {
		if list[i].nKids != unresolved {
			s.measure(&list[i])
		}
	}
}

// measure recomputes mask and err of a resolved option.
func (s *store) measure(o *option) {
	mask, err := uint64(0), 0
	for _, k := range s.kidsOf(o) {
		t := &s.types[k]
		mask ^= t.refs[0].mask
		err += int(t.refs[0].err)
		if t.complete {
			o.threat = 0 // its bound requires that the kid's error is its number of squares
		}
	}
	o.mask, o.err = mask, uint8(err)
}

// sameResult reports whether two resolved options have the same gain and at most two, equal kids.
func sameResult(a, b *option) bool {
	return a.gain == b.gain && a.nKids == b.nKids && a.kids == b.kids && a.nKids != manyKids
}

// resolve interns the kids of an option of type id, unless the option is resolved, and completes
// small kids, whatever s.budget. Kids are replaced by rules, and pairs that cancel are omitted.
// resolve returns false if the store is full; the option is then unresolved.
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
	s.setKids(o, s.cancelPairs(kids))
	for _, k := range s.kidsOf(o) {
		if int(s.types[k].edges) > s.eager {
			continue
		}
		budget := s.budget
		s.budget = unlimited
		done := s.finish(k)
		s.budget = budget
		if !done {
			o.nKids = unresolved
			return false
		}
	}
	s.measure(o)
	return true
}

// setKids resolves o. Two kids are in ascending order, for sameResult.
func (s *store) setKids(o *option, kids []typeID) {
	if len(kids) > 2 {
		o.nKids = manyKids
		o.kids = [2]typeID{typeID(len(s.kids)), typeID(len(kids))}
		s.kids = append(s.kids, kids...)
		return
	}
	o.nKids = uint8(len(kids))
	o.kids = [2]typeID{}
	copy(o.kids[:], kids)
	if len(kids) == 2 && kids[0] > kids[1] {
		o.kids[0], o.kids[1] = kids[1], kids[0]
	}
}

// cancelPairs returns kids without pairs of equal kids that cancel. It overwrites kids.
func (s *store) cancelPairs(kids []typeID) []typeID {
	rest := kids[:0]
	for _, k := range kids {
		if i := slices.Index(rest, k); i >= 0 && s.types[k].cancels {
			rest = slices.Delete(rest, i, i+1)
		} else {
			rest = append(rest, k)
		}
	}
	return rest
}

func (s *store) kidsOf(o *option) []typeID {
	if o.nKids == manyKids {
		return s.kids[o.kids[0] : o.kids[0]+o.kids[1]]
	}
	return o.kids[:o.nKids]
}

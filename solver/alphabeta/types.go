package alphabeta

import (
	"endwise/solver/canon"
)

// typeID numbers a component type inside one store. Numbers mean nothing
// outside it; keys do.
type typeID uint32

const noID = ^typeID(0)

// typeInfo is one component type. It holds no pointers, so that the garbage
// collector has nothing to do in millions of them.
type typeInfo struct {
	key      canon.Key
	hot      uint64 // hotMask(squares) if the component is hot, else 0
	code     uint32 // offset in store.codes
	options  uint32 // offset in store.options
	reduced  uint32 // offset in store.kids of what stands for it in sums
	nOptions uint16
	nReduced uint8 // asItself: nothing simpler is known
	squares  uint8
	edges    uint8
	grounds  uint8
	err      uint8 // see bounds.go; 0 if hot is set
	cancels  bool  // two of them are worth nothing
	expanded bool
	mirror   int8 // fixed squares of a mirror automorphism, noMirror or unknownMirror
	tied     bool
}

const (
	asItself      = 0xFF
	noMirror      = -1
	unknownMirror = -2
)

// option is one move inside a component: a cut of its code, what it gains and
// what it leaves. Until the kids are resolved, that is labelled and looked
// up, hot and err describe them from their numbers of squares and free
// segments to the ground alone.
type option struct {
	hot   uint64 // xor of the kids' hot masks
	kids  [2]typeID
	gain  uint8
	err   uint8
	nKids uint8 // unresolved: kids not known; manyKids: kids are store.kids[kids[0]:][:kids[1]]
	a, b  uint8 // the cut
	order int8
	small bool  // all kids are small enough to be expanded at once
	offer uint8 // squares that the move puts within reach of one capture
}

const (
	unresolved = 0xFF
	manyKids   = 0xFE
)

// store numbers the types that one worker meets. Everything lies in flat
// slabs of fixed total size; when a slab is full, full is set, the search
// unwinds and starts again with an empty store and a warm table.
type store struct {
	rules   *ruleBook
	types   []typeInfo
	codes   []uint32
	options []option
	kids    []typeID
	index   []typeID // open addressing by key.Lo
	labeler canon.Labeler
	cutter  canon.Cutter
	offers  offers
	full    bool
	eager   int // types of at most this many edges resolve all their options
}

func newStore(maxTypes int, rules *ruleBook) *store {
	size := 1
	for size < 2*maxTypes {
		size *= 2
	}
	s := &store{
		rules:   rules,
		types:   make([]typeInfo, 0, maxTypes),
		codes:   make([]uint32, 0, 20*maxTypes),
		options: make([]option, 0, 24*maxTypes),
		kids:    make([]typeID, 0, 4*maxTypes),
		index:   make([]typeID, size),
		eager:   eagerEdges,
	}
	s.reset()
	return s
}

// eagerEdges: see store.eager. Small types are met again and again, and only
// with all options resolved is their error known.
const eagerEdges = 12

func (s *store) reset() {
	s.types = s.types[:0]
	s.codes = s.codes[:0]
	s.options = s.options[:0]
	s.kids = s.kids[:0]
	for i := range s.index {
		s.index[i] = noID
	}
	s.full = false
}

// room reports whether a type more with its options fits, and asks for an
// unwinding if not.
func (s *store) room() bool {
	const most = 4 * canon.MaxSquares
	if len(s.types)+256 > cap(s.types) || len(s.codes)+64*canon.MaxSquares > cap(s.codes) ||
		len(s.options)+16*most > cap(s.options) || len(s.kids)+16*most > cap(s.kids) {
		s.full = true
		return false
	}
	return true
}

func (s *store) codeOf(id typeID) canon.Code {
	t := &s.types[id]
	return s.codes[t.code : t.code+uint32(t.squares)]
}

// find looks a type up, or tells where in the index it belongs.
func (s *store) find(k canon.Key) (typeID, uint64) {
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

// intern numbers a canonical code.
func (s *store) intern(c canon.Code, tied bool) typeID {
	k := canon.KeyOf(c)
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
		grounds:  uint8(grounds),
		nReduced: asItself,
		tied:     tied,
		mirror:   unknownMirror,
	}
	if !tied {
		t.mirror = noMirror
	}
	s.codes = append(s.codes, c...)
	if grounds == 1 && len(c) <= maxHotSquares {
		t.hot = hotMask(len(c))
		t.cancels = s.rules.pairs
	} else {
		t.err = uint8(len(c))
	}
	s.types = append(s.types, t)
	if r, ok := s.rules.find(k); ok {
		s.apply(id, r)
	}
	return id
}

// apply gives a type what the rule book knows of it.
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

// appendReduced appends what stands for a type in sums.
func (s *store) appendReduced(to []typeID, id typeID) []typeID {
	t := &s.types[id]
	if t.nReduced == asItself {
		return append(to, id)
	}
	return append(to, s.kids[t.reduced:t.reduced+uint32(t.nReduced)]...)
}

// expand lists the options of a type. It reports false when the store is full.
func (s *store) expand(id typeID) bool {
	if s.types[id].expanded {
		return true
	}
	if !s.room() {
		return false
	}
	code := s.codeOf(id)
	cuts := s.cutter.Cuts(code)
	s.offers.load(code)
	eager := int(s.types[id].edges) <= s.eager
	first := uint32(len(s.options))
	for i := range cuts {
		c := &cuts[i]
		o := option{gain: c.Gain, a: c.A, b: c.B, nKids: unresolved}
		for _, p := range c.Parts {
			if p.Squares == 0 {
				continue
			}
			if p.Grounds == 1 && p.Squares <= maxHotSquares {
				o.hot ^= hotMask(int(p.Squares))
			} else {
				o.err += p.Squares
			}
		}
		if c.Parts[0].Squares == 0 {
			o.nKids = 0
		}
		o.small = max(int(c.Parts[0].Edges), int(c.Parts[1].Edges)) <= s.eager
		if c.Gain == 0 && !o.small && c.Parts[1].Squares == 0 && c.Parts[0].Grounds > 1 {
			o.offer = uint8(s.offers.of(c.A, c.B))
		}
		o.order = s.offers.rank(c, int(o.offer))
		s.options = append(s.options, o)
	}
	t := &s.types[id]
	t.options, t.nOptions = first, uint16(len(cuts))
	t.expanded = true
	list := s.options[first : first+uint32(len(cuts))]
	for i := range list {
		// Nested calls overwrite the cutter's parts, so go by the options.
		if (eager || list[i].small) && !s.resolve(id, &list[i]) {
			s.types[id].expanded = false
			return false
		}
	}
	if !eager {
		return true
	}
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
	t = &s.types[id]
	t.nOptions = uint16(n)
	if t.hot == 0 {
		t.err = errorOf(list[:n], t.err)
	}
	return true
}

func sameResult(a, b *option) bool {
	return a.gain == b.gain && a.nKids == b.nKids && a.kids == b.kids && a.nKids != manyKids
}

// resolve labels the kids of an option of a type and, for small kids, works
// out their error. It reports false when the store is full.
func (s *store) resolve(id typeID, o *option) bool {
	if o.nKids != unresolved {
		return true
	}
	if !s.room() {
		return false
	}
	var raw [2]typeID
	n := 0
	s.labeler.Kids(s.codeOf(id), o.a, o.b, func(c canon.Code) {
		raw[n] = s.intern(c, s.labeler.Tied())
		n++
	})
	var list [16]typeID
	kids := list[:0]
	for _, k := range raw[:n] {
		kids = s.appendReduced(kids, k)
	}
	kids = s.cancelPairs(kids)
	hot, err := uint64(0), 0
	for _, k := range kids {
		if int(s.types[k].edges) <= s.eager && !s.expand(k) {
			return false
		}
		hot ^= s.types[k].hot
		err += int(s.types[k].err)
	}
	o.hot, o.err = hot, uint8(err)
	if len(kids) <= 2 {
		o.nKids = uint8(len(kids))
		o.kids = [2]typeID{}
		copy(o.kids[:], kids)
		if len(kids) == 2 && kids[0] > kids[1] {
			o.kids[0], o.kids[1] = kids[1], kids[0]
		}
		return true
	}
	o.nKids = manyKids
	o.kids = [2]typeID{typeID(len(s.kids)), typeID(len(kids))}
	s.kids = append(s.kids, kids...)
	return true
}

// cancelPairs drops pairs of a type that cancels.
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

// kidsOf lists the resolved kids of an option.
func (s *store) kidsOf(o *option) []typeID {
	if o.nKids == manyKids {
		return s.kids[o.kids[0] : o.kids[0]+o.kids[1]]
	}
	return o.kids[:o.nKids]
}

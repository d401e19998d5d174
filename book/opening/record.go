package opening

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"endwise/engine"
)

// class is a class of legal moves: those that lead to one canonical position.
type class struct {
	// hash is the child key's hash32; it finds candidates, the key decides.
	hash uint32
	// move is the class's first legal move in the canonical position.
	move uint16
	// leaf is what the evaluation said about the class.
	leaf Value
	// child is the node it leads to, or one of the constants below; gain and
	// passes say how that node's value enters. All three are worked out, not
	// stored, and gain and passes count only where child is a node.
	child  int32
	gain   int16
	passes bool
}

// What child says when it is not a node.
const (
	unlinked int32 = -1 - iota
	final          // the move ends the game: leaf is exact
	inFlight       // somebody is evaluating the child
)

// record is the facts about one node: what is stored.
type record struct {
	key     string
	own     Value // proofs about the position itself; Est is not used
	depth   uint16
	millis  uint32
	visits  uint32
	work    Work
	classes []class
}

// A record's bytes are varints unless said otherwise: the key's length and
// bytes; visits; depth; milliseconds; the own proofs; the number of classes;
// and for each of them the difference of its move to the one before, the
// child's hash as 4 bytes little-endian, a flag byte and the numbers that it
// announces (zig-zag). Of an evaluation that recurs the version of the searches,
// the limit and the number of nodes follow.
const (
	hasLo    = 1 << iota // Lo is bounded
	hasHi                // Hi is bounded
	hasEst               // Est follows; without it, Est is Lo (or 0)
	oneExact             // Lo = Hi = Est: a single number follows
	isFinal              // the move ends the game
)

func appendValue(b []byte, v Value, extra byte) []byte {
	f := extra
	switch {
	case v.Exact():
		return binary.AppendVarint(append(b, f|oneExact), int64(v.Lo))
	case v.Lo > -Unbounded && v.Hi < Unbounded:
		f |= hasLo | hasHi
	case v.Lo > -Unbounded:
		f |= hasLo
	case v.Hi < Unbounded:
		f |= hasHi
	}
	b = binary.AppendVarint(append(b, f|hasEst), int64(v.Est))
	if f&hasLo != 0 {
		b = binary.AppendVarint(b, int64(v.Lo))
	}
	if f&hasHi != 0 {
		b = binary.AppendVarint(b, int64(v.Hi))
	}
	return b
}

func (r *record) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.key)))
	b = append(b, r.key...)
	b = binary.AppendUvarint(b, uint64(r.visits))
	b = binary.AppendUvarint(b, uint64(r.depth))
	b = binary.AppendUvarint(b, uint64(r.millis))
	b = appendValue(b, r.own, 0)
	b = binary.AppendUvarint(b, uint64(len(r.classes)))
	last := 0
	for i := range r.classes {
		c := &r.classes[i]
		b = binary.AppendUvarint(b, uint64(int(c.move)-last))
		last = int(c.move)
		b = binary.LittleEndian.AppendUint32(b, c.hash)
		var extra byte
		if c.child == final {
			extra = isFinal
		}
		b = appendValue(b, c.leaf, extra)
	}
	if r.work != (Work{}) {
		b = binary.AppendUvarint(b, uint64(r.work.Engine))
		b = binary.AppendUvarint(b, r.work.Limit)
		b = binary.AppendUvarint(b, r.work.Nodes)
	}
	return b
}

// byteReader reads varints and remembers the first failure.
type byteReader struct {
	b   []byte
	bad bool
}

func (r *byteReader) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// score reads a score within ±maxScore.
func (r *byteReader) score() int16 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v > maxScore || v < -maxScore {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int16(v)
}

func (r *byteReader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *byteReader) value() (v Value, flags byte) {
	flags = r.bytes(1)[0]
	if flags&oneExact != 0 {
		return exactly(r.score()), flags
	}
	v = unknown(0)
	if flags&hasEst != 0 {
		v.Est = r.score()
	}
	if flags&hasLo != 0 {
		v.Lo = r.score()
	}
	if flags&hasHi != 0 {
		v.Hi = r.score()
	}
	if v.Lo > v.Hi {
		r.bad = true
	}
	return v, flags
}

const (
	maxKeyBytes = 255
	maxClasses  = 4096
)

var errRecord = errors.New("record is malformed")

// decodeRecord reads what append writes. The key is copied.
func decodeRecord(b []byte) (record, error) {
	r := byteReader{b: b}
	out := record{key: string(r.bytes(int(r.uvarint(maxKeyBytes))))}
	out.visits = uint32(r.uvarint(1<<32 - 1))
	out.depth = uint16(r.uvarint(1<<16 - 1))
	out.millis = uint32(r.uvarint(1<<32 - 1))
	out.own, _ = r.value()
	n := int(r.uvarint(maxClasses))
	if r.bad || n == 0 {
		return record{}, errRecord
	}
	out.classes = make([]class, n)
	last := uint64(0)
	for i := range out.classes {
		c := &out.classes[i]
		d := r.uvarint(1 << 16)
		if last += d; last >= 1<<16 || i > 0 && d == 0 {
			return record{}, errRecord
		}
		c.move = uint16(last)
		c.hash = binary.LittleEndian.Uint32(r.bytes(4))
		var flags byte
		c.leaf, flags = r.value()
		c.child = unlinked
		if flags&isFinal != 0 {
			if !c.leaf.Exact() {
				return record{}, errRecord
			}
			c.child = final
		}
	}
	if len(r.b) > 0 {
		out.work = Work{uint32(r.uvarint(1<<32 - 1)), r.uvarint(math.MaxUint64), r.uvarint(math.MaxUint64)}
	}
	if r.bad || len(r.b) != 0 {
		return record{}, errRecord
	}
	return out, nil
}

// hash64 is FNV-1a with its bits mixed once more.
func hash64[T string | []byte](key T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

// hash32 is the hash by which children are found.
func hash32[T string | []byte](key T) uint32 { return uint32(hash64(key) >> 32) }

// step is what playing one move of a canonical position means for the book.
type step struct {
	move   engine.Move
	key    string
	gain   int16
	passes bool
	over   bool
}

// play follows one move.
func (g *rules) play(p engine.Canonical, m engine.Move) (step, error) {
	q, err := p.Play(m)
	if err != nil {
		return step{}, err
	}
	c, err := canonicalOf(q)
	if err != nil {
		return step{}, err
	}
	gain := p.Gain(q) * g.scale
	if gain > maxScore || gain < -maxScore {
		return step{}, fmt.Errorf("move %s gains %d: at most %d is possible", p.MoveString(m), gain, maxScore)
	}
	s := step{move: m, gain: int16(gain), passes: q.Turn() != p.Turn(), over: q.Over()}
	if !s.over {
		key, _ := c.CanonicalKey(nil)
		s.key = string(key)
	}
	return s, nil
}

// steps lists the classes of p's moves, the first move of each, ascending;
// members says for every legal move which class it is in.
func (g *rules) steps(p engine.Canonical) (classes []step, members map[engine.Move]int, err error) {
	seen := map[step]int{} // by what the move does, without the move
	moves := slices.Clone(p.Moves())
	slices.Sort(moves)
	members = make(map[engine.Move]int, len(moves))
	for _, m := range moves {
		if m < 0 || m >= 1<<16 {
			return nil, nil, fmt.Errorf("move %d of %s: a book keeps moves 0..%d", m, p.Game(), 1<<16-1)
		}
		s, err := g.play(p, m)
		if err != nil {
			return nil, nil, err
		}
		does := s
		does.move = 0
		at, ok := seen[does]
		if !ok {
			at = len(classes)
			seen[does] = at
			classes = append(classes, s)
		}
		members[m] = at
	}
	return classes, members, nil
}

// blank is a class for each of a position's steps: what the rules alone say.
func blank(steps []step) []class {
	out := make([]class, len(steps))
	for i, s := range steps {
		out[i] = class{hash: hash32(s.key), move: uint16(s.move), leaf: unknown(0), child: unlinked}
		if s.over {
			out[i] = class{move: uint16(s.move), leaf: exactly(s.gain), child: final}
		}
	}
	return out
}

// newRecord turns a decision about the canonical position p into facts.
func (g *rules) newRecord(key string, p engine.Canonical, d engine.Decision) (record, error) {
	fail := func(err error) (record, error) { return record{}, fmt.Errorf("evaluation of %s: %w", p, err) }
	steps, members, err := g.steps(p)
	if err != nil {
		return fail(err)
	}
	r := record{key: key, own: unknown(0), classes: blank(steps)}
	r.depth = uint16(min(max(d.Depth, 0), 1<<16-1))
	r.millis = uint32(min(max(d.Elapsed.Milliseconds(), 0), 1<<32-1))
	if d.Proof != engine.Estimate {
		if r.own, _, err = g.add(r.own, true, d.Score, d.Proof); err != nil {
			return fail(err)
		}
	}
	said := make([]bool, len(steps)) // has an estimate or an exact value
	for i, s := range steps {
		said[i] = s.over
	}
	for _, v := range d.Moves {
		m, err := p.ParseMove(v.Move)
		if err != nil {
			return fail(err)
		}
		at, ok := members[m]
		if !ok {
			return fail(fmt.Errorf("move %s is not one of its moves", v.Move))
		}
		c := &r.classes[at]
		var estimates bool
		if c.leaf, estimates, err = g.add(c.leaf, said[at], v.Score, v.Proof); err != nil {
			return fail(fmt.Errorf("move %s: %w", v.Move, err))
		}
		said[at] = said[at] || estimates
	}
	for i := range r.classes {
		c := &r.classes[i]
		if !said[i] {
			if c.leaf == unknown(0) {
				return fail(fmt.Errorf("%w: %s", errIncomplete, p.MoveString(engine.Move(c.move))))
			}
			// Bounds alone: the bound is the best guess there is.
			_, c.leaf.Est = c.leaf.Proof()
		}
		c.leaf = c.leaf.clamp()
	}
	return r, nil
}

// add puts one statement into a value. estimates says that the value's
// estimate is now set by it.
func (g *rules) add(v Value, said bool, score int, proof engine.Proof) (out Value, estimates bool, err error) {
	if proof == engine.Estimate {
		if g.scale > 1 {
			// A win is proved or it is not: estimates stay below it.
			score = max(-g.scale+1, min(g.scale-1, score))
		}
		score = max(-maxScore, min(maxScore, score))
		if !said || int16(score) > v.Est {
			v.Est = int16(score)
		}
		return v, true, nil
	}
	score *= g.scale
	if score > maxScore || score < -maxScore {
		return v, false, fmt.Errorf("score %d: at most %d is possible", score, maxScore)
	}
	w := unknown(0)
	switch s := int16(score); proof {
	case engine.Exact:
		w = exactly(s)
	case engine.Lower:
		w.Lo = s
	case engine.Upper:
		w.Hi = s
	}
	out, ok := v.Within(w)
	if !ok {
		return v, false, fmt.Errorf("%w: %s %d, but %s is known", ErrContradiction, proof, score, v)
	}
	return g.settle(out), proof == engine.Exact, nil
}

// String writes the estimate with a question mark and the bounds: "3", "1?",
// "1?>=1", "2?<=4", "2?1..4". parseValue reads it.
func (v Value) String() string {
	switch {
	case v.Exact():
		return fmt.Sprint(v.Lo)
	case v.Lo > -Unbounded && v.Hi < Unbounded:
		return fmt.Sprintf("%d?%d..%d", v.Est, v.Lo, v.Hi)
	case v.Lo > -Unbounded:
		return fmt.Sprintf("%d?>=%d", v.Est, v.Lo)
	case v.Hi < Unbounded:
		return fmt.Sprintf("%d?<=%d", v.Est, v.Hi)
	}
	return fmt.Sprintf("%d?", v.Est)
}

package exact

import "math/bits"

// Static bounds.
//
// Let S be a sum of hot components and others. The hot ones alone, of sizes
// a1 >= a2 >= …, are worth a1 - a2 + a3 - … (forest formula). As a measure
// that is the number of t >= 0 for which an odd number of them has more than
// t squares; so a multiset of sizes is, for its value, a set of numbers t,
// a mask, and joining multisets is the xor of masks. |M| is the number of
// elements of a mask M.
//
// A component X that is not hot can be compared with such a mask. A *reference*
// of X is a mask H with an error e, and the claim is
//
//	|V(S) - |T|| <= E
//
// where T is the xor of the masks of all hot components and of one reference
// of every other component, and E is the sum of the errors of these
// references, whichever reference is chosen for each component. It holds if
// every reference (H, e) of every X satisfies the following, where an option of
// X gains g and leaves components whose masks and references, chosen as one
// likes, make up the mask K and the error k:
//
//	(U) for every option there is a choice with  e >= g + k - |H xor K|;
//	(L) for one option there is a choice with
//	    e >= k - g + 2b - |(H xor K) below b| + |K from b on|,
//	    where b is the least number with H below b.
//
// Proof by induction on the edges of S. That the value is at most |T| + E:
// let R be what T has besides X's part. An option of X leads to at most
// g - |R xor K| + E - e + k, and |R xor K| + |R xor H| >= |H xor K|, so (U)
// suffices. A capture of g squares (0 for a quiet move) inside a hot component
// of size a leaves one of a - g squares; the masks before and after differ in
// g elements, so |before| + |after| >= g, the same without X.
// That it is at least |T| - E: let a be the size of the largest hot
// component, 0 if there is none. If T has nothing from a on and a > 0, take
// that component whole: |T| and |T without it| add up to a. Otherwise take an
// X whose reference has the largest b of all. Then b >= a: if T has an element
// from a on, it comes from a reference; if there is no hot component, a = 0.
// So R lies below b, and the option of (L) is worth at least
// g - |R xor K| - (E - e + k), where |R xor K| + |R xor H| is at most 2 for
// each t < b where H and K agree, 1 where they differ, and 1 for each element
// of K from b on. QED
//
// Any component has the reference (nothing, its number of squares). That is
// all that is known of types whose options are not all resolved, and of hot
// components too large for a mask.

// maxHotSquares is the largest hot component that a mask can hold.
const maxHotSquares = 64

// hotMask is the mask of a hot component.
func hotMask(squares int) uint64 { return ^uint64(0) >> (64 - uint(squares)) }

func size(mask uint64) int { return bits.OnesCount64(mask) }

// reference is a mask that a component is compared with and the error.
type reference struct {
	mask uint64
	err  uint8
}

// maxReferences is how many references a type keeps, the best first.
const maxReferences = 4

// choice is what an option may leave: a mask and an error.
type choice struct {
	mask uint64
	err  int
}

// referenceFinder works out references from the options of a type, all resolved.
type referenceFinder struct {
	choices []choice
	ends    []int // per option: end of its choices
	gains   []int
	found   [maxReferences]reference
	n       int
}

// smallMasks: all masks below 1<<smallMasks are tried as references.
const smallMasks = 5

// references returns the best references of a type with the given number of
// squares.
func (f *referenceFinder) references(s *store, options []option, squares int) []reference {
	f.choices, f.ends, f.gains = f.choices[:0], f.ends[:0], f.gains[:0]
	for i := range options {
		o := &options[i]
		from := len(f.choices)
		f.combine(s, s.kidsOf(o), 0, 0, from)
		f.ends = append(f.ends, len(f.choices))
		f.gains = append(f.gains, int(o.gain))
	}
	f.n = 1
	f.found[0] = reference{0, uint8(squares)}
	for m := range uint64(1) << min(smallMasks, squares) {
		f.try(m)
	}
	at := 0
	for i, end := range f.ends {
		for ; at < end; at++ {
			k := f.choices[at].mask
			f.try(k)
			if g := f.gains[i]; g > 0 {
				f.try(k ^ hotMask(g))
			}
		}
	}
	return f.found[:f.n]
}

// combine lists what the kids of an option may be compared with.
func (f *referenceFinder) combine(s *store, kids []typeID, mask uint64, err int, from int) {
	if len(kids) == 0 {
		for _, c := range f.choices[from:] {
			if c.err+size(c.mask^mask) <= err {
				return
			}
		}
		f.choices = append(f.choices, choice{mask, err})
		return
	}
	t := &s.types[kids[0]]
	for _, r := range t.refs[:t.nRefs] {
		f.combine(s, kids[1:], mask^r.mask, err+int(r.err), from)
	}
}

// try keeps a mask with its error if it is among the best.
func (f *referenceFinder) try(h uint64) {
	worst := int(f.found[f.n-1].err)
	if f.n < maxReferences {
		worst = 256
	}
	b := bits.Len64(h)
	below := uint64(1)<<b - 1
	upper, lower := 0, 1<<20
	at := 0
	for i, end := range f.ends {
		g := f.gains[i]
		u := 1 << 20
		for ; at < end; at++ {
			c := &f.choices[at]
			differ := h ^ c.mask
			u = min(u, g+c.err-size(differ))
			lower = min(lower, c.err-g+2*b-size(differ&below)+size(differ&^below))
		}
		if upper = max(upper, u); upper >= worst {
			return
		}
	}
	e := max(upper, lower)
	if e >= worst {
		return
	}
	for _, r := range f.found[:f.n] {
		if int(r.err)+size(r.mask^h) <= e {
			return // says as much
		}
	}
	// Drop what the new one makes useless, then insert in order of error.
	n := 0
	for _, r := range f.found[:f.n] {
		if e+size(r.mask^h) > int(r.err) {
			f.found[n] = r
			n++
		}
	}
	i := min(n, maxReferences-1)
	for ; i > 0 && int(f.found[i-1].err) > e; i-- {
		f.found[i] = f.found[i-1]
	}
	f.found[i] = reference{h, uint8(e)}
	f.n = min(n+1, maxReferences)
}

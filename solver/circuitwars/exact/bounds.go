package exact

import (
	"math/bits"
	"slices"
)

// Static bounds.
//
// A component is hot if it has a single edge to the ground. Hot components of sizes a1 >= a2 >= …
// alone have the value a1 - a2 + a3 - … (forest formula). This equals the number of integers t >= 0
// for which an odd number of the sizes exceed t. So the mask of a multiset of sizes is the set of
// these t; the mask of a sum is the xor of the masks, and the value is |M|, the size of the mask M.
//
// A component X that is not hot is compared with such a mask: a reference of X is a mask H with an
// error e. In a sum S, choose one reference for each component that is not hot. Let T be the xor of
// their masks and of the masks of all hot components, and E the sum of the errors. The claim is
//
//	|V(S) - |T|| <= E.
//
// The claim holds for every choice if every reference (H, e) of every X satisfies the following. An
// option of X gains g and leaves components; a choice of references for these has mask K, error k.
//
//	(U) for every option there is a choice with  e >= g + k - |H xor K|;
//	(L) for one option there is a choice with
//	    e >= k - g + 2b - |(H xor K) below b| + |K from b on|,
//	    where b is the least number with all elements of H below b.
//
// The proof is by induction on the edges of S.
//
// V(S) <= |T| + E: let R be T xor H, the part of T without X. An option of X leads to at
// most g - |R xor K| + E - e + k, and |R xor K| + |R xor H| >= |H xor K|, so (U) suffices.
// A move inside a hot component of size a that gains g squares (0 for a quiet move) leaves
// one of size a - g. The masks before and after differ in g elements, so
// |before| + |after| >= g, and the bound follows in the same way.
//
// V(S) >= |T| - E: let a be the size of the largest hot component, 0 if there is none. If T has no
// element from a on and a > 0, take that component whole: |T| and |T without it| add up to a.
// Otherwise choose the X whose reference has the largest b of all. Then b >= a: if T has an element
// from a on, it comes from a reference; if there is no hot component, a = 0. So all elements of R
// are below b, and the option of (L) has at least the value g - |R xor K| - (E - e + k). Here |R
// xor K| + |R xor H| is at most 2 for each t < b where H and K agree, 1 for each t < b where they
// differ, and 1 for each element of K from b on. QED
//
// Every component that is not hot has the reference (empty mask, its number of squares), the only
// one of an incomplete type. So has a hot one too large for a mask; others have error 0.

const maxHotSquares = 64 // maximum size of a hot component with a mask

func hotMask(squares int) uint64 { return ^uint64(0) >> (64 - uint(squares)) }

func size(mask uint64) int { return bits.OnesCount64(mask) }

// reference is a pair (H, e) of a component.
type reference struct {
	mask uint64
	err  uint8
}

const maxReferences = 4 // maximum number of references per type

// choice is the sum of one reference per component left by an option: K and k in (U) and (L).
type choice struct {
	mask uint64
	err  int
}

type referenceFinder struct {
	choices []choice // those of the first option, of the second, …
	ends    []int    // by option: the end of its choices
	gains   []int    // by option
	found   [maxReferences]reference
	n       int // number of references found, in ascending order of their errors
}

const (
	smallMasks = 5       // all masks below 1<<smallMasks are tried as references
	impossible = 1 << 20 // above every error
)

// references returns the best references of a type with the given resolved options and number of
// squares, in ascending order of their errors. The result is valid until the next call.
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
		f.addIfBest(m)
	}
	at := 0
	for i, end := range f.ends {
		for ; at < end; at++ {
			k := f.choices[at].mask
			f.addIfBest(k)
			if g := f.gains[i]; g > 0 {
				f.addIfBest(k ^ hotMask(g))
			}
		}
	}
	return f.found[:f.n]
}

// combine appends the choices of one option, which begin at index from, except those implied as in
// addIfBest. mask and err are the sums of the references chosen so far, kids the other types.
func (f *referenceFinder) combine(s *store, kids []typeID, mask uint64, err, from int) {
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

// addIfBest adds the reference (h, e) with the least e if it is among the best and not implied by
// another, and removes those that it implies. (h2, e2) implies (h, e) if e2 + |h xor h2| <= e.
func (f *referenceFinder) addIfBest(h uint64) {
	worst := int(f.found[f.n-1].err)
	if f.n < maxReferences {
		worst = 256
	}
	e := f.leastError(h, worst)
	implied := func(r reference) bool { return int(r.err)+size(r.mask^h) <= e }
	if e >= worst || slices.ContainsFunc(f.found[:f.n], implied) {
		return
	}
	implies := func(r reference) bool { return e+size(r.mask^h) <= int(r.err) }
	n := len(slices.DeleteFunc(f.found[:f.n], implies))
	i := min(n, maxReferences-1)
	for ; i > 0 && int(f.found[i-1].err) > e; i-- {
		f.found[i] = f.found[i-1]
	}
	f.found[i] = reference{h, uint8(e)}
	f.n = min(n+1, maxReferences)
}

// leastError returns the least e with which (h, e) satisfies (U) and (L), or limit if it is not less.
func (f *referenceFinder) leastError(h uint64, limit int) int {
	b := bits.Len64(h)
	below := uint64(1)<<b - 1
	upper, lower := 0, impossible // the least errors for (U) and (L)
	at := 0
	for i, end := range f.ends {
		g := f.gains[i]
		least := impossible // for (U) and this option
		for ; at < end; at++ {
			c := &f.choices[at]
			differ := h ^ c.mask
			least = min(least, g+c.err-size(differ))
			lower = min(lower, c.err-g+2*b-size(differ&below)+size(differ&^below))
		}
		if upper = max(upper, least); upper >= limit {
			return limit
		}
	}
	return min(max(upper, lower), limit)
}

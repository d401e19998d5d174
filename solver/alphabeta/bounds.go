package alphabeta

import "math/bits"

// Static bounds.
//
// Let S be a sum of hot components of sizes a1 >= a2 >= … and of others, X.
// F = a1 - a2 + a3 - … is what the hot ones alone are worth (forest formula);
// written as a measure, F is the number of t >= 0 for which an odd number of
// hot components has more than t squares. Each X has an error e(X) with
//
//	|V(S) - F| <= Σ e(X)
//
// provided that for every option of X, which gains g and leaves hot
// components of forest value f and others with errors that sum to e,
//
//	(U)  e(X) >= g + e - f
//
// and that for at least one option
//
//	(L)  e(X) >= f + e - g.
//
// Proof by induction on the number of edges, R the multiset of hot sizes, E
// the sum of errors. Upper bound: an option of X leads to at most
// g - F(R ∪ K) + E - e(X) + e, K its hot kids; F(R ∪ K) + F(R) >= F(K) since
// an odd k makes one of r + k and r odd; so (U) suffices. A capture of g
// squares inside a hot component of size a leaves a hot one of a - g (a quiet
// move one of a): F before plus F after is at least g, the range where the
// parities differ. Lower bound: with a hot component left, take the largest
// whole, since F(R) = a1 - F(R without a1); with none left, F = 0 and the
// option of (L) does. QED
//
// The number of squares is always a valid error, so types whose options are
// not all resolved use it; a hot component too large for a mask counts as an
// ordinary one with that error. Chains get their parity, as they must.

// maxHotSquares is the largest hot component that a mask can hold.
const maxHotSquares = 64

// hotMask has bit t set for t < squares: the numbers t for which a hot
// component is larger than t. The xor of the masks of a sum has the bits of
// odd count, and their number is F.
func hotMask(squares int) uint64 { return ^uint64(0) >> (64 - uint(squares)) }

func forest(mask uint64) int { return bits.OnesCount64(mask) }

// errorOf is the smallest error that (U) and (L) allow, at most the number of
// squares given.
func errorOf(options []option, squares uint8) uint8 {
	upper, lower := 0, int(squares)
	for i := range options {
		o := &options[i]
		g, e, f := int(o.gain), int(o.err), forest(o.hot)
		upper = max(upper, g+e-f)
		lower = min(lower, f+e-g)
	}
	return uint8(min(max(upper, lower), int(squares)))
}

package engine

// Canonical is a Position whose value it shares with others: with its images
// under the symmetries that are valid for the game, and with positions that
// differ only in what no longer matters, like the score so far. One of them,
// the canonical position, stands for all. Books and tables store that one.
//
// The value V(p) of a position is what the side to move gets from here on with
// best play, minus what its opponent gets. A finished position is worth 0:
// what the end brings belongs to the move that ends the game. So
//
//	V(p) = max over moves p→q of  Gain(q) + V(q)   where the same side moves on,
//	                              Gain(q) - V(q)   where the turn passes.
//
// No sequence of moves leads from a canonical key back to itself: what is
// stored forms a directed graph without cycles.
type Canonical interface {
	Position
	// BoardName is the board as the game's Start reads it, for instance "7x7".
	BoardName() string
	// CanonicalKey appends the key of the canonical position to dst and says
	// how the moves of p lie in it. Positions with equal keys have equal
	// values and their moves correspond; a key belongs to one board of one
	// game, and the game's FromKey reads it back. Keys of one board are
	// equally long.
	CanonicalKey(dst []byte) ([]byte, Orientation)
	// Gain is what the side to move of p gets, minus what its opponent gets,
	// when next is the position after one move from p.
	Gain(next Position) int
}

// Orientation translates moves between a position and the canonical one.
// Moves that lead to the same canonical position may fall together: ToCanonical
// then gives one of them for all.
type Orientation interface {
	// ToCanonical gives the canonical position's move for a legal move here.
	ToCanonical(Move) Move
	// FromCanonical gives a legal move here for one of the canonical
	// position's; ok is false for a move that the canonical position has not.
	FromCanonical(Move) (m Move, ok bool)
}

// Gained is how much both sides together have more in next than in p: Gain in
// games in which only the mover scores.
func Gained(p, next Position) int {
	s, t := p.Score(), next.Score()
	return t[0] + t[1] - s[0] - s[1]
}

// CanonicalGame is a Game whose positions are Canonical.
type CanonicalGame interface {
	Game
	// FromKey is the canonical position of a key; score and turn are some that
	// are possible, as the key does not know them. It refuses bytes that are
	// no key of a position, but takes a key that is not canonical.
	FromKey(key []byte) (Canonical, error)
	// ProofScale is the number of points of an estimated score that one point
	// of a proved score stands for: 1 where both count the same thing. Above 1
	// it says that a proved score is the game's result, 1, 0 or -1: 10000 where
	// estimates are hundredths of a piece.
	ProofScale() int
}

// Bounded is a Canonical whose value is known to lie between two numbers, which
// lets a search stop at a move that reaches the best of them: -1 and 1 where a
// game is won or lost.
type Bounded interface {
	Canonical
	// ValueBounds are the least and the greatest value the position may have.
	ValueBounds() (low, high int)
}

package engine

// A position shares its value with others: with its images under the symmetries
// that are valid for the game, and with positions that differ only in what no longer
// matters, like the score so far. One of them, the canonical position, stands for all:
// books and tables store that one, by its key (Position.CanonicalKey, Game.FromKey).
//
// The value V(p) of a position is what the side to move gets from here on with
// best play, minus what its opponent gets. A finished position is worth 0:
// what the end brings belongs to the move that ends the game. So
//
//	V(p) = max over moves p→q of  Gain(q) + V(q)   if the same side moves on,
//	                              Gain(q) - V(q)   if the turn passes.
//
// No sequence of moves leads from a canonical key back to itself: what is
// stored forms a directed graph without cycles.

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

package engine

// Positions have equal values if they differ only by a symmetry that the game allows, or in
// details that no longer matter, like the score so far. The canonical position represents
// all of them: books and tables store only it, by its key (Position.CanonicalKey,
// Game.FromKey).
//
// The value V(p) of a position is the score that the side to move gains from there on with
// best play, minus the opponent's. A finished position has value 0; the gain at the end of
// a game belongs to the move that ends it. So
//
// 	V(p) = max over moves p→q of  Gain(q) + V(q)   if the same side moves again,
// 	                              Gain(q) - V(q)   if the turn passes.
//
// No sequence of moves leads from a canonical key back to itself, so the stored positions
// form a directed acyclic graph.

// Orientation translates moves between a position and its canonical position. Moves that
// lead to the same canonical position may be translated to one move.
type Orientation interface {
	// ToCanonical returns the canonical position's move for a legal move of the position.
	ToCanonical(Move) Move
	// FromCanonical returns a legal move of the position for a move of the canonical
	// position; ok is false if the canonical position has no such move.
	FromCanonical(Move) (m Move, ok bool)
}

// Gained returns the increase of both sides' scores from p to next. In games in which only
// the mover scores, it is Gain.
func Gained(p, next Position) int {
	s, t := p.Score(), next.Score()
	return t[0] + t[1] - s[0] - s[1]
}

package engine

// Positions that differ only by a symmetry of the game, or in details such as the score so far,
// have equal values. One of them is canonical. Books and tables store only canonical positions.
//
// The value V(p) of a position is the score that the side to move gains from p on with best
// play, minus the score that the opponent gains. A finished position has value 0; a gain at
// the end of a game belongs to the last move. So
//
// 	V(p) = max over moves p→q of  Gain(q) + V(q)   if the same side moves again,
// 	                              Gain(q) - V(q)   if the turn passes.
//
// No sequence of moves leads from a position to another one with the same key, so canonical
// positions form a directed acyclic graph.

// Orientation translates moves between a position and its canonical position. ToCanonical returns
// the canonical position's move for a legal move of the position. FromCanonical returns a legal move
// of the position for a move of the canonical position; ok is false if the canonical position has no
// such move. Several moves that lead to the same canonical position may have the same translation.
type Orientation interface {
	ToCanonical(Move) Move
	FromCanonical(Move) (m Move, ok bool)
}

// Gained returns the increase of the sum of both scores from p to next.
func Gained(p, next Position) int {
	s, t := p.Score(), next.Score()
	return t[0] + t[1] - s[0] - s[1]
}

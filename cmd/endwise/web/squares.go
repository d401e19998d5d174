package web

// squareView is a board of 8x8 squares with pieces, phases and parts that vanish.
type squareView struct {
	// Squares has a letter a square, row by row, as in the position string:
	// O white, @ black, X corner, - empty, . removed.
	Squares [8]string `json:"squares"`
	Phase   string    `json:"phase"`
	// ToShrink is the number of turns to the next shrink, 0 when there is none.
	ToShrink int `json:"to_shrink"`
	// Ring lists the squares that the next shrink takes away, Doomed the
	// pieces that would be gone if it came now.
	Ring   []int `json:"ring"`
	Doomed []int `json:"doomed"`
	// Barred lists the squares where the mover may not place; empty in the
	// moving phase.
	Barred []int `json:"barred"`
	// Moves tells for each legal move what it does.
	Moves []squareMove `json:"moves"`
	// Entered is the square that the last move entered, -1 for none; From
	// where it came from. Died lists where pieces were that it cost.
	Entered int   `json:"entered"`
	From    int   `json:"from"`
	Died    []int `json:"died"`
}

// squareMove is a legal move: its squares (8*y+x, From -1 for a placement,
// both -1 for a forfeit), whether it jumps and which pieces die.
type squareMove struct {
	Move string `json:"move"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Jump bool   `json:"jump"`
	Dies []int  `json:"dies"`
}

package dotsandboxes

import "endwise/engine"

// count is the result of countMoves at one depth.
type count struct {
	// Games is the number of sequences of moves of that length, without games that end
	// earlier.
	Games uint64
	// Captures is the number of sequences whose last move completes a box, Doubles of those
	// whose last move completes two.
	Captures, Doubles uint64
	// FirstToMove is the number of sequences after which player 1 is to move, or made the
	// last move of the game.
	FirstToMove uint64
	// Lead is the sum over all sequences of player 1's boxes minus player 2's.
	Lead int64
}

// add counts one sequence: its last move completes captured boxes, after it player 1 is to
// move if first is set, and player 1 leads by lead.
func (c *count) add(captured int, first bool, lead int) {
	c.Games++
	if captured > 0 {
		c.Captures++
	}
	if captured > 1 {
		c.Doubles++
	}
	if first {
		c.FirstToMove++
	}
	c.Lead += int64(lead)
}

// countMoves counts all sequences of depth moves from a position. Any two implementations
// of the rules agree on every number.
func countMoves(p Position, depth int) count {
	var c count
	perft(p, depth, 0, &c)
	return c
}

func perft(p Position, depth, captured int, c *count) {
	if depth == 0 {
		c.add(captured, p.turn == engine.First, int(p.score[0])-int(p.score[1]))
		return
	}
	for _, m := range p.Moves() {
		q, err := p.DrawLine(m)
		if err != nil {
			panic(err) // Moves returned it
		}
		perft(q, depth-1, p.Captures(m), c)
	}
}

// Package exact solves Dots and Boxes exactly.
//
// # Chains, loops and control
//
// The game is played as Strings and Coins: a box is a vertex, a free line is an edge
// between the two boxes next to it, and drawing the line cuts the edge. A line at the
// border leads to the ground, a vertex that is not a box. A position is a bit mask of its
// free lines.
//
// In the position below, drawn lines are shown, and free lines are gaps:
//
//	+---+---+   +---+   +
//	| L   L | C | b   b |     L        an isolated loop of four boxes
//	+   +   +   +   +---+     C        an isolated chain of three boxes; both ends are the ground
//	| L   L | C | J   a       s        an isolated chain of two boxes
//	+---+---+   +   +---+     J        a joint: a box with three or four free lines
//	  s   s | C | c   c |     a, b, c  chains of one, two and two boxes from the joint to the ground
//	+---+   +   +---+   +
//
// The boxes of a chain or loop have two free lines each. Whichever of the lines is drawn,
// the opponent can take all boxes of the chain one after the other. So a chain is one edge
// of a smaller graph, the contracted graph, whose vertices are the joints and the ground.
// Here it has one joint, which three edges of lengths 1, 2 and 2 connect to the ground; L,
// C and s are isolated and only counted by length.
//
// No box of the position can be captured: each has no free line or at least two. Such a
// position is called R-type (Buzzard and Ciere 2014). Every move in it gives away a chain
// or loop, or draws a line between joints (or a joint and the ground) that gives away
// nothing. An opponent who is offered a chain of three or more boxes has a choice: to take
// all boxes and then move elsewhere, or to decline the last two with a double-deal, so that
// the other player takes these two and has to move elsewhere. In a loop a double-deal costs
// the last four boxes. The player with this choice has control. Chains of one or two boxes
// can be given away without the choice.
//
// # The search
//
// Every position leads by captures, in any order, to one R-type position, and its value
// follows from the value of that position alone: the better of taking all boxes and of a
// double-deal (captures.go). So the search goes from R-type position to R-type position.
// Its moves are the chains and loops of the contracted graph (chains.go), each with the
// number of boxes given away and the price of the double-deal (moves.go). Endgames of
// isolated long chains and loops only have a closed form (loonyendings.go). Positions with
// isomorphic contracted graphs have equal values, and share one entry of the transposition
// table (key.go). A child's key follows from its parent's contracted graph (contracted.go).
// The order of moves is in order.go, the recursion in search.go.
//
// The theorems behind this are numbered T1 to T7: T1 in captures.go, T2 to T4 in moves.go,
// T5 in chains.go, T6 in loonyendings.go, T7 in key.go.
//
// A value is the number of future boxes of the side to move minus the opponent's. All
// bounds are proved. The effort of a search is measured in expansions, positions whose
// moves are tried.
//
// # Use
//
// [Solver] evaluates positions and their lines (queries.go). [Leaves] evaluates the small
// positions of a heuristic search (package mcts). [Solver.Prove] selects the part of a
// proof that is embedded in the program (prove.go). [Split] computes the value of an empty
// board in parts that can be stopped and distributed (split.go). [Positions] provides keys
// and moves for other traversals of a board, such as the value of every position of a board
// (package tables).
//
// References: Berlekamp, "The Dots and Boxes Game", 2000; Barker and Korf, "Solving
// Dots-and-Boxes", AAAI 2012; Buzzard and Ciere, "Playing simple loony dots and boxes
// endgames optimally", Integers 14, 2014. Measurements and rejected variants:
// data/results/tried-dotsandboxes.md.
package exact

// Package exact solves Dots and Boxes exactly, as Strings and Coins: boxes are
// vertices, free lines are edges, and a position of a graph is the mask of the
// edges that are left. An edge at the border leads to the ground, which is no box; a box
// with three or four free lines is a joint, and boxes with two make the chains between
// joints and ground. To expand a position is to try its moves: searches are measured in
// expansions.
//
// The idea: a position is R-type (Buzzard and Ciere 2014) where no box has
// exactly one free line, so that nothing can be captured. Every position leads by
// captures, in any order, to one R-type position, and its value follows from that
// one's alone: take all, or decline the last two or four boxes and let the opponent
// move, a double-deal (captures.go).
// So the search goes from R-type position to R-type position, its moves are
// contracted chains (chains.go), those that give away a chain or loop with their price
// (moves.go), and simple loony endgames, of long chains and loops alone, have a
// closed form (loonyendings.go, from the same paper). The theorems behind that are
// numbered T1 to T7, each where it is used: T1 captures.go, T2 to T4 moves.go, T5
// chains.go, T6 loonyendings.go, T7 key.go: positions with isomorphic contracted
// graphs have equal values, and share one entry of the transposition table. The
// order of moves is in order.go.
//
// What else might find a value sooner was measured. Proof-number search (df-pn, Nagai 2002)
// of positions of 3x4 with more than 22 lines, with this search below, takes 6.4 times as many
// expansions and 3.7 times as many steps of its own; of those with more than 18 lines 2.6 and
// 17 times: a position is met from many sides, and its numbers are added up as if it were many.
// A table of all small classes spares little: of the expansions that prove 4x4 to be worth at
// least 0, 0.1 % are of at most 12 lines, 2 % of at most 16, 7 % of at most 18. So do bounds
// from the chains and loops that either side can force: one that is ten boxes better than that
// a side takes all boxes, for either side and everywhere, would cut 7 % of them, one that is
// twelve better 24 %. All this was counted before the moves of a position were
// looked up together, which spares a sixth of the expansions (lookUp in search.go). Looks at
// the table, which are waits for memory, were 61 % of the time and are 25 %; to take positions
// apart is 28 %, to make their keys 28 %. Keys from what was made for the parent, changed where a
// chain went, so that a child is not taken apart for its key, gained nothing: 0.19 s for
// 0.19 s of 3x4 in three turns.
//
// Built on this are Solver for one position, Leaves for the small ones of a live search
// (package mcts), the part of a proof that ships (prove.go), and Positions for who goes
// through a board in another way: the value of an empty board in parts that can be stopped
// and handed out (split.go), and every value of a board (package tables).
//
// What holds throughout: a value is future boxes of the side to move minus the
// opponent's, and bounds are proved.
package exact

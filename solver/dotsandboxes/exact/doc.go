// Package exact solves Dots and Boxes exactly. solver/dotsandboxes/README.md explains how
// and defines the terms: ground, joint, chain, contracted graph, R-type position,
// double-deal, control.
//
// The positions of the search (search.go) are R-type. A position is a bit mask of free lines
// (graph.go). The moves are the chains and loops of the contracted graph
// (chains.go). A child's key follows from its parent's contracted graph (contracted.go). The
// order of moves is in order.go. The theorems are numbered T1 to T7: T1 in captures.go, T2 to
// T4 in moves.go, T5 in chains.go, T6 in loonyendings.go, T7 in key.go.
//
// A value is the number of future boxes of the side to move minus the opponent's. All
// bounds are proved. The effort of a search is measured in expansions, positions whose
// moves are tried.
//
// [Solver] evaluates positions and their lines (queries.go). [Leaves] evaluates the small
// positions of a heuristic search (package mcts). [Solver.Prove] selects the part of a
// proof that is embedded in the program (prove.go). [Split] computes the value of an empty
// board in parts that can be stopped and distributed (split.go). [Positions] provides keys
// and moves for other traversals of a board, such as the value of every position of a board
// (package tables).
package exact

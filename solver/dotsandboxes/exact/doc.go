// Package exact solves Dots and Boxes exactly. solver/dotsandboxes/README.md explains how and
// defines the terms: ground, joint, chain, contracted graph, R-type position, double-deal, control.
//
// The positions of the search (search.go) are R-type: masks of free lines (graph.go). Moves are the
// chains and loops of the contracted graph (chains.go), in the order of order.go. A child's key
// follows from its parent's contracted graph (contracted.go). The theorems are numbered T1 to T7:
// T1 in captures.go, T2 to T4 in moves.go, T5 in chains.go, T6 in loonyendings.go, T7 in key.go.
//
// A value is the number of future boxes of the side to move minus the opponent's. All bounds are
// proved. The effort of a search is measured in expansions, positions whose moves are tried.
package exact

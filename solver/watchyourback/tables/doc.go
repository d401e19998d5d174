// Package tables provides the exact values of the late stages of Watch Your Back: win, tie
// or loss for the side to move.
//
// [Final] contains the values of the 4x4 board, where play can cycle, with and without the
// limit of turns without an elimination (final.go). [NewFinal] computes it.
//
// [Table] contains the positions on the 6x6 board with a given number of pieces, which
// package retrograde computes and a [Writer] stores. A position is two sets of squares,
// numbered by the combinatorial number system (ranks.go). The values of a position for all
// turns are its [Profile]; there are few distinct profiles. layout.go describes the file
// format. [Tables] combines a Final and the tables by number of pieces.
package tables

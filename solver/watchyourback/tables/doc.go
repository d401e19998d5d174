// Package tables provides the exact values of the late stages of Watch Your Back: win, tie
// or loss for the side to move.
//
// A [Final] contains the values of all positions on the 4x4 board ([NewFinal], final.go).
//
// A [Table] contains the values of all positions on the 6x6 board with a given number of
// pieces. Package retrograde computes it and a [Writer] stores it; layout.go describes the
// file format. A position is two sets of squares, which are numbered by the combinatorial
// number system (ranks.go). The value also depends on the number of turns left before the
// second shrink; the values for all numbers of turns are the [Profile] of the position.
//
// [Tables] combines a Final and one Table per number of pieces.
package tables

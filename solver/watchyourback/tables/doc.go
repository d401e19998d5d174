// Package tables provides the exact values of the late stages of Watch Your Back: win, tie or loss
// for the side to move. A [Final] contains the positions on the 4x4 board. A [Table] contains the
// positions on the 6x6 board with a given number of pieces, in the format of layout.go. Package
// retrograde computes it and a [Writer] stores it.
package tables

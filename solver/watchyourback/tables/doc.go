// Package tables solves the late stages of Watch Your Back from the end.
//
// The idea: on the 6x6 board every turn, a forfeit included, takes one turn
// off the clock that ends with the second shrink. So the values with r turns
// left, a plane, follow from those with r-1 alone; nothing is cyclic, and 64
// sweeps give every position: retrograde analysis (retrograde.go a sweep, solve.go
// all of them). Below them stands the 4x4 board, where turns do not matter and play
// can go in cycles: Final values it (final.go), what neither side can win being a tie.
//
// Positions are two sets of squares, the mover's and the opponent's, numbered
// by the combinatorial number system (sets.go). A finished stage is packed by
// number of pieces: a position's values for all turns are one profile, and
// there are few profiles (layout.go, pack.go). Table answers from the packed form, Tables
// from everything that is there, and Verify works samples out by a search that
// knows neither planes nor profiles. Parts cuts a plane for a farm.
//
// What holds throughout: values are win, tie or loss for the side to move; a
// capture leads to fewer pieces, so a table needs all smaller ones; the same
// planes come out on any number of threads or machines and after any
// interruption, byte for byte.
package tables

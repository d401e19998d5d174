// Package tables knows the values of the late stages of Watch Your Back: those of the
// 4x4 board, which it works out itself, and tables of the 6x6 board, which package
// retrograde works out.
//
// On the 4x4 board turns do not matter and play can go in cycles: Final values it
// (final.go), what neither side can win being a tie, without and with the limit of
// turns without an elimination.
//
// Positions of the 6x6 board are two sets of squares, the mover's and the opponent's,
// numbered by the combinatorial number system (ranks.go). A table holds those of one
// number of pieces: a position's values for all turns are one profile, and
// there are few profiles (layout.go). Writer packs them, Table answers from the packed
// form, Tables from everything that is there. Values are win, tie or loss for the side
// to move.
package tables

//go:build !js

package data

import (
	_ "embed" // for the proofs
	"maps"
	"slices"
	"strings"
)

// As strings proofs are read where they lie in the program: a copy of ten megabytes takes
// a good part of a move's time.
var (
	//go:embed proofs/circuitwars-3x4
	circuitwars3x4 string
	//go:embed proofs/dotsandboxes-4x4
	dotsandboxes4x4 string
	//go:embed proofs/dotsandboxes-4x5
	dotsandboxes4x5 string
)

// proofs are those that ship, by GAME-BOARD.
var proofs = map[string]string{
	"circuitwars-3x4":  circuitwars3x4,
	"dotsandboxes-4x4": dotsandboxes4x4,
	"dotsandboxes-4x5": dotsandboxes4x5,
}

// Proof is what ships of the proof of an empty board's value, as endwise solve GAME
// --answers writes it and the solvers learn it (book/solving/shippedproof.go); "" for none.
// README.md in proofs says how they were made.
func Proof(game, board string) string { return proofs[game+"-"+board] }

// ProvedBoards are those of a game that such a proof ships of.
func ProvedBoards(game string) (boards []string) {
	for _, name := range slices.Sorted(maps.Keys(proofs)) {
		if board, ok := strings.CutPrefix(name, game+"-"); ok {
			boards = append(boards, board)
		}
	}
	return boards
}

//go:build !js

package data

import (
	"maps"
	"slices"
	"strings"
)

// proofs are those that ship, by GAME-BOARD; each game's file puts its own in. As strings
// they are read where they lie in the program: a copy of ten megabytes takes a good part
// of a move's time.
var proofs = map[string]string{}

// Proof is what ships of the proof of an empty board's value, as endwise solve GAME
// --answers writes it and the solvers learn it (book/proof.go); "" for none.
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

//go:build !js

package data

import (
	"maps"
	"slices"
	"strings"
)

// proofs contains the embedded parts of proofs, by GAME-BOARD; each game's file adds its
// own. Embedded strings are not copied, which would take a noticeable part of a move's time.
var proofs = map[string]string{}

// Proof returns the embedded part of the proof of an empty board's value, in the form that
// endwise solve GAME --answers writes and the solvers learn (book/proof.go); "" for none.
// README.md in proofs describes how they were made.
func Proof(game, board string) string { return proofs[game+"-"+board] }

// ProvedBoards returns the boards of a game with an embedded proof.
func ProvedBoards(game string) (boards []string) {
	for _, name := range slices.Sorted(maps.Keys(proofs)) {
		if board, ok := strings.CutPrefix(name, game+"-"); ok {
			boards = append(boards, board)
		}
	}
	return boards
}

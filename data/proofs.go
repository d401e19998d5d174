//go:build !js

package data

import (
	"embed"
	"path"
	"strings"
)

//go:embed proofs
var proofs embed.FS

// Proof is what ships of the proof of an empty board's value, as endwise solve GAME
// --answers writes it and the solvers learn it (book/shippedproof.go); nil for none.
// README.md in proofs says how they were made.
func Proof(game, board string) []byte {
	proof, err := proofs.ReadFile(path.Join("proofs", game+"-"+board))
	if err != nil {
		return nil
	}
	return proof
}

// ProvedBoards are those of a game that such a proof ships of.
func ProvedBoards(game string) (boards []string) {
	files, err := proofs.ReadDir("proofs")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	for _, f := range files {
		if board, ok := strings.CutPrefix(f.Name(), game+"-"); ok {
			boards = append(boards, board)
		}
	}
	return boards
}

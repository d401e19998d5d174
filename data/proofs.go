//go:build !js

package data

import "embed"

//go:embed proofs
var proofs embed.FS

// Proof is what ships of a game's proofs of the values of empty boards, as endwise
// solve GAME --answers writes it and the solvers learn it (book/shippedproof.go); nil
// for none. README.md in proofs says how they were made.
func Proof(game string) []byte {
	proof, err := proofs.ReadFile("proofs/" + game)
	if err != nil {
		return nil
	}
	return proof
}

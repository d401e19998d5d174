package data

import "os"

// Proof is what ships of the proof of an empty board's value, which the static site has
// as a file beside its program unless it is too large for it; "" for none.
func Proof(game, board string) string {
	proof, err := os.ReadFile("/store/" + game + "-" + board + ".proof")
	if err != nil {
		return ""
	}
	return string(proof)
}

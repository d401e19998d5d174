package data

import "os"

// Proof returns the part of the proof of an empty board's value. In the static site it is a
// file next to the program, unless it is too large; "" for none.
func Proof(game, board string) string {
	proof, err := os.ReadFile("/store/" + game + "-" + board + ".proof")
	if err != nil {
		return ""
	}
	return string(proof)
}

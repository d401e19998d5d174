//go:build !js

package data

import _ "embed" // for the proof

//go:embed proofs/dotsandboxes-4x4
var dotsAndBoxesProof []byte

// DotsAndBoxesProof is the proof of the value of 4x4 near the empty board, as
// endwise solve dotsandboxes --answers writes it. README.md in proofs says how
// it was made.
func DotsAndBoxesProof() []byte { return dotsAndBoxesProof }

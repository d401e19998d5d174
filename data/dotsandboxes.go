//go:build !js

package data

import _ "embed"

//go:embed proofs/dotsandboxes-4x4
var dotsandboxes4x4 string

//go:embed proofs/dotsandboxes-4x5
var dotsandboxes4x5 string

// ClaimsFiles contains the paths of the claims files in the repository, by "GAME BOARD". A claims file
// reduces a value to claims that can be checked one by one.
var ClaimsFiles = map[string]string{"dotsandboxes 4x5": "data/results/dotsandboxes-4x5.claims.gz"}

func init() {
	proofs["dotsandboxes-4x4"] = dotsandboxes4x4
	proofs["dotsandboxes-4x5"] = dotsandboxes4x5
}

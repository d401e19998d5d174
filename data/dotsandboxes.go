//go:build !js

package data

import _ "embed"

//go:embed proofs/dotsandboxes-4x4
var dotsandboxes4x4 string

//go:embed proofs/dotsandboxes-4x5
var dotsandboxes4x5 string

func init() {
	proofs["dotsandboxes-4x4"] = dotsandboxes4x4
	proofs["dotsandboxes-4x5"] = dotsandboxes4x5
}

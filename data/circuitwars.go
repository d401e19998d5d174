//go:build !js

package data

import _ "embed"

//go:embed proofs/circuitwars-3x4
var circuitwars3x4 string

func init() { proofs["circuitwars-3x4"] = circuitwars3x4 }

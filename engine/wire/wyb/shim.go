package wyb

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed shim.py
var shimSource string

// ShimName is the file that Shim is the content of. Modules of common names
// would be shadowed by the referee's own.
const ShimName = "endwise_player.py"

// ShimMark is a sentence that every shim contains.
const ShimMark = `Written by "endwise shim watchyourback"`

// Shim is a Python module with a Player class that runs the program binary
// with the given arguments and asks it over the line protocol.
func Shim(binary string, arguments []string) (string, error) {
	// A JSON string of ASCII characters is a Python string.
	b, err := asciiJSON(binary)
	if err != nil {
		return "", err
	}
	a, err := asciiJSON(arguments)
	if err != nil {
		return "", err
	}
	return strings.NewReplacer("@BINARY@", b, "@ARGUMENTS@", a).Replace(shimSource), nil
}

// asciiJSON writes v with every other character escaped as Python does it.
func asciiJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range string(data) {
		if r < 128 {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\U%08x`, r)
	}
	return b.String(), nil
}

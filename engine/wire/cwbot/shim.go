package cwbot

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed game_ai.py
var shimSource string

// ShimMark is a line of every file that Shim makes.
const ShimMark = `Written by "endwise shim circuitwars".`

// Shim is the source of a Python program (3.5 or later, standard library only)
// that plays a game on a server and asks the endwise binary for its moves, see
// package lines. The binary is the absolute path that is tried first.
func Shim(binary, server, team string) string {
	return strings.NewReplacer(
		`"@binary@"`, strconv.QuoteToASCII(binary),
		`"@server@"`, strconv.QuoteToASCII(server),
		`"@team@"`, strconv.QuoteToASCII(team),
	).Replace(shimSource)
}

package cwbot

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed game_ai.py
var shimSource string

// ShimMark is contained in every file that Shim generates.
const ShimMark = `Written by "endwise shim circuitwars".`

// Shim returns the source of a Python program (3.5 or later, standard library only) that starts
// endwise or, if endwise is not installed, plays simple moves on a server.
func Shim(server, team string) string {
	return strings.NewReplacer(
		`SERVER = "http://127.0.0.1:5000"`, "SERVER = "+strconv.QuoteToASCII(server),
		`TEAM_ID = "endwise"`, "TEAM_ID = "+strconv.QuoteToASCII(team),
	).Replace(shimSource)
}

// ShimSettings returns the server and the team of a file that Shim generated, "" for a missing setting.
func ShimSettings(text string) (server, team string) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		if n := len(value); n > 1 && value[0] == '\'' && value[n-1] == '\'' {
			value = `"` + value[1:n-1] + `"`
		}
		switch value, err := strconv.Unquote(value); {
		case err != nil:
		case name == "SERVER":
			server = value
		case name == "TEAM_ID":
			team = value
		}
	}
	return server, team
}

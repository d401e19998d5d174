package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// renamed are the spellings of earlier versions, a command's path and perhaps a
// flag, and what is said today.
var renamed = map[string]string{
	"tables":                  "status",
	"book fix":                "book check GAME --fix",
	"book grow --move-time":   "--time",
	"book grow --workers":     "--jobs",
	"book grow --nodes":       "--positions",
	"book grow --games":       "no flag: files of games stand behind GAME",
	"book deepen --move-time": "--time",
	"book html --nodes":       "--pages",
	"book deepen --from":      "no flag: the position stands behind GAME",
}

// saidToday is what an earlier spelling of a subcommand or a flag is now, ""
// where there was none.
func saidToday(cmd *cobra.Command, word string) string {
	path := strings.TrimPrefix(cmd.CommandPath()+" "+word, cmd.Root().Name()+" ")
	if now := renamed[path]; now != "" {
		return "; it is now " + now
	}
	return ""
}

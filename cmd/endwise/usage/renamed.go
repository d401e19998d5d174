package usage

import (
	"strings"

	"github.com/spf13/cobra"
)

// Renamed are the spellings of earlier versions, a command's path (or the
// beginning of it) and perhaps a flag, and what is said today.
var Renamed = map[string]string{
	"tables":                "status",
	"--concurrency":         "--jobs",
	"--workers":             "--jobs",
	"--check":               "--sample",
	"bench --games":         "no flag: game logs stand behind the game",
	"bench --nodes":         "--nodes-per-position",
	"bench --depth":         "--plies",
	"bench --horizon":       "--good-play",
	"bot --margin":          "--overhead",
	"bot --host":            "--addr HOST:PORT",
	"bot --port":            "--addr HOST:PORT",
	"championship --game":   "no flag: the game stands behind championship",
	"championship --from":   "no flag: logs stand behind the game",
	"play --from":           "no flag: the position stands behind the game",
	"referee --move-time":   "--time",
	"referee --space":       "--space-limit",
	"serve --size":          "--board",
	"serve --timeout":       "--time, and 0 for none",
	"solve --plies":         "--split",
	"solve --proof":         "--answers, or see prove",
	"solve --size":          "--answer-size",
	"solve --samples":       "--compare",
	"book fix":              "book check GAME --fix",
	"book grow --threads":   "--jobs, a thread each",
	"book grow --move-time": "--time",
	"book grow --workers":   "--jobs",
	"book grow --nodes":     "--positions",
	"book grow --games":     "no flag: files of games stand behind GAME",
	"book html":             "site",
}

// saidToday is what an earlier spelling of a subcommand or a flag is now, ""
// where there was none.
func saidToday(cmd *cobra.Command, word string) string {
	for ; cmd != nil; cmd = cmd.Parent() {
		path := strings.TrimPrefix(cmd.CommandPath()+" "+word, cmd.Root().Name()+" ")
		if now := Renamed[path]; now != "" {
			return "; it is now " + now
		}
		if !strings.HasPrefix(word, "--") {
			break
		}
	}
	return ""
}

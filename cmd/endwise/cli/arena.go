package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"endwise/engine"
	"endwise/engine/arena"
)

// ArenaGame describes a game for matches.
type ArenaGame struct {
	// Rules contains the game, its log format and the score of forfeits.
	Rules arena.Rules
	// Programs maps the prefix of a player's spec to the opener of external programs.
	Programs map[string]ProgramOpener
	// Help explains programs and levels in the help of commands with players.
	Help string
	// TimeNote is a sentence on the times of programs for reports; "" for none.
	TimeNote string
	// End releases resources after the last game with programs; nil for none.
	End func()
}

// UnknownPlayer returns the error for a spec that is none of the wanted ones. For a file, a command or an
// agent without its prefix it says how to write it.
func (g ArenaGame) UnknownPlayer(spec, wanted string) error {
	if how := g.howToWrite(spec); how != "" {
		return fmt.Errorf("player %q: %s", spec, how)
	}
	return fmt.Errorf("player %q: want %s", spec, wanted)
}

// howToWrite returns advice how to name the player that path probably means: a file, the only Python
// program of a directory, a command, or an agent in games without commands. It returns "" for other texts.
func (g ArenaGame) howToWrite(path string) string {
	info, missing := os.Stat(path)
	if missing == nil && info.IsDir() {
		found, _ := filepath.Glob(filepath.Join(path, "*.py")) // an error finds none
		if len(found) != 1 {
			return ""
		}
		path = found[0]
	}
	python, quoted := filepath.Ext(path) == ".py", path
	spaced := strings.ContainsRune(path, ' ')
	if spaced {
		quoted = `"` + path + `"`
	}
	_, notOnPath := exec.LookPath(path)
	var spec string
	switch {
	case g.Programs["cmd:"] == nil && (missing == nil || python || strings.HasPrefix(path, "cmd:")):
		return "start the agent first and give its address, for instance ws://127.0.0.1:8089"
	case g.Programs["cmd:"] == nil || strings.HasPrefix(path, `"`) || strings.HasPrefix(path, "'"):
		return ""
	case missing != nil && spaced && strings.Contains(path, `"`):
		return fmt.Sprintf("write 'cmd:%s'", path)
	case missing != nil && spaced:
		return fmt.Sprintf("write %q", "cmd:"+path)
	case python && g.Programs["py:"] != nil:
		spec = "py:" + path
	case python:
		spec = "cmd:python3 " + quoted
	case missing != nil && notOnPath == nil:
		return fmt.Sprintf("a command needs cmd: and quotes, as in %q", "cmd:"+path+" FILE")
	case missing != nil:
		return ""
	case strings.ContainsRune(path, filepath.Separator):
		spec = "cmd:" + quoted
	default: // ./ prevents a search on the PATH
		spec = "cmd:." + string(filepath.Separator) + quoted
	}
	quote := `"`
	if strings.Contains(spec, quote) {
		quote = "'"
	}
	what := "a file: write "
	if missing != nil {
		what = "no such file; in its directory write "
	}
	return what + quote + spec + quote
}

// ProgramOpener checks a program's spec, without prefix, and returns a function that opens it for a game.
type ProgramOpener func(env ProgramEnv, spec string) (OpenPlayer, error)

// OpenPlayer opens a player for one game.
type OpenPlayer = func(context.Context, arena.Setup) (engine.Player, error)

// ProgramEnv is the environment of an external program in a run of games.
type ProgramEnv struct {
	Name string
	// Output is the directory for the output of the program; "" for none.
	Output string
	// Openings is the number of random moves before each game.
	Openings int
	// IsProgram reports whether another player of the run is an external program.
	IsProgram func(name string) bool
	// Notices receives lines about what the run waits for.
	Notices io.Writer
	// Before registers a check that runs before the first game. If it fails, no game is played. trial describes
	// a game that does not count, with the program as the first side.
	Before func(check func(ctx context.Context, trial arena.Setup) error)
}

package cli

import (
	"context"
	"fmt"
	"io"
	"os"
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
	// End releases resources after the last game with programs; nil for none.
	End func()
}

// FileHint returns the end of the error for a wrong player: ", a file: write SPEC" if path is a program
// or a directory with one Python file, "; did you mean SPEC?" for a command with arguments, or "".
func (g ArenaGame) FileHint(path string) string {
	st, err := os.Stat(path)
	if err != nil && strings.ContainsRune(path, ' ') && g.Programs["cmd:"] != nil {
		return fmt.Sprintf("; did you mean %q?", "cmd:"+path)
	}
	if err != nil {
		return ""
	}
	if st.IsDir() {
		found, _ := filepath.Glob(filepath.Join(path, "*.py")) // an error finds none
		if len(found) != 1 {
			return ""
		}
		path = found[0]
	}
	python, quoted := filepath.Ext(path) == ".py", path
	if strings.ContainsRune(path, ' ') {
		quoted = `"` + path + `"`
	}
	switch {
	case python && g.Programs["py:"] != nil:
		path = "py:" + path
	case g.Programs["cmd:"] == nil:
		return ""
	case python:
		path = "cmd:python3 " + quoted
	case strings.ContainsRune(path, filepath.Separator):
		path = "cmd:" + quoted
	default: // not a program on the PATH
		path = "cmd:." + string(filepath.Separator) + quoted
	}
	quote := `"`
	if strings.Contains(path, quote) {
		quote = "'"
	}
	return ", a file: write " + quote + path + quote
}

// ProgramOpener checks the spec of a program, without the prefix, and returns a function that starts
// it for one game.
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
	// Before registers a check that runs before the first game. If it fails, no game is played.
	Before func(func(context.Context) error)
}

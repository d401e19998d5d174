package match

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/disk"
)

// gameLogs writes the log of each game into a file of a directory.
type gameLogs struct {
	dir   string // "" for no logs
	rules arena.Rules
	start engine.Position
}

// writeMissing creates the directory and writes the logs of games that have none yet.
func (l gameLogs) writeMissing(games []arena.Result) error {
	if l.dir == "" {
		return nil
	}
	if err := disk.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	for _, r := range games {
		if _, err := os.Stat(l.file(r)); err == nil {
			continue
		}
		if err := l.write(r); err != nil {
			return err
		}
	}
	return nil
}

// setAside renames the logs of games that are not in results, for instance of an earlier knockout:
// NAME.log becomes NAME.log.old.
func (l gameLogs) setAside(groups []championship.Group, results []arena.Result) error {
	if l.dir == "" {
		return nil
	}
	files, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		id, isLog := strings.CutSuffix(f.Name(), ".log")
		of := func(g championship.Group) bool { return strings.HasPrefix(id, g.Name+"-") }
		if !isLog || !championship.IsKnockout(id) && !slices.ContainsFunc(groups, of) ||
			slices.ContainsFunc(results, func(r arena.Result) bool { return r.ID == id }) {
			continue
		}
		file := filepath.Join(l.dir, f.Name())
		if err := os.Rename(file, file+".old"); err != nil {
			return err
		}
	}
	return nil
}

func (l gameLogs) file(r arena.Result) string { return filepath.Join(l.dir, r.ID+".log") }

// write writes the log of a game, over an earlier one, unless there is no directory.
func (l gameLogs) write(r arena.Result) error {
	if l.dir == "" {
		return nil
	}
	write := l.rules.WriteLog
	if write == nil {
		write = arena.WriteLog
	}
	return disk.WriteFile(l.file(r), 0o644, func(w io.Writer) error { return write(w, l.start, r) })
}

package match

import (
	"io"
	"os"
	"path/filepath"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/disk"
)

// gameLogs writes the log of each game into a file of a directory.
type gameLogs struct {
	dir   string // "" writes nothing
	rules arena.Rules
	start engine.Position
}

// open creates the directory and writes the missing logs of games from an earlier run.
func (l gameLogs) open(earlier []arena.Result) error {
	if l.dir == "" {
		return nil
	}
	if err := disk.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	for _, r := range earlier {
		if _, err := os.Stat(l.file(r)); err == nil {
			continue
		}
		if err := l.write(r); err != nil {
			return err
		}
	}
	return nil
}

// file returns the path of a game's log.
func (l gameLogs) file(r arena.Result) string { return filepath.Join(l.dir, r.ID+".log") }

// write writes the log of a game atomically.
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

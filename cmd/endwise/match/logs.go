package match

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
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

// others returns the number of logs in the directory that are not of the given games.
func (l gameLogs) others(games []arena.Result) int {
	if l.dir == "" {
		return 0
	}
	logs, _ := filepath.Glob(filepath.Join(l.dir, "*.log"))
	return len(slices.DeleteFunc(logs, func(log string) bool {
		return slices.ContainsFunc(games, func(r arena.Result) bool { return l.file(r) == log })
	}))
}

// ownerFile is a file in the directory of a championship's logs. It contains the path of the results file,
// relative to the directory.
const ownerFile = ".championship"

// claim creates the directory for the logs of one championship, that of the file results. It returns an
// error if the directory contains logs of other games, which must not be renamed or written over.
func (l gameLogs) claim(results string) error {
	if l.dir == "" {
		return nil
	}
	if err := disk.MkdirAll(l.dir, 0o755); err != nil {
		return err
	}
	owner, err := relative(l.dir, results)
	if err != nil {
		return err
	}
	file := filepath.Join(l.dir, ownerFile)
	logs, err := filepath.Glob(filepath.Join(l.dir, "*.log"))
	if err != nil {
		return err
	}
	switch data, err := os.ReadFile(file); {
	case err == nil && strings.TrimSpace(string(data)) == owner:
		return nil
	case err == nil:
		return cli.BadInput(fmt.Errorf("--logs: %s contains the logs of another championship, with the results file %s: use another directory",
			l.dir, filepath.Join(l.dir, strings.TrimSpace(string(data)))))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case len(logs) > 0:
		return cli.BadInput(fmt.Errorf("--logs: %s contains logs of other games, for instance %s: use an empty directory", l.dir, filepath.Base(logs[0])))
	}
	return disk.WriteFile(file, 0o644, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, owner)
		return err
	})
}

// relative returns the path of a file relative to a directory; both may be relative to the working directory.
func relative(dir, file string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if file, err = filepath.Abs(file); err != nil {
		return "", err
	}
	return filepath.Rel(dir, file)
}

// setAside renames the logs of games that are not in results, for instance of an earlier knockout, if
// isGame reports true for their IDs: NAME.log becomes NAME.log.old or, if that exists, NAME.log.old2 and so
// on. It writes to w how many it has renamed.
func (l gameLogs) setAside(w io.Writer, isGame func(id string) bool, results []arena.Result) error {
	if l.dir == "" {
		return nil
	}
	files, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	renamed := 0
	for _, f := range files {
		id, isLog := strings.CutSuffix(f.Name(), ".log")
		if !isLog || !isGame(id) || slices.ContainsFunc(results, func(r arena.Result) bool { return r.ID == id }) {
			continue
		}
		file := filepath.Join(l.dir, f.Name())
		old := file + ".old"
		for n := 2; ; n++ {
			if _, err := os.Lstat(old); err != nil {
				break
			}
			old = fmt.Sprint(file, ".old", n)
		}
		if err := os.Rename(file, old); err != nil {
			return err
		}
		renamed++
	}
	if renamed > 0 {
		fmt.Fprintf(w, "%s of games that do not count renamed to NAME.log.old\n", cli.Count(renamed, "log"))
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

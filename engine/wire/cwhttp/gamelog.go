package cwhttp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"endwise/engine/circuitwars"
)

// GameFile keeps finished games as files in the format of the championship's
// logs, one game a file since the format has no more: Path for the first, and
// where that exists already Path with -2, -3, … before its extension. No file
// is ever written over.
type GameFile struct {
	Path string
}

// maxGameFiles bounds the numbering.
const maxGameFiles = 1_000_000

// Write keeps one game and returns the name of its file. The file appears
// whole or not at all.
func (f GameFile) Write(g circuitwars.Log) (name string, err error) {
	tmp, err := os.CreateTemp(filepath.Dir(f.Path), "."+filepath.Base(f.Path)+".*")
	if err != nil {
		return "", fmt.Errorf("game log: %w", err)
	}
	defer os.Remove(tmp.Name())
	err = circuitwars.WriteLog(tmp, g)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return "", fmt.Errorf("game log: %w", err)
	}
	ext := filepath.Ext(f.Path)
	stem := strings.TrimSuffix(f.Path, ext)
	for n := 1; n <= maxGameFiles; n++ {
		name = f.Path
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		// A link, unlike a rename, fails where the name is taken.
		if err = os.Link(tmp.Name(), name); err == nil {
			return name, nil
		}
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		// A file system without links.
		if _, statErr := os.Lstat(name); statErr == nil {
			continue
		}
		if err = os.Rename(tmp.Name(), name); err != nil {
			return "", fmt.Errorf("game log: %w", err)
		}
		return name, nil
	}
	return "", fmt.Errorf("game log: %s and %d numbered names after it exist already", f.Path, maxGameFiles)
}

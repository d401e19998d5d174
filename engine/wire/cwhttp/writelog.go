package cwhttp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"endwise/engine/circuitwars"
	"endwise/engine/disk"
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
	ext := filepath.Ext(f.Path)
	stem := strings.TrimSuffix(f.Path, ext)
	for n := 1; n <= maxGameFiles; n++ {
		name = f.Path
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		if _, err := os.Lstat(name); err == nil {
			continue
		}
		err := disk.WriteNewFile(name, 0o644, func(w io.Writer) error { return circuitwars.WriteLog(w, g) })
		switch {
		case errors.Is(err, fs.ErrExist): // somebody else was faster
		case err != nil:
			return "", fmt.Errorf("game log: %w", err)
		default:
			return name, nil
		}
	}
	return "", fmt.Errorf("game log: %s and %d numbered names after it exist already", f.Path, maxGameFiles)
}

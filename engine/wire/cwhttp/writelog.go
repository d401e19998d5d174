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

const maxGameFiles = 1_000_000

// WriteGame writes a finished game in the format of the championship's logs and returns the
// name of the file: path or, if that file exists, path with -2, -3, … before its extension. A file
// appears completely or not at all.
func WriteGame(path string, g circuitwars.Log) (name string, err error) {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	for n := 1; n <= maxGameFiles; n++ {
		name = path
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, ext)
		}
		if _, err := os.Lstat(name); err == nil {
			continue
		}
		err := disk.WriteNewFile(name, 0o644, func(w io.Writer) error { return circuitwars.WriteLog(w, g) })
		switch {
		case errors.Is(err, fs.ErrExist): // another process created it first
		case err != nil:
			return "", fmt.Errorf("game log: %w", err)
		default:
			return name, nil
		}
	}
	return "", fmt.Errorf("game log: %s and %d numbered names after it exist already", path, maxGameFiles-1)
}

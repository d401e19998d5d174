package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"endwise/engine/disk"
)

// ShimBinary is the absolute path of the binary that the file is to ask.
func ShimBinary(binary string) (string, error) {
	if binary == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf("--binary: this program's own path is unknown: %w", err)
		}
		if strings.Contains(filepath.ToSlash(self), "/go-build") {
			return "", errors.New("this binary is a temporary one of go run: build one with go build ./cmd/endwise and run that, or name it with --binary")
		}
		return self, nil
	}
	abs, err := filepath.Abs(binary)
	if err != nil {
		return "", fmt.Errorf("--binary: %w", err)
	}
	if st, err := os.Stat(abs); err != nil || !st.Mode().IsRegular() {
		return "", fmt.Errorf("--binary %s: no such file", binary)
	}
	return abs, nil
}

// WriteShim writes a file whole or not at all, and over a file without the
// mark, somebody else's, only with force.
func WriteShim(dir, name, mark, source string, force bool) (file string, err error) {
	file = filepath.Join(dir, name)
	old, err := os.ReadFile(file)
	switch {
	case err == nil && !force && !strings.Contains(string(old), mark):
		return "", BadInput(fmt.Errorf("%s exists and was not written by shim; --force writes over it", file))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", BadInput(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", BadInput(err)
	}
	return file, disk.WriteFile(file, 0o755, disk.Bytes([]byte(source)))
}

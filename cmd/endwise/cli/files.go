package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadLimited reads a file of at most limit bytes.
func ReadLimited(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s: longer than %d bytes", file, limit)
	}
	return data, err
}

// FilesBelow replaces directories by the files in and below them that have
// one of the extensions, in the order of their names.
func FilesBelow(paths []string, extensions ...string) ([]string, error) {
	var out []string
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			out = append(out, p)
			continue
		}
		before := len(out)
		err = filepath.WalkDir(p, func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains(extensions, filepath.Ext(file)) {
				out = append(out, file)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(out) == before {
			return nil, fmt.Errorf("%s: no *%s file in this directory", p, strings.Join(extensions, " or *"))
		}
	}
	return out, nil
}

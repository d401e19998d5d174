package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"endwise/engine"
)

// ErrorText returns the text of err, in which a failed open of a missing file reads "game.log: no such
// file", and a failed stat "games: no such file or directory".
func ErrorText(err error) string {
	text := err.Error()
	missing := new(fs.PathError)
	if !errors.As(err, &missing) || !errors.Is(missing, fs.ErrNotExist) {
		return text
	}
	reason := map[string]string{"open": "no such file", "stat": "no such file or directory", "lstat": "no such file or directory"}[missing.Op]
	if reason == "" {
		return text
	}
	return strings.Replace(text, missing.Error(), missing.Path+": "+reason, 1)
}

// ReadLimited reads a text file. A text of more than limit bytes or with a zero byte is an error.
func ReadLimited(file string, limit int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, file, limit)
}

// ReadStdin is [ReadLimited] for standard input.
func (a *App) ReadStdin(limit int64) ([]byte, error) {
	return readLimited(a.Stdin, "standard input", limit)
}

func readLimited(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(engine.Text(r), limit+1))
	switch {
	case err != nil:
	case int64(len(data)) > limit:
		err = fmt.Errorf("longer than %d bytes", limit)
	case bytes.IndexByte(data, 0) >= 0:
		err = errors.New("not a text file")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// FilesBelow replaces each directory in paths by the game files in and below it, ordered by name: files
// with one of the extensions, or with none and the beginning of a log. It keeps other paths, but skips
// empty files, with a line on notes for each of the first three and one with the number of others. A
// missing path is an error, and so are a directory without game files and paths with only empty files.
func (all Games) FilesBelow(notes io.Writer, paths []string, extensions ...string) ([]string, error) {
	const named = 3 // number of empty files that are named
	var out []string
	empty := 0
	add := func(file string, info fs.FileInfo) {
		if !info.Mode().IsRegular() || info.Size() > 0 {
			out = append(out, file)
			return
		}
		if empty++; empty <= named {
			fmt.Fprintf(notes, "endwise: %s: an empty file, passed over\n", engine.OneLine(file, 300))
		}
	}
	defer func() {
		if empty > named {
			fmt.Fprintf(notes, "endwise: %s more passed over\n", Count(empty-named, "empty file"))
		}
	}()
	walk := func(file string, d fs.DirEntry, err error) error {
		if err != nil { // opening the file will report the error
			out = append(out, file)
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		ext := filepath.Ext(file)
		if slices.Contains(extensions, ext) || ext == "" && (info.Size() == 0 || all.beginsLog(file)) {
			add(file, info)
		}
		return nil
	}
	for _, path := range paths {
		st, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			add(path, st)
			continue
		}
		before := len(out)
		if err := filepath.WalkDir(path, walk); err != nil {
			return nil, err
		}
		if len(out) == before {
			return nil, fmt.Errorf("%s: no *%s file in or below this directory", path, strings.Join(extensions, " or *"))
		}
	}
	if len(out) == 0 && len(paths) > 0 {
		return nil, errors.New("nothing but empty files")
	}
	return out, nil
}

func (all Games) beginsLog(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, logHeadBytes)
	n, _ := io.ReadFull(engine.Text(f), head) // a short file has a short head
	return slices.ContainsFunc(all, func(g Game) bool {
		return slices.ContainsFunc(g.LogHeads, func(h string) bool { return strings.HasPrefix(string(head[:n]), h) })
	})
}

// ShellQuoted returns a name as one word of a shell command, in quotes if necessary.
func ShellQuoted(name string) string {
	foreign := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._-/+@%,:", c)
	}
	if !strings.ContainsFunc(name, foreign) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

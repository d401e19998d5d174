package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"endwise/engine/disk"
)

// Shim is a file that a competition starts and that starts this program.
type Shim struct {
	Name string
	Mark string // a text that identifies the file as written by shim
	// Source returns the text of the file and a note that is printed after its name. old is the text
	// of the file that is replaced, "" if there is none.
	Source func(old string) (text, note string, err error)
	// Advice returns a sentence about the written file that is printed last; nil for none.
	Advice func() string
	// Starter contains a player to begin with, in the directory starter.
	Starter fs.FS
}

// ShimCmd completes c with the work of writing a shim, or a starter, into a directory. It returns c.
func (a *App) ShimCmd(c *cobra.Command, s Shim) *cobra.Command {
	var starter bool
	c.Args = Args(cobra.ExactArgs(1))
	c.RunE = func(_ *cobra.Command, rest []string) error {
		if !starter {
			return s.write(a.Stdout, rest[0])
		}
		if err := writeStarter(s.Starter, rest[0]); err != nil {
			return err
		}
		_, err := fmt.Fprintln(a.Stdout, filepath.Join(rest[0], "README.md"), "explains the next steps")
		return err
	}
	c.Long += "\n\n--starter writes short programs of your own to begin with instead: they play random\nlegal moves, and a README explains the protocol."
	c.Example = "  endwise shim " + c.Name() + " " + c.Name() + "-player --starter\n" + c.Example
	c.Flags().BoolVar(&starter, "starter", false, "write a player of your own to begin with")
	return c
}

// write writes the shim and a copy of this program into dir and reports it on out.
func (s Shim) write(out io.Writer, dir string) error {
	old, err := s.oldText(dir)
	if err != nil {
		return err
	}
	text, note, err := s.Source(old)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program's own path is unknown: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return BadInput(err)
	}
	file := filepath.Join(dir, s.Name)
	if err := disk.WriteFile(file, 0o755, disk.Bytes([]byte(text))); err != nil {
		return err
	}
	program := filepath.Join(dir, "endwise"+exeSuffix)
	if err := copyProgram(self, program); err != nil {
		return err
	}
	report := fmt.Sprintf("%s %s with %s\nHand in both files, or the directory.\n"+
		"It uses tables of endwise build only where they were built, or where ENDWISE_STORE names a copy of the store.\n", file, note, program)
	if s.Advice != nil {
		report += s.Advice() + "\n"
	}
	_, err = io.WriteString(out, report)
	return err
}

var exeSuffix = map[string]string{"windows": ".exe"}[runtime.GOOS]

// copyProgram copies a program and makes the copy executable, unless from and to are the same file.
func copyProgram(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return BadInput(err)
	}
	defer source.Close()
	st, err := source.Stat()
	if err != nil {
		return err
	}
	if old, err := os.Stat(to); err == nil && os.SameFile(st, old) {
		return nil
	}
	return disk.WriteFile(to, 0o755, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}

// oldText returns the text of the file in dir, "" for none. A file not written by shim is an error.
func (s Shim) oldText(dir string) (string, error) {
	file := filepath.Join(dir, s.Name)
	old, err := os.ReadFile(file)
	switch {
	case err == nil && !strings.Contains(string(old), s.Mark):
		return "", BadInput(fmt.Errorf("%s is another program, for instance a starter, which shim keeps: name another directory", file))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", BadInput(err)
	}
	return string(old), nil
}

// writeStarter writes the files of a starter into a directory, and a go.mod if one of them is Go code. If
// one of the files exists already, it writes none.
func writeStarter(files fs.FS, dir string) error {
	names, err := fs.Glob(files, "starter/*")
	if err != nil {
		return err
	}
	texts := map[string][]byte{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if texts[path.Base(name)] = text; path.Ext(name) == ".go" {
			texts["go.mod"] = []byte("module starter\n\ngo 1.24\n")
		}
	}
	for name := range texts {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return BadInput(fmt.Errorf("%s exists: name another directory", filepath.Join(dir, name)))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return BadInput(err)
	}
	for name, text := range texts {
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(text, []byte("#!")) {
			mode = 0o755
		}
		if err := disk.WriteNewFile(filepath.Join(dir, name), mode, disk.Bytes(text)); err != nil {
			return err
		}
	}
	return nil
}

package wyb

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"endwise/engine"
)

//go:embed host.py
var hostSource string

// NewPython returns a player for a Python module with a class Player. module is the path of its file,
// or a name on the module path. python is the interpreter; "" means python3.
func NewPython(python, module string, limits Limits, log io.Writer) (*Process, error) {
	python = cmp.Or(python, "python3")
	program, err := exec.LookPath(python)
	if err != nil {
		return nil, fmt.Errorf("py:%s: no %s on the PATH: install Python 3 or name it", module, python)
	}
	dir, name := ".", module
	file := module
	if !strings.HasSuffix(file, ".py") {
		file += ".py"
	}
	st, err := os.Stat(file)
	switch {
	case err == nil && st.Mode().IsRegular():
		dir, name = filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), ".py")
	case strings.HasSuffix(module, ".py"), strings.ContainsRune(module, filepath.Separator):
		return nil, fmt.Errorf("py:%s: there is no file %s: give the path of a Python file with a class Player",
			module, file)
	}
	if name == "" {
		return nil, fmt.Errorf("py:%s: want a Python file or module after the colon", module)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	return &Process{
		Label:  "py:" + module,
		Argv:   []string{program, "-c", hostSource, dir, name},
		Limits: limits, Log: log,
	}, nil
}

// NewCommand returns a player for a command line of the shell that uses the line protocol.
func NewCommand(command string, limits Limits, log io.Writer) (*Process, error) {
	if strings.TrimSpace(command) == "" {
		return nil, errors.New("cmd: want a command after the colon")
	}
	return &Process{
		Label:  "cmd:" + engine.OneLine(command, 60),
		Argv:   []string{"/bin/sh", "-c", command},
		Limits: limits, Log: log,
	}, nil
}

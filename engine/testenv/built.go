package testenv

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
)

// Built returns m with the program endwise on the PATH, built from the package in dir. The
// program is built with the race detector if the tests are.
func Built(m Tests, dir string) Tests {
	return tests(func() (int, error) {
		if err := build(dir); err != nil {
			return 0, err
		}
		return m.Run(), nil
	})
}

func build(source string) error {
	dir, err := os.MkdirTemp("", "program")
	if err != nil {
		return err
	}
	name := "endwise"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	args := []string{"build", "-o", filepath.Join(dir, name)}
	race := debug.BuildSetting{Key: "-race", Value: "true"}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, race) {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, source)...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// Sources makes the go command run a test of a program made by [Built] again after a source file of
// the module has changed: it reads all directories of the module except hidden ones.
func Sources(t *testing.T, module string) {
	OK(t, filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != module && d.Name()[0] == '.' {
			return fs.SkipDir
		}
		return err
	}))
}

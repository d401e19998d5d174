package testenv

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
)

// Built are the tests with the program endwise on their PATH, built from the
// package in a directory; with the race detector where the tests have it.
func Built(m Tests, dir string) Tests {
	return tests(func() (int, error) {
		if err := build(dir); err != nil {
			return 0, err
		}
		return m.Run(), nil
	})
}

// build puts the program of a package into a directory on the PATH.
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
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, source)...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

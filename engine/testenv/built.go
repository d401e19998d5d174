package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
)

// Built are the tests with the program endwise on their PATH, built from the
// package in a directory; with the race detector where the tests have it.
func Built(m Tests, dir string) Tests { return built{m, dir} }

type built struct {
	Tests
	dir string
}

func (b built) Run() int {
	if err := b.build(); err != nil {
		fmt.Fprintf(os.Stderr, "testenv: %v\n", err)
		return 1
	}
	return b.Tests.Run()
}

func (b built) build() error {
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
	build := exec.Command("go", append(args, b.dir)...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	return os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// Package faults tests the program as a process among others: killed, starved
// of disk, under clocks that jump, asked to end, flooded by strangers. It has
// nothing but tests, in a package of their own so that they run beside those of
// the command line.
package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"endwise/engine/testenv"
)

// The exit codes that `endwise help` documents.
const (
	exitOK          = 0
	exitFailure     = 1
	exitBadInput    = 2
	exitInterrupted = 130
)

func TestMain(m *testing.M) { testenv.Main(built{m}) }

// built are tests with the program on their PATH.
type built struct{ testenv.Tests }

func (b built) Run() int {
	dir, err := os.MkdirTemp("", "program")
	if err == nil {
		name := "endwise"
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		args := []string{"build", "-o", filepath.Join(dir, name)}
		if raced() {
			args = append(args, "-race")
		}
		build := exec.Command("go", append(args, "..")...)
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return b.Tests.Run()
}

// raced says whether the tests look for races, as the program then should.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

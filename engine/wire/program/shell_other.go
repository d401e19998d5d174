//go:build !unix

package program

import (
	"context"
	"io/fs"
	"os/exec"
	"strings"
)

// shell returns a command that runs a command line with additional arguments. White space
// separates the words of the command line.
func shell(ctx context.Context, command string, args []string) *exec.Cmd {
	words := append(strings.Fields(command), args...)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// shellKnows returns false, because there is no shell on this system.
func shellKnows(string) bool { return false }

// mayRun returns true, because file modes do not show executables on this system.
func mayRun(fs.FileInfo) bool { return true }

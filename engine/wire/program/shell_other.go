//go:build !unix

package program

import (
	"context"
	"io/fs"
	"os/exec"
	"strings"
)

// shell returns a command without a shell; white space separates the words of the command line.
func shell(ctx context.Context, command string, args []string) *exec.Cmd {
	words := append(strings.Fields(command), args...)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

func shellKnows(string) bool { return false }

func mayRun(fs.FileInfo) bool { return true }

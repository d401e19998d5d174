//go:build !unix

package program

import (
	"context"
	"io/fs"
	"os/exec"
	"strings"
)

// shell runs a command line with further arguments. Words are separated by
// white space.
func shell(ctx context.Context, command string, args []string) *exec.Cmd {
	words := append(strings.Fields(command), args...)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}

// shellKnows says whether a word is a command of the shell itself: there is no
// shell here.
func shellKnows(string) bool { return false }

// mayRun says whether a file may be run, which its mode does not tell here.
func mayRun(fs.FileInfo) bool { return true }

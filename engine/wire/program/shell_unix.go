//go:build unix

package program

import (
	"context"
	"io/fs"
	"os/exec"
)

// shell runs a command line with further arguments.
func shell(ctx context.Context, command string, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", command + ` "$@"`, "sh"}, args...)...)
}

// shellKnows says whether a word is a command or a keyword of the shell itself.
func shellKnows(word string) bool {
	return exec.Command("/bin/sh", "-c", `command -v -- "$1"`, "sh", word).Run() == nil
}

// mayRun says whether anybody may run a file.
func mayRun(st fs.FileInfo) bool { return st.Mode()&0o111 != 0 }

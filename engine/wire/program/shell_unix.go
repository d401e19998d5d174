//go:build unix

package program

import (
	"context"
	"io/fs"
	"os/exec"
)

// shell returns a command that runs a command line with additional arguments in the shell.
func shell(ctx context.Context, command string, args []string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", command + ` "$@"`, "sh"}, args...)...)
}

// shellKnows reports whether a word is a builtin command or a keyword of the shell.
func shellKnows(word string) bool {
	return exec.Command("/bin/sh", "-c", `command -v -- "$1"`, "sh", word).Run() == nil
}

func mayRun(st fs.FileInfo) bool { return st.Mode()&0o111 != 0 }

package opening

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// whoami is what a writer leaves in the lock file.
func whoami() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	command := filepath.Base(os.Args[0])
	for _, a := range os.Args[1:] {
		command += " " + a
	}
	if len(command) > 200 {
		command = command[:200] + "…"
	}
	return fmt.Sprintf("process %d on %s since %s (%s)", os.Getpid(), host, time.Now().UTC().Format("2006-01-02 15:04:05 UTC"), command)
}

// holder reads a lock file.
func holder(r io.Reader) string {
	text, err := io.ReadAll(io.LimitReader(r, 1024))
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if err != nil || line == "" {
		return "a process that has not said its name"
	}
	return line
}

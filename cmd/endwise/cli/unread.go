package cli

import (
	"fmt"
	"io"
	"strings"

	"endwise/engine"
)

// Unread collects files that cannot be read.
type Unread struct {
	reasons []string
	files   map[string][]string // by reason
}

// Add adds a file; err may begin with its name.
func (u *Unread) Add(file string, err error) {
	reason := strings.TrimPrefix(ErrorText(err), file+": ")
	if u.files == nil {
		u.files = map[string][]string{}
	}
	if len(u.files[reason]) == 0 {
		u.reasons = append(u.reasons, reason)
	}
	u.files[reason] = append(u.files[reason], file)
}

// Print writes each reason once, with its first file. It returns the number of all files.
func (u *Unread) Print(w io.Writer) (n int) {
	for _, reason := range u.reasons {
		files := u.files[reason]
		n += len(files)
		which := files[0] + ": "
		if strings.Contains(reason, files[0]) {
			which = ""
		} else if len(files) > 1 {
			which = fmt.Sprintf("%s and %d more: ", files[0], len(files)-1)
		}
		fmt.Fprintf(w, "endwise: %s\n", engine.Printable(which+reason))
	}
	return n
}

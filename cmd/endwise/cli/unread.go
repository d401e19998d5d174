package cli

import (
	"fmt"
	"io"
	"strings"

	"endwise/engine"
)

// Unread collects files that cannot be read, by the reason. The zero value is empty.
type Unread struct {
	reasons []string
	files   map[string][]string // by reason
}

// Add adds a file that cannot be read because of err. Files whose errors differ only by their own name
// at the beginning have the same reason.
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

// Print writes a line for each reason, with one of its files, and returns the number of files.
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

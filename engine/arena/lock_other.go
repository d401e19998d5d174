//go:build !unix

package arena

import "os"

// lock does nothing here: that no two runs write one journal is up to the
// user.
func lock(*os.File) error { return nil }

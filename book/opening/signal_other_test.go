//go:build !unix

package opening

// ignoreFileSizeSignal does nothing where there is no such signal.
func ignoreFileSizeSignal() {}

//go:build !unix

package opening

// ignoreFileSizeSignal does nothing on systems without the signal.
func ignoreFileSizeSignal() {}

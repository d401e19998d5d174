//go:build !unix

package cli

// IgnoreFileSizeSignal does nothing where there is no such signal.
func IgnoreFileSizeSignal() {}

//go:build !unix

package machine

// IgnoreFileSizeSignal does nothing where there is no such signal.
func IgnoreFileSizeSignal() {}

//go:build !unix

package main

// ignoreFileSizeSignal does nothing on systems without the signal.
func ignoreFileSizeSignal() {}

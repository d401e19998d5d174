//go:build !unix

package book

import "time"

// HasProcessorTime reports whether the system measures processor time.
const HasProcessorTime = false

// ProcessorTime returns 0.
func ProcessorTime() time.Duration { return 0 }

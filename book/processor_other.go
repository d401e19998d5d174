//go:build !unix

package book

import "time"

// HasProcessorTime reports whether the system measures processor time.
const HasProcessorTime = false

// ProcessorTime returns the processor time of all threads of the process; 0 if the system
// does not measure it.
func ProcessorTime() time.Duration { return 0 }

//go:build !unix

package book

import "time"

// HasProcessorTime says whether the system tells processor time.
const HasProcessorTime = false

// ProcessorTime is what the process has used so far, all threads together; 0
// where the system does not tell.
func ProcessorTime() time.Duration { return 0 }

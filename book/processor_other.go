//go:build !unix

package book

import "time"

const HasProcessorTime = false

func ProcessorTime() time.Duration { return 0 }

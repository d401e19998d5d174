//go:build !unix

package main

import "time"

const hasProcessorTime = false

func processorTime() time.Duration { return 0 }

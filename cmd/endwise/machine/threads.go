// Package machine is what the program knows of the machine that it runs on, its
// processors, memory and clocks, and how its process uses them.
package machine

import (
	"math"
	"os"
	"runtime"
)

// SpareThreads is how many threads there are beside those that think.
const SpareThreads = 4

// Processors is how many the process may keep busy: all that the machine has,
// GOMAXPROCS, or what fits whole into a container's quota. Commands change
// runtime.GOMAXPROCS, so it is asked once.
var Processors = int(max(1, min(float64(runtime.GOMAXPROCS(0)), math.Floor(quota(os.DirFS("/"))))))

// AddSpareThreads gives the process threads beside those that think, so that
// messages and timers don't wait for a searching thread to be interrupted. The
// runtime does that every 10 ms, but only while that thread runs; where other
// programs want the processor it may stand still for much longer. A thread that
// has slept is given the processor at once.
func AddSpareThreads() { runtime.GOMAXPROCS(Processors + SpareThreads) }

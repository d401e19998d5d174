package cli

import "runtime"

// spareThreads is how many threads there are beside those that think.
const spareThreads = 4

// Processors is the number of threads that may compute at the same time: the
// machine's processors, GOMAXPROCS, or a container's quota. AddSpareThreads changes
// runtime.GOMAXPROCS, so it is read once.
var Processors = runtime.GOMAXPROCS(0)

// AddSpareThreads gives the process threads beside those that think, so that
// messages and timers don't wait for a searching thread to be interrupted. The
// runtime does that every 10 ms, but only while that thread runs; where other
// programs want the processor it may stand still for much longer. A thread that
// has slept is given the processor at once.
func AddSpareThreads() { runtime.GOMAXPROCS(Processors + spareThreads) }

package cli

import "runtime"

// Processors is the number of threads that can run in parallel. It is read once, because
// [AddSpareThreads] changes runtime.GOMAXPROCS.
var Processors = runtime.GOMAXPROCS(0)

// AddSpareThreads adds four threads for messages and timers, so that these need not wait until a
// searching thread is preempted.
func AddSpareThreads() { runtime.GOMAXPROCS(Processors + 4) }

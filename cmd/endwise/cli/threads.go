package cli

import "runtime"

// spareThreads is the number of threads in addition to those that search.
const spareThreads = 4

// Processors is the number of threads that can run in parallel: the machine's processors,
// GOMAXPROCS, or a container's quota. It is read once, because AddSpareThreads changes
// runtime.GOMAXPROCS.
var Processors = runtime.GOMAXPROCS(0)

// AddSpareThreads adds threads for messages and timers, so that these do not wait until a
// searching thread is preempted. The runtime preempts a thread after 10 ms, but only while
// it runs; on a busy machine it may be descheduled for much longer, whereas a thread that
// has slept is scheduled immediately.
func AddSpareThreads() { runtime.GOMAXPROCS(Processors + spareThreads) }

package main

// What the flags mean that many commands have. A command may add to the
// sentence what is special about it; it never means something else by the
// name. flags_test.go walks all commands and checks it.
const (
	jsonUsage    = "print JSON instead of text"
	timeUsage    = "most time for a move or position"
	threadsUsage = "threads that solve and search"
	hashUsage    = "megabytes of transposition table"
	storeUsage   = "directory of the solved tables and books (default $ENDWISE_STORE, else the user's cache directory)"
)

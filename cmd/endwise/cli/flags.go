package cli

// What the flags mean that many commands have. A command may add to the
// sentence what is special about it; it never means something else by the
// name. flags_test.go walks all commands and checks it.
const (
	JsonUsage    = "print JSON instead of text"
	TimeUsage    = "most time for a move or position"
	ThreadsUsage = "threads that solve and search"
	JobsUsage    = "things done at once"
	HashUsage    = "megabytes of transposition table"
	StoreUsage   = "directory of the solved tables and books (default $ENDWISE_STORE, else the user's cache directory)"
)

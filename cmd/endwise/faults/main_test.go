// Package faults tests the program as a process under disturbances: it is killed, runs out
// of disk space, runs under jumping clocks, loses power, is terminated, and is flooded with
// requests. It contains only tests, in a separate package so that they run in parallel to
// those of the command line. README.md lists the guarantees.
package faults

import (
	"testing"

	"endwise/engine/testenv"
)

// The exit codes that `endwise help` documents.
const (
	exitOK          = 0
	exitFailure     = 1
	exitBadInput    = 2
	exitInterrupted = 130
)

func TestMain(m *testing.M) { testenv.Main(testenv.Built(m, "..")) }

// Changes to the program invalidate cached results of these tests.
func TestSources(t *testing.T) { testenv.Sources(t, "../../..") }

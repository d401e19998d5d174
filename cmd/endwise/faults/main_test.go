// Package faults tests the program as a process among others: killed, starved
// of disk, under clocks that jump, asked to end, flooded by strangers. It has
// nothing but tests, in a package of their own so that they run beside those of
// the command line.
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

// A change to the program has go test run these tests again.
func TestSources(t *testing.T) { testenv.Sources(t, "../../..") }

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"endwise/engine/testenv"
)

var update = flag.Bool("update", false, "rewrite the pictures that are expected")

func TestMain(m *testing.M) {
	testscript.Main(testenv.Isolated(ownStore{m}), map[string]func(){"endwise": main})
}

// ownStore runs the tests with a shared store that contains the embedded books only. A test
// that writes to a store uses its own.
type ownStore struct{ testenv.Tests }

func (s ownStore) Run() int {
	// Most tests wait for other processes.
	err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	dir, err2 := os.MkdirTemp("", "store")
	if err = errors.Join(err, err2); err == nil {
		err = os.Setenv("ENDWISE_STORE", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := s.Tests.Run()
	if browser.close != nil {
		browser.close()
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for _, e := range names {
		if code == 0 && e.Name() != "starter" {
			fmt.Fprintf(os.Stderr, "a test left %s in the store that all tests share\n", e.Name())
			code = 1
		}
	}
	return code
}

package lines

import (
	"context"
	"fmt"
	"os"
	"testing"

	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

// asChild makes the test binary a process that thinks.
const asChild = "LINES_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		testenv.Main(m)
	}
	l, err := levels.New(2, 1)
	if err == nil {
		err = Serve(context.Background(), os.Stdin, os.Stdout, dotsandboxes.Game{}, l, true)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

package lines

import (
	"context"
	"fmt"
	"os"
	"testing"

	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// asChild makes the test binary a process that thinks.
const asChild = "LINES_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		testenv.Main(m)
	}
	err := Serve(context.Background(), os.Stdin, os.Stdout, dotsandboxes.Game{}, &improver{}, true)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

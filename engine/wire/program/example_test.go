//go:build unix

package program_test

import (
	"context"
	"fmt"
	"os"

	"endwise/engine/wire/program"
)

// A program receives arguments and environment variables. The error of a failed program
// contains the last non-empty line of its output.
func ExampleStart() {
	p, err := program.Start(context.Background(), program.Config{
		Command: `echo "$TEAM plays at"`, Args: []string{"http://127.0.0.1:5000"},
		Env: []string{"TEAM=endwise"}, Output: os.Stdout,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	<-p.Done()
	fmt.Println(p.Failed())
	p, err = program.Start(context.Background(), program.Config{Command: "echo hello; echo no licence >&2; echo; exit 3 #"})
	if err != nil {
		fmt.Println(err)
		return
	}
	<-p.Done()
	fmt.Println(p.Failed())
	// Output:
	// endwise plays at http://127.0.0.1:5000
	// <nil>
	// the program ended with exit status 3: no licence
}

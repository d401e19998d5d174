package farm_test

import (
	"context"
	"fmt"
	"strings"

	"endwise/solver/farm"
)

// A stage of two jobs, carried out by goroutines.
func ExampleInProcess() {
	words := []string{"hello", "world"}
	err := farm.InProcess(2).Do(context.Background(), farm.Stage{
		Name: "shouting", Payloads: make([][]byte, len(words)),
		Here: func(_ context.Context, job int) error {
			words[job] = strings.ToUpper(words[job])
			return nil
		},
	})
	fmt.Println(words, err)
	// Output: [HELLO WORLD] <nil>
}

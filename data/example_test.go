package data_test

import (
	"fmt"
	"io/fs"

	"endwise/data"
)

// Books and proofs are embedded in the binary.
func Example() {
	books, err := fs.Glob(data.Books(), "opening-*")
	fmt.Println(books, err)
	for _, c := range data.Certificates() {
		if c.File != "" {
			fmt.Println(c.Game, c.Board, c.Value)
		}
	}
	// Output:
	// [opening-circuitwars-3x4 opening-circuitwars-7x7 opening-dotsandboxes-5x5 opening-watchyourback-8x8] <nil>
	// dotsandboxes 3x3 -3
	// dotsandboxes 3x4 0
	// circuitwars 3x3 -3
	// watchyourback 4x4 26
}

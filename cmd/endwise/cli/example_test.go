package cli_test

import (
	"fmt"

	"endwise/cmd/endwise/cli"
)

// A share is written as a number or in percent, and shown in percent.
func ExampleShare() {
	var s cli.Share
	fmt.Println(s.Set("0.25"), s.String())
	fmt.Println(s.Set("1%"), float64(s))
	fmt.Println(s.Set("120%"))
	// Output:
	// <nil> 25%
	// <nil> 0.01
	// not a share
}

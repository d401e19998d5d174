package natsserver_test

import (
	"fmt"

	"endwise/solver/farm/natsserver"
)

// A server inside the process listens where it is told.
func ExampleParseEmbedded() {
	o, ok, err := natsserver.ParseEmbedded("embedded:192.0.2.1:5000")
	fmt.Println(o.Host, o.Port, ok, err)
	fmt.Println(o.Check())
	// Output:
	// 192.0.2.1 5000 true <nil>
	// 192.0.2.1: listening on other addresses than loopback takes a user and a password, or certificates of all clients
}

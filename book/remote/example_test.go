package remote_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"endwise/book"
	dabbook "endwise/book/dotsandboxes"
	"endwise/book/remote"
	"endwise/engine/dotsandboxes"
)

// One process answers lookups for others.
func Example() {
	p, err := dotsandboxes.Parse("2x2 h0,0 h1,0 v0,0")
	if err != nil {
		fmt.Println(err)
		return
	}
	lookups := remote.NewServer(nil, remote.Served{
		Game: dotsandboxes.Game{},
		Open: func() (*book.Lookup, error) {
			return dabbook.Open(book.Options{Threads: 1, HashBytes: 1 << 20})
		},
	})
	defer lookups.Close()
	server := httptest.NewServer(lookups.Handler())
	defer server.Close()
	c, err := remote.New(server.URL, dotsandboxes.Game{})
	if err != nil {
		fmt.Println(err)
		return
	}
	l := book.Lookup{Sources: []book.Source{c}}
	d, err := l.Decide(context.Background(), book.Question{Position: p})
	fmt.Println(d.Move, d.Score, d.Proof, err)
	// Output:
	// v0,1 0 exact <nil>
}

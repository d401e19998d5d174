package httpd_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"endwise/engine/wire/httpd"
)

// A server ends with its context, and a clean end is not an error.
func ExampleServe() {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served := make(chan error, 1)
	srv := &http.Server{
		Handler:     http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }),
		ReadTimeout: time.Minute,
	}
	go func() { served <- httpd.Serve(ctx, srv, ln, time.Second) }()
	resp, err := http.Get("http://" + ln.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	fmt.Println(string(text), err)
	cancel()
	fmt.Println(<-served)
	// Output:
	// hello <nil>
	// <nil>
}

// Package httpd runs HTTP servers that end with a context, and recognises requests of other sites.
package httpd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve serves ln until ctx ends, and closes ln. Requests in progress then have the time grace to
// finish. The error is nil if ctx ended the server.
func Serve(ctx context.Context, srv *http.Server, ln net.Listener, grace time.Duration) error {
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if srv.Shutdown(end) != nil {
		srv.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

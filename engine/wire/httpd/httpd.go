// Package httpd runs HTTP servers that end with a context: what is under way
// then has a short grace, and nothing outlives it. Limits of size and time are
// the http.Server's own and each server's affair.
package httpd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve answers on ln until ctx ends, and then finishes the requests under
// way, for at most grace. It closes ln. The error is nil after a clean end.
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

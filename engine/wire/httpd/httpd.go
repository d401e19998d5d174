// Package httpd runs HTTP servers that end with a context: requests in progress then have a
// short grace period, after which they are cut off. It also refuses cross-site requests
// ([Foreign]). Limits of size and time are set by each server.
package httpd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Serve serves ln until ctx ends, and then finishes the requests in progress, for at most
// grace. It closes ln. The error is nil after a clean end.
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

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
)

// An error is an interruption only if no other error is joined to it.
func TestInterrupted(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{io.ErrShortWrite, false},
		{context.DeadlineExceeded, false},
		{context.Canceled, true},
		{stopped.Err(), true},
		{fmt.Errorf("job 3: %w", context.Canceled), true},
		{errors.Join(context.Canceled, nil, fmt.Errorf("job 4: %w", stopped.Err())), true},
		{errors.Join(context.Canceled, io.ErrShortWrite), false},
		{fmt.Errorf("solve: %w", errors.Join(errors.Join(io.ErrShortWrite, context.Canceled), context.Canceled)), false},
		{fmt.Errorf("%w: %w", io.ErrShortWrite, context.Canceled), false},
	} {
		if got := Interrupted(c.err); got != c.want {
			t.Errorf("%v: %t", c.err, got)
		}
		if kept := errors.As(Resumable(c.err), new(*Unfinished)); kept != c.want {
			t.Errorf("%v: what is done is kept: %t", c.err, kept)
		}
	}
}

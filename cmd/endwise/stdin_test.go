package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestInterruptibleReadsAll(t *testing.T) {
	text := strings.Repeat("a line\n", 1000)
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "end with data": iotest.DataErrReader(strings.NewReader(text)),
	} {
		if err := iotest.TestReader(interruptible(t.Context(), r), []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(interruptible(t.Context(), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

// A blocked read ends when its context ends.
func TestInterruptibleEnds(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error)
	go func() {
		_, err := interruptible(ctx, r).Read(make([]byte, 10))
		over <- err
	}()
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

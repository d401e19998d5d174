package main

import (
	"context"
	"io"
	"sync"
)

// lazyPipe is the reading end of a pipe that begin, called by each Read, starts to fill once.
type lazyPipe struct {
	*io.PipeReader
	begin func()
}

// interruptible returns a reader of r whose reads fail as soon as ctx ends, also while a read
// from a terminal or a pipe blocks. It may read more from r than its caller has read, but nothing
// before the first Read.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	return lazyPipe{out, sync.OnceFunc(func() {
		context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
		go func() {
			_, err := io.Copy(in, r)
			in.CloseWithError(err) // nil means the end of the input
		}()
	})}
}

func (l lazyPipe) Read(p []byte) (int, error) {
	l.begin()
	return l.PipeReader.Read(p)
}

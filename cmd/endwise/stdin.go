package main

import (
	"context"
	"io"
	"sync"
)

// pipe reads from a pipe that begin fills.
type pipe struct {
	*io.PipeReader
	begin func()
}

// interruptible returns a reader whose reads end when ctx ends; reads from a terminal or a
// pipe do not. It reads ahead from the first read on.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	return pipe{out, sync.OnceFunc(func() {
		context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
		go func() {
			_, err := io.Copy(in, r)
			in.CloseWithError(err) // nil means the end of the input
		}()
	})}
}

// Read implements io.Reader.
func (i pipe) Read(p []byte) (int, error) {
	i.begin()
	return i.PipeReader.Read(p)
}

package main

import (
	"context"
	"io"
	"sync"
)

// lazyPipe calls begin before every Read.
type lazyPipe struct {
	*io.PipeReader
	begin func()
}

// interruptible returns a reader of r. A Read that waits for r returns when ctx ends. r is read from
// the first Read on, and may be read ahead.
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

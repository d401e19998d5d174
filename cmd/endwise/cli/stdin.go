package cli

import (
	"context"
	"io"
)

// Interruptible is a reader whose reads end with a context, as those from a
// terminal or a pipe do not by themselves. What a read that was left behind
// gets comes with the next one. Read must not be called twice at once.
type Interruptible struct {
	Ctx context.Context
	R   io.Reader

	got  chan []byte // answers the read under way; nil where there is none
	err  error       // of the last read, valid once it has answered
	left []byte      // read and not handed out yet
}

// Read implements io.Reader.
func (i *Interruptible) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(i.left) == 0 {
		if i.got == nil {
			if i.err != nil {
				return 0, i.err
			}
			i.got = make(chan []byte, 1)
			go i.fetch(i.got, len(p))
		}
		select {
		case <-i.Ctx.Done():
			return 0, i.Ctx.Err()
		case i.left = <-i.got:
			i.got = nil
		}
	}
	n := copy(p, i.left)
	i.left = i.left[n:]
	if n == 0 {
		return 0, i.err
	}
	return n, nil
}

// fetch reads once.
func (i *Interruptible) fetch(got chan<- []byte, size int) {
	buf := make([]byte, size)
	n, err := i.R.Read(buf)
	i.err = err
	got <- buf[:n]
}

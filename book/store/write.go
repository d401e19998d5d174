package store

import (
	"context"
	"fmt"
	"os"
)

// tableSink streams blocks in order into the table's files and into the digest.
type tableSink struct {
	h      *Header
	w      blockWriter
	coding encoder
	sum    digest
	next   uint64
}

// writeBlocks writes the table's blocks into a new directory and completes the
// header.
func (b *Builder) writeBlocks(ctx context.Context, dir string, h *Header, o FinishOptions) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	// Badger panics where a file can't be made while it opens or closes.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("write %s: %v", dir, r)
		}
	}()
	s := &tableSink{h: h, sum: newDigest()}
	if s.coding, err = newEncoder(b.spec.Compress); err != nil {
		return err
	}
	if s.w, err = createBlocks(dir); err != nil {
		return err
	}
	progress := o.Progress
	if progress == nil {
		progress = func(uint64) {}
	}
	if b.spec.Kind == Dense {
		err = b.streamDense(ctx, s, o.Transform, progress)
	} else {
		err = b.streamSparse(ctx, s, progress)
	}
	if err != nil {
		s.w.Cancel()
		return err
	}
	h.SHA256 = s.sum.String()
	h.Files, err = s.w.Finish()
	return err
}

// put writes the next block, given its bytes and their stored form.
func (s *tableSink) put(payload, stored []byte) error {
	s.sum.Add(s.next, payload)
	s.h.PayloadBytes += uint64(len(payload))
	s.next++
	return s.w.Put(stored)
}

package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
)

// batch is a number of consecutive blocks on their way through streamDense.
type batch struct {
	first    uint64
	payloads [][]byte
	stored   [][]byte
	err      error
	shard    int           // the shard that ends with this batch, -1 for none
	ready    chan struct{} // closed when stored is complete
}

const batchBlocks = 64

// streamDense reads the shards in order, transforms and packs their blocks on
// all processors, and writes them in order.
func (b *Builder) streamDense(ctx context.Context, s *tableSink, transform func(uint64, []byte) ([]byte, error), progress func(done, total int)) error {
	workers := runtime.GOMAXPROCS(0)
	ctx, cancel := context.WithCancel(ctx)
	ordered := make(chan *batch, 4*workers)
	work := make(chan *batch, 4*workers)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for range workers {
		running.Go(func() {
			for t := range work {
				t.err = s.prepare(t, transform)
				close(t.ready)
			}
		})
	}
	var readErr error // set before ordered is closed
	running.Go(func() {
		defer close(work)
		defer close(ordered)
		readErr = b.readBatches(func(t *batch) error {
			for _, to := range []chan *batch{ordered, work} {
				select {
				case to <- t:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	})
	for t := range ordered {
		select {
		case <-t.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if t.err != nil {
			return t.err
		}
		for i, payload := range t.payloads {
			if err := s.put(payload, t.stored[i]); err != nil {
				return err
			}
		}
		if t.shard >= 0 {
			progress(t.shard+1, b.spec.Shards)
		}
	}
	if readErr != nil {
		return readErr
	}
	return ctx.Err()
}

// readBatches cuts the shards, one after the other, into batches.
func (b *Builder) readBatches(send func(*batch) error) error {
	fresh := func() *batch { return &batch{shard: -1, ready: make(chan struct{})} }
	for i := range b.spec.Shards {
		t := fresh()
		err := b.EachBlock(i, func(n uint64, payload []byte) error {
			if len(t.payloads) == batchBlocks {
				if err := send(t); err != nil {
					return err
				}
				t = fresh()
			}
			if len(t.payloads) == 0 {
				t.first = n
			}
			t.payloads = append(t.payloads, bytes.Clone(payload))
			return nil
		})
		if err != nil {
			return err
		}
		t.shard = i
		if err := send(t); err != nil {
			return err
		}
	}
	return nil
}

// prepare transforms and packs the blocks of a batch.
func (s *tableSink) prepare(t *batch, transform func(uint64, []byte) ([]byte, error)) error {
	t.stored = make([][]byte, len(t.payloads))
	for i, payload := range t.payloads {
		n := t.first + uint64(i)
		if transform != nil {
			var err error
			if payload, err = transform(n, payload); err != nil {
				return fmt.Errorf("block %d: %w", n, err)
			}
			if s.h.Bits != 0 && len(payload) != s.h.packedLen(n) || len(payload) > MaxBlockBytes {
				return fmt.Errorf("block %d: %d bytes after its transformation", n, len(payload))
			}
			t.payloads[i] = payload
		}
		t.stored[i] = s.encode(n, payload)
	}
	return nil
}

// streamSparse merges the sorted shards block by block; a block has the entries of
// one prefix. The same key with the same value in two shards is one entry.
func (b *Builder) streamSparse(ctx context.Context, s *tableSink, progress func(done, total int)) error {
	var runs []*runCursor
	defer func() {
		for _, c := range runs {
			c.close()
		}
	}()
	for i := range b.spec.Shards {
		c, err := b.openRun(i)
		if err != nil {
			return removeDamaged(b.shardPath(i), err)
		}
		runs = append(runs, c)
	}
	var block []entry
	for s.next < s.h.Blocks {
		block = block[:0]
		for i, c := range runs {
			for c.more && keyBitsAt(c.head.key, 0, s.h.PrefixBits) == s.next {
				block = append(block, c.head)
				if err := c.next(); err != nil {
					return removeDamaged(b.shardPath(i), err)
				}
			}
		}
		sortEntries(block)
		block = slices.Compact(block)
		for i := 1; i < len(block); i++ {
			if x, y := block[i-1], block[i]; x.key == y.key {
				return fmt.Errorf("%w in their first %d bits, or two shards disagree (values %d and %d)", ErrCollision, b.spec.KeyBits, x.value, y.value)
			}
		}
		s.h.Entries += uint64(len(block))
		payload, err := encodeSparse(block, s.h.PrefixBits, b.spec.KeyBits, b.spec.ValueBits)
		if err != nil {
			return err
		}
		if len(payload) > MaxBlockBytes {
			return fmt.Errorf("block %d: %d bytes, at most %d: keys are not spread evenly", s.next, len(payload), MaxBlockBytes)
		}
		if err := s.put(payload, s.encode(s.next, payload)); err != nil {
			return err
		}
		if s.next%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(int(s.next*uint64(b.spec.Shards)/s.h.Blocks), b.spec.Shards)
		}
	}
	progress(b.spec.Shards, b.spec.Shards)
	return nil
}

// sortEntries sorts entries by their keys.
func sortEntries(list []entry) {
	slices.SortFunc(list, func(x, y entry) int {
		if x.key.Hi == y.key.Hi {
			return cmp.Compare(x.key.Lo, y.key.Lo)
		}
		return cmp.Compare(x.key.Hi, y.key.Hi)
	})
}

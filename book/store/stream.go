package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"endwise/solver/farm"
)

// batch is some consecutive blocks on their way through streamDense.
type batch struct {
	first            uint64
	payloads, stored [][]byte
}

const batchBlocks = 64

// streamDense reads the shards in order, transforms and packs their blocks on
// all processors, and writes them in order.
func (b *Builder) streamDense(ctx context.Context, s *tableSink, transform func(uint64, []byte) ([]byte, error), progress func(shards uint64)) error {
	prepare := func(t *batch) error { return s.prepare(t, transform) }
	return farm.InOrder(ctx, b.readBatches, prepare, func(t *batch) error {
		for i, payload := range t.payloads {
			if err := s.put(payload, t.stored[i]); err != nil {
				return err
			}
		}
		progress(s.next * uint64(b.spec.Shards) / s.h.Blocks)
		return nil
	})
}

// readBatches cuts the shards, one after the other, into batches.
func (b *Builder) readBatches(send func(*batch) error) error {
	t := new(batch)
	for i := range b.spec.Shards {
		err := b.EachBlock(i, func(n uint64, payload []byte) error {
			if len(t.payloads) == batchBlocks {
				if err := send(t); err != nil {
					return err
				}
				t = &batch{first: n}
			}
			t.payloads = append(t.payloads, bytes.Clone(payload))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return send(t)
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
			if s.h.checkLen(n, payload) != nil || len(payload) > maxBlockBytes {
				return fmt.Errorf("block %d: %d bytes after its transformation", n, len(payload))
			}
			t.payloads[i] = payload
		}
		t.stored[i] = s.coding.encode(n, payload)
	}
	return nil
}

// streamSparse merges the sorted shards block by block; a block has the entries of
// one prefix. The same key with the same value in two shards is one entry.
func (b *Builder) streamSparse(ctx context.Context, s *tableSink, progress func(shards uint64)) error {
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
			for c.more && c.head.Key.bits(0, s.h.PrefixBits) == s.next {
				block = append(block, c.head)
				if err := c.next(); err != nil {
					return removeDamaged(b.shardPath(i), err)
				}
			}
		}
		sortEntries(block)
		block = slices.Compact(block)
		for i := 1; i < len(block); i++ {
			if x, y := block[i-1], block[i]; x.Key == y.Key {
				return fmt.Errorf("%w in their first %d bits, or two shards disagree (values %d and %d)", ErrCollision, b.spec.KeyBits, x.Value, y.Value)
			}
		}
		s.h.Entries += uint64(len(block))
		payload, err := s.h.coding().encode(block)
		if err != nil {
			return err
		}
		if len(payload) > maxBlockBytes {
			return fmt.Errorf("block %d: %d bytes, at most %d: keys are not spread evenly", s.next, len(payload), maxBlockBytes)
		}
		if err := s.put(payload, s.coding.encode(s.next, payload)); err != nil {
			return err
		}
		if s.next%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(s.next * uint64(b.spec.Shards) / s.h.Blocks)
		}
	}
	progress(uint64(b.spec.Shards))
	return nil
}

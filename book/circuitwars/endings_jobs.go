package circuitwars

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"endwise/book"
	"endwise/book/store"
	"endwise/solver/circuitwars/tables"
	"endwise/solver/farm"
)

// A job of the endings is one shard: a part of the positions with a given number of free
// segments. It needs all shards with fewer segments. Every process lists the component
// types itself.

// endingsJob is the payload: a shard of the table of endings with at most Most segments,
// and the digests of the shards with fewer segments, in order.
type endingsJob struct {
	Most     int           `json:"most"`
	Segments int           `json:"segments"`
	Part     int           `json:"part"`
	Parts    int           `json:"parts"`
	Needs    []farm.Digest `json:"needs"`
}

// EndingsMemory returns the memory that a worker needs for the jobs of a table of endings,
// in bytes.
func EndingsMemory(segments int) uint64 {
	if segments <= 12 {
		return 256 << 20
	}
	return 1 << 30
}

// solveShards solves the missing shards layer by layer, stores them, and reads all shards
// into the memory of e. A layer contains the positions with the same number of free
// segments.
func solveShards(ctx context.Context, f farm.Farm, segments int, b *store.Builder, e *tables.Endings, shards []endingShard, p *farm.Progress) error {
	lists := make([][]tables.Entry, len(shards))
	var before uint64
	for i := range shards {
		if !b.Done(i) {
			continue
		}
		var err error
		if lists[i], err = storedEndings(b, i); err != nil {
			return err
		}
		before += uint64(len(lists[i]))
	}
	p.Begin("solve endings", "positions", before, e.Positions())
	digests := make([]farm.Digest, len(shards))
	share := func(i int, open func() ([]byte, error)) (err error) {
		digests[i], err = f.Share(ctx, open)
		return err
	}
	keep := func(i int, list []tables.Entry) error {
		lists[i] = list
		if err := storeEndings(b, i, list); err != nil {
			return err
		}
		p.Add(uint64(len(list)))
		return nil
	}
	for first := 0; first < len(shards); {
		end := first + shards[first].parts
		var ids []int
		var payloads [][]byte
		for i := first; i < end; i++ {
			if b.Done(i) {
				if err := share(i, func() ([]byte, error) { return encodeEntries(lists[i]), nil }); err != nil {
					return err
				}
				continue
			}
			s := shards[i]
			ids = append(ids, i)
			payloads = append(payloads, book.WritePayload(endingsJob{segments, s.segments, s.part, s.parts, digests[:first]}))
		}
		err := f.Do(ctx, farm.Stage{
			Name: fmt.Sprintf("%s, %d segments", b.Spec().Name, shards[first].segments), Payloads: payloads,
			Here: func(ctx context.Context, n int) error {
				s := shards[ids[n]]
				list, err := e.Solve(ctx, s.segments, s.part, s.parts)
				if err != nil {
					return err
				}
				return keep(ids[n], list)
			},
			Take: func(n int, result []byte) error {
				list, err := decodeEntries(result)
				if err != nil {
					return err
				}
				if err := keep(ids[n], list); err != nil {
					return err
				}
				return share(ids[n], func() ([]byte, error) { return result, nil })
			},
		})
		if err != nil {
			return err
		}
		for i := first; i < end; i++ {
			if err := e.Restore(lists[i]); err != nil {
				return err
			}
			lists[i] = nil
		}
		first = end
	}
	return nil
}

// encodeEntries encodes entries in ascending order of their keys: the difference to the
// previous key as a uvarint, and the value as a varint.
func encodeEntries(list []tables.Entry) []byte {
	raw := binary.AppendUvarint(nil, uint64(len(list)))
	var last uint64
	for _, x := range list {
		raw = binary.AppendUvarint(raw, x.Key-last)
		raw = binary.AppendVarint(raw, int64(x.Value))
		last = x.Key
	}
	return pack(raw)
}

// decodeEntries is the inverse of encodeEntries.
func decodeEntries(data []byte) ([]tables.Entry, error) {
	raw, err := unpack(data)
	if err != nil {
		return nil, fmt.Errorf("endings: %w", err)
	}
	count, n := binary.Uvarint(raw)
	if raw = raw[max(n, 0):]; n <= 0 || count > uint64(len(raw)) {
		return nil, fmt.Errorf("endings: %w", io.ErrUnexpectedEOF)
	}
	list := make([]tables.Entry, count)
	var last uint64
	for i := range list {
		d, n := binary.Uvarint(raw)
		if n <= 0 {
			return nil, fmt.Errorf("endings: %w", io.ErrUnexpectedEOF)
		}
		v, k := binary.Varint(raw[n:])
		if k <= 0 {
			return nil, fmt.Errorf("endings: %w", io.ErrUnexpectedEOF)
		}
		if v < -tables.MaxEndingEdges || v > tables.MaxEndingEdges || i > 0 && d == 0 || last+d < last {
			return nil, fmt.Errorf("endings: entry %d is out of order or out of range", i)
		}
		last += d
		list[i] = tables.Entry{Key: last, Value: int(v)}
		raw = raw[n+k:]
	}
	if len(raw) > 0 {
		return nil, fmt.Errorf("endings: %d bytes too many", len(raw))
	}
	return list, nil
}

// endingsHandler does the jobs of one table of endings.
type endingsHandler struct {
	env farm.Env

	mu   sync.Mutex
	most int
	e    *tables.Endings
	have map[farm.Digest]bool
}

// Work implements [farm.Handler].
func (h *endingsHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j endingsJob
	if err := book.ReadPayload(payload, &j); err != nil {
		return nil, err
	}
	if err := CanSolveEndings(j.Most); err != nil {
		return nil, err
	}
	if j.Segments < 1 || j.Segments > j.Most || j.Parts < 1 || j.Part < 0 || j.Part >= j.Parts {
		return nil, fmt.Errorf("part %d of %d of the endings with %d of %d segments: there is none", j.Part, j.Parts, j.Segments, j.Most)
	}
	e, err := h.prepare(ctx, j)
	if err != nil {
		return nil, err
	}
	list, err := e.Solve(ctx, j.Segments, j.Part, j.Parts)
	if err != nil {
		return nil, err
	}
	return encodeEntries(list), nil
}

// prepare lists the components once and reads the shards that a job needs into memory.
func (h *endingsHandler) prepare(ctx context.Context, j endingsJob) (*tables.Endings, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.e == nil {
		e, err := tables.NewEndings(ctx, j.Most, endingKeyBits(j.Most), h.env.Threads(), nil)
		if err != nil {
			return nil, err
		}
		h.e, h.most, h.have = e, j.Most, map[farm.Digest]bool{}
	}
	if h.most != j.Most {
		return nil, fmt.Errorf("endings of %d segments: this run is about %d", j.Most, h.most)
	}
	for _, d := range j.Needs {
		if h.have[d] {
			continue
		}
		data, err := h.env.Blob(ctx, d)
		if err != nil {
			return nil, err
		}
		list, err := decodeEntries(data)
		if err != nil {
			return nil, err
		}
		if err := h.e.Restore(list); err != nil {
			return nil, err
		}
		h.have[d] = true
	}
	return h.e, nil
}

// Close implements [farm.Handler].
func (h *endingsHandler) Close() error {
	h.e, h.have = nil, nil
	return nil
}

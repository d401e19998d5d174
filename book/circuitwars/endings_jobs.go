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

// A job of the endings solves one shard: a part of the positions with a given number of free segments (a
// layer). It needs the shards of all layers with fewer segments. Each process lists component types.

// endingsJob is the payload: a shard of the table of endings with at most MaxSegments segments, and the
// digests of all shards with fewer segments than the shard, in order.
type endingsJob struct {
	MaxSegments int           `json:"most"`
	Segments    int           `json:"segments"`
	Part        int           `json:"part"`
	Parts       int           `json:"parts"`
	Needs       []farm.Digest `json:"needs"`
}

// EndingsMemory returns the memory that a worker needs for the jobs of a table of endings, in bytes.
func EndingsMemory(segments int) uint64 {
	if segments <= 12 {
		return 256 << 20
	}
	return 1 << 30
}

type endingsSolve struct {
	farm     farm.Farm
	segments int
	builder  *store.Builder
	endings  *tables.Endings
	progress *farm.Progress
	shards   []endingShard
	lists    [][]tables.Entry // entries of the solved shards that are not in endings yet, by shard
	digests  []farm.Digest    // of the results of shared shards, by shard
}

// run solves and stores the missing shards, layer by layer, and reads all shards into s.endings.
func (s *endingsSolve) run(ctx context.Context) (err error) {
	var before uint64
	for i := range s.shards {
		if !s.builder.Done(i) {
			continue
		}
		if s.lists[i], err = storedEndings(s.builder, i); err != nil {
			return err
		}
		before += uint64(len(s.lists[i]))
	}
	s.progress.Begin("solve endings", "positions", before, s.endings.Positions())
	for first := 0; first < len(s.shards); {
		end := first + s.shards[first].parts
		if err := s.solveLayer(ctx, first, end); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// solveLayer solves the shards of a layer, first..end-1, and reads them into the memory of s.endings.
// All shards before first must be solved.
func (s *endingsSolve) solveLayer(ctx context.Context, first, end int) error {
	var ids []int // not yet stored
	var payloads [][]byte
	for i := first; i < end; i++ {
		if s.builder.Done(i) {
			if err := s.share(ctx, i, func() ([]byte, error) { return encodeEntries(s.lists[i]), nil }); err != nil {
				return err
			}
			continue
		}
		x := s.shards[i]
		ids = append(ids, i)
		payloads = append(payloads, book.WritePayload(endingsJob{s.segments, x.segments, x.part, x.parts, s.digests[:first]}))
	}
	err := s.farm.Do(ctx, farm.Stage{
		Name: fmt.Sprintf("%s, %d segments", s.builder.Spec().Name, s.shards[first].segments), Payloads: payloads,
		Here: func(ctx context.Context, n int) error {
			x := s.shards[ids[n]]
			list, err := s.endings.Solve(ctx, x.segments, x.part, x.parts)
			if err != nil {
				return err
			}
			return s.addShard(ids[n], list)
		},
		Take: func(n int, result []byte) error {
			list, err := decodeEntries(result)
			if err != nil {
				return err
			}
			if err := s.addShard(ids[n], list); err != nil {
				return err
			}
			return s.share(ctx, ids[n], func() ([]byte, error) { return result, nil })
		},
	})
	if err != nil {
		return err
	}
	for i := first; i < end; i++ {
		if err := s.endings.Restore(s.lists[i]); err != nil {
			return err
		}
		s.lists[i] = nil
	}
	return nil
}

func (s *endingsSolve) share(ctx context.Context, i int, open func() ([]byte, error)) (err error) {
	s.digests[i], err = s.farm.Share(ctx, open)
	return err
}

// addShard keeps the entries of solved shard i in s.lists and stores them.
func (s *endingsSolve) addShard(i int, list []tables.Entry) error {
	s.lists[i] = list
	if err := storeEndings(s.builder, i, list); err != nil {
		return err
	}
	s.progress.Add(uint64(len(list)))
	return nil
}

// encodeEntries returns the result of a job: the number of entries as a uvarint, then for each, in the
// order of the keys, the difference to the previous key as a uvarint and the value as a varint.
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

// decodeEntries decodes what encodeEntries returned. The keys of the list ascend.
func decodeEntries(data []byte) ([]tables.Entry, error) {
	raw, err := unpack(data)
	if err != nil {
		return nil, fmt.Errorf("endings: %w", err)
	}
	count, n := binary.Uvarint(raw)
	if n <= 0 || count > uint64(len(raw)-n)/2 { // an entry has at least two bytes
		return nil, fmt.Errorf("endings: %w", io.ErrUnexpectedEOF)
	}
	raw = raw[n:]
	list := make([]tables.Entry, count)
	var last uint64
	for i := range list {
		d, kn := binary.Uvarint(raw) // difference to the previous key
		v, vn := binary.Varint(raw[max(kn, 0):])
		if kn <= 0 || vn <= 0 {
			return nil, fmt.Errorf("endings: %w", io.ErrUnexpectedEOF)
		}
		if v < -tables.MaxEndingEdges || v > tables.MaxEndingEdges || i > 0 && d == 0 || last+d < last {
			return nil, fmt.Errorf("endings: entry %d is out of order or out of range", i)
		}
		last += d
		list[i] = tables.Entry{Key: last, Value: int(v)}
		raw = raw[kn+vn:]
	}
	if len(raw) > 0 {
		return nil, fmt.Errorf("endings: %d bytes too many", len(raw))
	}
	return list, nil
}

type endingsHandler struct {
	env farm.Env

	mu          sync.Mutex
	maxSegments int
	e           *tables.Endings
	restored    map[farm.Digest]bool // the shards in memory
}

func (h *endingsHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j endingsJob
	if err := book.ReadPayload(payload, &j); err != nil {
		return nil, err
	}
	if err := CanSolveEndings(j.MaxSegments); err != nil {
		return nil, err
	}
	if j.Segments < 1 || j.Segments > j.MaxSegments || j.Parts < 1 || j.Part < 0 || j.Part >= j.Parts {
		return nil, fmt.Errorf("invalid job: part %d of %d of the endings with %d segments, at most %d",
			j.Part, j.Parts, j.Segments, j.MaxSegments)
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

// prepare returns the handler's endings, with all shards that j needs in memory.
func (h *endingsHandler) prepare(ctx context.Context, j endingsJob) (*tables.Endings, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.e == nil {
		e, err := tables.NewEndings(ctx, j.MaxSegments, endingKeyBits(j.MaxSegments), h.env.Threads(), nil)
		if err != nil {
			return nil, err
		}
		h.e, h.maxSegments, h.restored = e, j.MaxSegments, map[farm.Digest]bool{}
	}
	if h.maxSegments != j.MaxSegments {
		return nil, fmt.Errorf("endings of %d segments: this run solves %d", j.MaxSegments, h.maxSegments)
	}
	for _, d := range j.Needs {
		if h.restored[d] {
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
		h.restored[d] = true
	}
	return h.e, nil
}

func (h *endingsHandler) Close() error {
	h.e, h.restored = nil, nil
	return nil
}

package circuitwars

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/grid"
	"endwise/solver/circuitwars/tables"
	"endwise/solver/farm"
)

// A job of a board solves one chunk. It needs the chunks whose numbers, as bit sets, are
// proper subsets of the chunk's number. The farm shares the results of finished jobs with
// processes that need them; a process keeps the chunks that it has received or solved.

// boardJob is the payload: a chunk and the digests of the chunks that it needs.
type boardJob struct {
	Board string              `json:"board"`
	Chunk int                 `json:"chunk"`
	Needs map[int]farm.Digest `json:"needs"`
}

// memoryOf returns the memory in bytes that a process needs for a board with the given number
// of positions.
func memoryOf(masks uint64) uint64 { return masks/2 + 256<<20 }

// BoardMemory returns the memory that a worker needs for the jobs of a board, in bytes.
func BoardMemory(b *grid.Board) uint64 { return memoryOf(1 << b.Segments()) }

// solveChunks solves the chunks that are not yet stored, layer by layer, and stores them. It
// reads the stored ones into the memory of s.
func solveChunks(ctx context.Context, f farm.Farm, builder *store.Builder, s *tables.BoardSolver, p *farm.Progress) error {
	name := builder.Spec().Params["board"]
	digests := make([]farm.Digest, s.Chunks())
	share := func(chunk int, open func() ([]byte, error)) (err error) {
		digests[chunk], err = f.Share(ctx, open)
		return err
	}
	for n, layer := range s.Layers() {
		var chunks []int
		var payloads [][]byte
		for _, c := range layer {
			if builder.Done(c) {
				if err := restoreChunk(builder, s, c); err != nil {
					return err
				}
				err := share(c, func() ([]byte, error) {
					hist, err := builder.Histogram(c)
					return encodeChunk(s.Values(c), hist), err
				})
				if err != nil {
					return err
				}
				continue
			}
			j := boardJob{Board: name, Chunk: c, Needs: map[int]farm.Digest{}}
			for part := c; part != 0; {
				part = (part - 1) & c // the next smaller subset of c's bits
				j.Needs[part] = digests[part]
			}
			chunks, payloads = append(chunks, c), append(payloads, book.WritePayload(j))
		}
		err := f.Do(ctx, farm.Stage{
			Name: fmt.Sprintf("%s, layer %d", builder.Spec().Name, n), Payloads: payloads,
			Here: func(ctx context.Context, i int) error {
				hist, err := s.Solve(ctx, chunks[i], p.Add)
				if err != nil {
					return err
				}
				return storeChunk(builder, s, chunks[i], hist)
			},
			Take: func(i int, result []byte) error {
				hist, err := decodeChunk(result, s.Values(chunks[i]))
				if err != nil {
					return err
				}
				if err := storeChunk(builder, s, chunks[i], hist); err != nil {
					return err
				}
				p.Add(s.ChunkMasks())
				return share(chunks[i], func() ([]byte, error) { return result, nil })
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// encodeChunk returns the result of a job: the numbers of positions with the value
// -tables.MaxBoardSegments and each greater value, as uvarints, followed by the values.
func encodeChunk(values []byte, hist map[int]uint64) []byte {
	var raw []byte
	for v := -tables.MaxBoardSegments; v <= tables.MaxBoardSegments; v++ {
		raw = binary.AppendUvarint(raw, hist[v])
	}
	return pack(append(raw, values...))
}

// decodeChunk decodes the result of a job: it returns the numbers of positions by value, and
// copies the values to values, which has the length of a chunk.
func decodeChunk(data, values []byte) (map[int]uint64, error) {
	raw, err := unpack(data)
	if err != nil {
		return nil, fmt.Errorf("chunk: %w", err)
	}
	hist := map[int]uint64{}
	for v := -tables.MaxBoardSegments; v <= tables.MaxBoardSegments; v++ {
		count, n := binary.Uvarint(raw)
		if n <= 0 {
			return nil, fmt.Errorf("chunk: %w", io.ErrUnexpectedEOF)
		}
		hist[v], raw = count, raw[n:]
	}
	if len(raw) != len(values) {
		return nil, fmt.Errorf("chunk of %d bytes: want %d", len(raw), len(values))
	}
	copy(values, raw)
	return hist, nil
}

// boardHandler runs the jobs of a board. When it receives a job of another board, it discards
// the chunks of the former one.
type boardHandler struct {
	env farm.Env

	mu    sync.Mutex
	board string
	s     *tables.BoardSolver
	chunk []*chunkState
}

// chunkState is the state of a chunk in memory. Its mutex is held while the chunk is fetched or
// solved; hist is nil until then.
type chunkState struct {
	mu   sync.Mutex
	hist map[int]uint64
}

// Work implements [farm.Handler].
func (h *boardHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j boardJob
	if err := book.ReadPayload(payload, &j); err != nil {
		return nil, err
	}
	s, chunks, err := h.solver(j.Board)
	if err != nil {
		return nil, err
	}
	if j.Chunk < 0 || j.Chunk >= len(chunks) {
		return nil, fmt.Errorf("chunk %d: want 0 to %d", j.Chunk, len(chunks)-1)
	}
	for part := range len(chunks) {
		if part == j.Chunk || part&^j.Chunk != 0 {
			continue
		}
		if err := h.fetch(ctx, s, chunks[part], part, j.Needs[part]); err != nil {
			return nil, fmt.Errorf("chunk %d: %w", part, err)
		}
	}
	c := chunks[j.Chunk]
	c.mu.Lock()
	defer c.mu.Unlock()
	// A finished chunk is not computed again, because other jobs may be reading it.
	if c.hist == nil {
		if c.hist, err = s.Solve(ctx, j.Chunk, func(uint64) {}); err != nil {
			return nil, err
		}
	}
	return encodeChunk(s.Values(j.Chunk), c.hist), nil
}

// solver returns the solver and the chunks of the board with a name.
func (h *boardHandler) solver(name string) (*tables.BoardSolver, []*chunkState, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.s == nil {
		b, err := grid.Parse(name)
		if err != nil {
			return nil, nil, err
		}
		board, err := tables.NewBoard(b)
		if err != nil {
			return nil, nil, err
		}
		h.board, h.s = name, tables.NewBoardSolver(board)
		for range h.s.Chunks() {
			h.chunk = append(h.chunk, new(chunkState))
		}
	}
	if h.board != name {
		return nil, nil, fmt.Errorf("board %s: this run is about %s", name, h.board)
	}
	return h.s, h.chunk, nil
}

// fetch reads a chunk into memory, if it is not there, from the shared result with digest d.
func (h *boardHandler) fetch(ctx context.Context, s *tables.BoardSolver, c *chunkState, chunk int, d farm.Digest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hist != nil {
		return nil
	}
	data, err := h.env.Blob(ctx, d)
	if err != nil {
		return err
	}
	c.hist, err = decodeChunk(data, s.Values(chunk))
	return err
}

// Close implements [farm.Handler].
func (h *boardHandler) Close() error {
	h.s, h.chunk = nil, nil
	return nil
}

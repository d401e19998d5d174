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

// A job of a board solves one chunk. It needs the chunks whose numbers, as bit sets, are proper subsets
// of the chunk's number, as shared results of finished jobs.

// boardJob is the payload: a chunk and the digests of the chunks that it needs.
type boardJob struct {
	Board string              `json:"board"`
	Chunk int                 `json:"chunk"`
	Needs map[int]farm.Digest `json:"needs"`
}

// BoardMemory returns the memory that a worker needs for the jobs of a board, in bytes.
func BoardMemory(b *grid.Board) uint64 { return 1<<b.Segments()/2 + 256<<20 }

type boardSolve struct {
	farm     farm.Farm
	builder  *store.Builder
	solver   *tables.BoardSolver
	progress *farm.Progress
	digests  []farm.Digest // of the results of shared chunks, by chunk
}

// solveChunks solves the chunks that are not yet stored, layer by layer, and stores them. It reads the
// stored chunks into the memory of s.
func solveChunks(ctx context.Context, f farm.Farm, b *store.Builder, s *tables.BoardSolver, p *farm.Progress) error {
	x := &boardSolve{f, b, s, p, make([]farm.Digest, s.Chunks())}
	for n, layer := range s.Layers() {
		name := fmt.Sprintf("%s, layer %d", b.Spec().Name, n)
		if err := x.solveLayer(ctx, name, layer); err != nil {
			return err
		}
	}
	return nil
}

// solveLayer restores or solves the chunks of a layer. It needs all earlier chunks in memory and shared.
func (x *boardSolve) solveLayer(ctx context.Context, name string, layer []int) error {
	var chunks []int // those not yet stored
	var payloads [][]byte
	for _, c := range layer {
		if x.builder.Done(c) {
			if err := x.restore(ctx, c); err != nil {
				return err
			}
			continue
		}
		chunks, payloads = append(chunks, c), append(payloads, book.WritePayload(x.job(c)))
	}
	return x.farm.Do(ctx, farm.Stage{
		Name: name, Payloads: payloads,
		Here: func(ctx context.Context, i int) error {
			hist, err := x.solver.Solve(ctx, chunks[i], x.progress.Add)
			if err != nil {
				return err
			}
			return storeChunk(x.builder, x.solver, chunks[i], hist)
		},
		Take: func(i int, result []byte) error {
			c := chunks[i]
			hist, err := decodeChunk(result, x.solver.Values(c))
			if err != nil {
				return err
			}
			if err := storeChunk(x.builder, x.solver, c, hist); err != nil {
				return err
			}
			x.progress.Add(x.solver.ChunkMasks())
			return x.share(ctx, c, func() ([]byte, error) { return result, nil })
		},
	})
}

// restore reads a stored chunk into the solver's memory and shares it.
func (x *boardSolve) restore(ctx context.Context, chunk int) error {
	values := x.solver.Values(chunk)
	err := x.builder.EachBlock(chunk, func(_ uint64, payload []byte) error {
		values = values[copy(values, payload):]
		return nil
	})
	if err != nil {
		return err
	}
	return x.share(ctx, chunk, func() ([]byte, error) {
		hist, err := x.builder.Histogram(chunk)
		return encodeChunk(x.solver.Values(chunk), hist), err
	})
}

func (x *boardSolve) share(ctx context.Context, chunk int, open func() ([]byte, error)) (err error) {
	x.digests[chunk], err = x.farm.Share(ctx, open)
	return err
}

func (x *boardSolve) job(chunk int) boardJob {
	j := boardJob{Board: x.builder.Spec().Params["board"], Chunk: chunk, Needs: map[int]farm.Digest{}}
	for part := chunk; part != 0; {
		part = (part - 1) & chunk // the next smaller subset of chunk's bits
		j.Needs[part] = x.digests[part]
	}
	return j
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

// decodeChunk decodes the result of a job: it copies its values to values, of the same length, and
// returns the numbers of positions by value.
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

// boardHandler runs the jobs of one board, that of its first job.
type boardHandler struct {
	env farm.Env

	mu     sync.Mutex
	board  string
	s      *tables.BoardSolver
	chunks []*chunkState
}

// chunkState is the state of a chunk. mu is held while it is fetched or solved; hist is nil before that.
type chunkState struct {
	mu   sync.Mutex
	hist map[int]uint64
}

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

// solver returns the solver and chunks of the first call's board, or an error if name is another.
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
			h.chunks = append(h.chunks, new(chunkState))
		}
	}
	if h.board != name {
		return nil, nil, fmt.Errorf("board %s: this run solves %s", name, h.board)
	}
	return h.s, h.chunks, nil
}

// fetch reads the chunk with the digest d into the memory of s, unless it is there already.
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

func (h *boardHandler) Close() error {
	h.s, h.chunks = nil, nil
	return nil
}

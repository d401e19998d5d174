package retrograde

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"endwise/engine/disk"
	"endwise/solver/watchyourback/tables"
)

// The file of a layer is the concatenation of its parts, sequences of chunks. A part is computed
// from the two preceding layers, in one process or on several machines.

// Parts describes how layer files are divided into parts.
type Parts struct {
	pieces int
	chunks []chunk
	of     [][]chunk // by part: its chunks
}

// NewParts divides layers with all materials of up to the given number of pieces (4 to
// [tables.MaxTablePieces]) into at most the given number of parts, at least one, whose computation
// takes about the same time.
func NewParts(pieces, parts int) (*Parts, error) {
	if pieces < 4 || pieces > tables.MaxTablePieces {
		return nil, fmt.Errorf("%d pieces: want 4 to %d", pieces, tables.MaxTablePieces)
	}
	p := &Parts{pieces: pieces, chunks: chunksOf(pieces)}
	// The time for a word is about proportional to the number of pieces of the side to move.
	cost := func(c chunk) int { return (c.b - c.a) * c.material.Own }
	total, sum := 0, 0
	for _, c := range p.chunks {
		total += cost(c)
	}
	parts = min(max(parts, 1), len(p.chunks))
	first := 0
	for i, c := range p.chunks {
		sum += cost(c)
		if sum*parts >= total*(len(p.of)+1) || i == len(p.chunks)-1 {
			p.of = append(p.of, p.chunks[first:i+1])
			first = i + 1
		}
	}
	return p, nil
}

// Len returns the number of parts.
func (p *Parts) Len() int { return len(p.of) }

// Write writes the file of layer r to dir. It returns an error if a part is missing or damaged.
func (p *Parts) Write(dir string, r int, parts [][]byte) error {
	if len(parts) != p.Len() {
		return fmt.Errorf("layer %d: %d parts, want %d", r, len(parts), p.Len())
	}
	for i, part := range parts {
		if err := checkChunks(part, p.of[i]); err != nil {
			return fmt.Errorf("layer %d, part %d: %w", r, i, err)
		}
	}
	return disk.WriteFile(layerPath(dir, r), 0o644, disk.Bytes(bytes.Join(parts, nil)))
}

// ErrSolved is wrapped by the error of [LayerSolver.Solve] if the layer has been added already.
var ErrSolved = errors.New("that layer is solved already")

// LayerSolver computes parts of the next layer from the last two, which it keeps in memory. It is
// safe for concurrent use.
type LayerSolver struct {
	parts *Parts

	mu     sync.RWMutex // read-locked while a part is computed
	s      *sweep
	broken error // the error of Add after which the layers in memory are invalid
}

// NewLayerSolver returns a solver for layer 1, with layer 0. Its only error is that of ctx.
func NewLayerSolver(ctx context.Context, parts *Parts, final *tables.Final) (*LayerSolver, error) {
	s, err := newSweep(ctx, parts.pieces, final)
	if err != nil {
		return nil, err
	}
	return &LayerSolver{parts: parts, s: s}, nil
}

// LayerBytes returns the approximate memory of a [LayerSolver] in bytes.
func LayerBytes(pieces int) uint64 {
	var words uint64
	for _, m := range tables.Materials(pieces) {
		words += uint64(tables.Sets(m.Own)) * uint64((tables.Sets(m.Opp)+63)/64)
	}
	// A word of win and of loss, for two layers, plain and transposed.
	layers := 2 * 2 * 2 * 8 * words
	// The strokes of the largest sets; those of smaller sets take much less.
	strokes := uint64(strokesPerPiece*(pieces-2)*tables.Sets(pieces-2)) * uint64(unsafe.Sizeof(stroke{}))
	const rest = 64 << 20
	return layers + strokes + rest
}

// Add adds the next layers from the contents of their files, in order, and stops at an error. If a
// complete chunk of a file is damaged, all later calls return the same error.
func (p *LayerSolver) Add(files ...[]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return p.broken
	}
	for _, file := range files {
		chunks, err := splitChunks(file, len(p.parts.chunks))
		if err != nil {
			return fmt.Errorf("layer %d: %w", p.s.turn+1, err)
		}
		if err := p.s.apply(p.parts.chunks, chunks); err != nil {
			p.broken = fmt.Errorf("layer %d: %w", p.s.turn+1, err)
			return p.broken
		}
	}
	return nil
}

// apply changes layer s.turn-1 in memory to layer s.turn+1, described by the compressed chunks
// data, and increments s.turn. After an error, the layer is invalid.
func (s *sweep) apply(list []chunk, data [][]byte) error {
	r := s.turn + 1
	var wrong atomic.Pointer[error]
	parallel(len(list), func(i int) {
		if err := s.applyChunk(r, list[i], data[i]); err != nil {
			wrong.Store(&err)
		}
	})
	if err := wrong.Load(); err != nil {
		return *err
	}
	s.turn = r
	s.transpose()
	return nil
}

// applyChunk does for one chunk of layer r what apply does for all.
func (s *sweep) applyChunk(r int, c chunk, data []byte) error {
	m := s.layer[r&1].of(c.material)
	win, loss := m.win[c.a:c.b], m.loss[c.a:c.b]
	whole := r <= 2 // files 1 and 2 contain differences from zeros, not from layer r-2
	if whole {
		clear(win)
		clear(loss)
	}
	for row := c.row; row < c.end; row++ {
		if whole {
			m.changedIn(uint32(row)).fill()
		} else {
			clear(m.changedIn(uint32(row)))
		}
	}
	w := chunkWriters.Get().(*chunkWriter)
	defer chunkWriters.Put(w)
	var err error
	w.raw, err = eachChange(w.raw, data, len(win), func(i int, x uint64) {
		if i < len(win) {
			win[i] ^= x
		} else {
			i -= len(win)
			loss[i] ^= x
		}
		row, k := c.row+i/m.words, i%m.words
		m.changedIn(uint32(row))[k>>6] |= 1 << (k & 63)
	})
	return err
}

// Solve returns the bytes of a part of layer r. The layers 1..r-1 must have been added. If layer r
// has been added too, the error wraps [ErrSolved].
func (p *LayerSolver) Solve(ctx context.Context, r, part int) ([]byte, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	switch {
	case p.broken != nil:
		return nil, p.broken
	case part < 0 || part >= p.parts.Len() || r < 1 || r > tables.Layers:
		return nil, fmt.Errorf("layer %d, part %d: want 1 to %d and 0 to %d", r, part, tables.Layers, p.parts.Len()-1)
	case r <= p.s.turn:
		return nil, fmt.Errorf("layer %d: %w", r, ErrSolved)
	case r != p.s.turn+1:
		return nil, fmt.Errorf("layer %d: only %d layers are solved", r, p.s.turn)
	}
	var out []byte
	w := chunkWriters.Get().(*chunkWriter)
	defer chunkWriters.Put(w)
	for _, c := range p.parts.of[part] {
		var err error
		if out, err = w.solve(ctx, p.s, c, out); err != nil {
			return nil, err
		}
	}
	return slices.Clip(out), nil
}

type chunkWriter struct {
	words     []uint64 // win and loss of a chunk
	row       rowBuffer
	raw, data []byte
}

var chunkWriters = sync.Pool{New: func() any { return new(chunkWriter) }}

// zeros is the earlier layer of layers 1 and 2.
var zeros [chunkWords]uint64

// solve computes a chunk of layer s.turn+1 and appends its frame to dst. Its error is that of ctx.
func (w *chunkWriter) solve(ctx context.Context, s *sweep, c chunk, dst []byte) ([]byte, error) {
	r, n := s.turn+1, c.b-c.a
	w.words = slices.Grow(w.words[:0], 2*n)[:2*n]
	win, loss := w.words[:n], w.words[n:]
	old := s.layer[r&1].of(c.material)
	copy(win, old.win[c.a:c.b])
	copy(loss, old.loss[c.a:c.b])
	for row := c.row; row < c.end; row++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b := (row-c.row)*old.words, (row+1-c.row)*old.words
		s.computeRow(c.material, uint32(row), win[a:b:b], loss[a:b:b], &w.row)
	}
	before := [2][]uint64{old.win[c.a:c.b], old.loss[c.a:c.b]}
	if r <= 2 {
		before = [2][]uint64{zeros[:n], zeros[:n]}
	}
	w.raw = appendChanges(w.raw[:0], before, [2][]uint64{win, loss})
	encoder, _ := codec()
	w.data = encoder.EncodeAll(w.raw, w.data[:0])
	return frames.Append(dst, w.data), nil
}

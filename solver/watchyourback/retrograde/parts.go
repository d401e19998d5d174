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

// A plane is computed in parts, in one process or on several machines. A part is
// a number of consecutive chunks; it is computed from the whole plane before,
// which each process makes for itself from the plane files so far, and comes out
// as those chunks have it in the plane file. The parts in order are the plane
// file: the same bytes however it was cut.

// Parts cuts the planes of a number of pieces into parts.
type Parts struct {
	pieces int
	chunks []chunk
	of     [][]chunk // the chunks of each part
}

// NewParts cuts the planes of at most pieces pieces (4..MaxTablePieces) into
// at most so many parts of about the same work.
func NewParts(pieces, parts int) (*Parts, error) {
	if pieces < 4 || pieces > tables.MaxTablePieces {
		return nil, fmt.Errorf("%d pieces: want 4 to %d", pieces, tables.MaxTablePieces)
	}
	p := &Parts{pieces: pieces, chunks: chunksOf(pieces)}
	// The work of a chunk grows with its words and with the moves of the side
	// to move, so with its pieces.
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

// Len is the number of parts.
func (p *Parts) Len() int { return len(p.of) }

// Write makes the file of plane r in dir from the parts of that plane, in
// order. Parts that are none of a plane's are an error.
func (p *Parts) Write(dir string, r int, files [][]byte) error {
	if len(files) != p.Len() {
		return fmt.Errorf("plane %d: %d parts, want %d", r, len(files), p.Len())
	}
	for i, file := range files {
		if err := checkChunks(file, p.of[i]); err != nil {
			return fmt.Errorf("plane %d, part %d: %w", r, i, err)
		}
	}
	return disk.WriteFile(planePath(dir, r), 0o644, disk.Bytes(bytes.Join(files, nil)))
}

// ErrBehind is returned by PlaneSolver.Solve for a plane that it has passed.
var ErrBehind = errors.New("that plane is done")

// PlaneSolver computes parts of planes. It holds the two planes before the one
// in work and is safe for concurrent use. Memory is about a byte for fourteen
// positions: 1 MB for 5 pieces, 40 MB for 6, 0.6 GB for 7, up to 80 MB
// for lists of moves and 8 MB for tables of ranks.
type PlaneSolver struct {
	parts *Parts

	mu     sync.RWMutex // held for reading while parts are computed
	s      *sweep
	broken error // why the planes in memory are wrong
}

// NewPlaneSolver prepares plane 0. The error is the context's.
func NewPlaneSolver(ctx context.Context, parts *Parts, final *tables.Final) (*PlaneSolver, error) {
	s, err := newSweep(ctx, parts.pieces, final)
	if err != nil {
		return nil, err
	}
	return &PlaneSolver{parts: parts, s: s}, nil
}

// PlaneBytes is about the memory that a PlaneSolver takes.
func PlaneBytes(pieces int) uint64 {
	var words uint64
	for _, m := range tables.Materials(pieces) {
		words += uint64(tables.Sets(m.Own)) * uint64((tables.Sets(m.Opp)+63)/64)
	}
	moves := uint64(4 * (pieces - 2) * tables.Sets(pieces-2))         // most of one size, and most sizes are far smaller
	return 8*8*words + moves*uint64(unsafe.Sizeof(stroke{})) + 64<<20 // win and loss of two planes, as they are and transposed
}

// Take takes the files of the next planes. One that is damaged leaves a solver
// that is of no more use: from then on its methods return that error.
func (p *PlaneSolver) Take(files ...[]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return p.broken
	}
	for _, file := range files {
		r := p.s.turn + 1
		chunks, err := splitChunks(file, len(p.parts.chunks))
		if err != nil {
			return fmt.Errorf("plane %d: %w", r, err)
		}
		if err := p.s.apply(r, p.parts.chunks, chunks); err != nil {
			p.broken = fmt.Errorf("plane %d: %w", r, err) // other chunks of it are applied
			return p.broken
		}
	}
	return nil
}

// apply turns the plane two turns before plane r into plane r.
func (s *sweep) apply(r int, list []chunk, packed [][]byte) error {
	var wrong atomic.Pointer[error]
	parallel(len(list), func(i int) {
		if err := s.applyChunk(r, list[i], packed[i]); err != nil {
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

// applyChunk turns a chunk of the plane two turns before plane r into that of
// plane r, and notes what changes.
func (s *sweep) applyChunk(r int, c chunk, packed []byte) error {
	m := s.plane[r&1].of(c.material)
	win, loss := m.win[c.a:c.b], m.loss[c.a:c.b]
	if r <= 2 {
		clear(win)
		clear(loss)
	}
	for row := c.row; row < c.end; row++ {
		clear(m.changedIn(uint32(row)))
		if r <= 2 { // changed against nothing
			m.changedIn(uint32(row)).fill()
		}
	}
	w := chunkWriters.Get().(*chunkWriter)
	defer chunkWriters.Put(w)
	var err error
	w.raw, err = eachChange(w.raw, packed, len(win), func(i int, x uint64) {
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

// Solve computes a part of plane r. The planes before it must have been taken,
// and no others; it returns ErrBehind if more were. Nothing that others see is
// written: the same part may be computed several times at once.
func (p *PlaneSolver) Solve(ctx context.Context, r, part int) ([]byte, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	switch {
	case p.broken != nil:
		return nil, p.broken
	case part < 0 || part >= p.parts.Len() || r < 1 || r > tables.Planes:
		return nil, fmt.Errorf("plane %d, part %d: want 1 to %d and 0 to %d", r, part, tables.Planes, p.parts.Len()-1)
	case r <= p.s.turn:
		return nil, fmt.Errorf("plane %d: %w", r, ErrBehind)
	case r != p.s.turn+1:
		return nil, fmt.Errorf("plane %d: only %d are known", r, p.s.turn)
	}
	var out []byte
	w := chunkWriters.Get().(*chunkWriter)
	defer chunkWriters.Put(w)
	for _, c := range p.parts.of[part] {
		n := c.b - c.a
		w.words = slices.Grow(w.words[:0], 2*n)[:2*n]
		var err error
		if out, err = w.solve(ctx, p.s, c, w.words[:n], w.words[n:], out); err != nil {
			return nil, err
		}
	}
	return slices.Clip(out), nil
}

// chunkWriter computes chunks and packs them.
type chunkWriter struct {
	words     []uint64
	row       rowBuffer
	raw, data []byte
}

// chunkWriters have memory that was used before.
var chunkWriters = sync.Pool{New: func() any { return new(chunkWriter) }}

// nothing is what a plane changes that has none two turns before it.
var nothing [chunkWords]uint64

// solve computes a chunk of the plane after s.turn into win and loss and
// appends its frame to dst. Nothing of s is changed.
func (w *chunkWriter) solve(ctx context.Context, s *sweep, c chunk, win, loss []uint64, dst []byte) ([]byte, error) {
	r := s.turn + 1
	old := s.plane[r&1].of(c.material)
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
	if r <= 2 { // changed against nothing
		before = [2][]uint64{nothing[:len(win)], nothing[:len(win)]}
	}
	w.raw = appendChanges(w.raw[:0], before, [2][]uint64{win, loss})
	readyToPack()
	w.data = packing.packer.EncodeAll(w.raw, w.data[:0])
	return frames.Append(dst, w.data), nil
}

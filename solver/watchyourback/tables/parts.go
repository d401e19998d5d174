package tables

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A plane may be computed in parts on several machines. A part is a number of
// consecutive chunks; it is computed from the whole plane before, which each
// machine makes for itself from the plane files so far, and comes out as those
// chunks have it in the plane file. The parts in order are the plane file: the
// same bytes as Solve writes.

// Parts cuts the planes of a number of pieces into parts.
type Parts struct {
	pieces int
	chunks []chunk
	ends   []int // part i is chunks[ends[i-1]:ends[i]]
}

// NewParts cuts the planes of at most pieces pieces (4..MaxTablePieces) into
// at most so many parts of about the same work.
func NewParts(pieces, parts int) (*Parts, error) {
	if pieces < 4 || pieces > MaxTablePieces {
		return nil, fmt.Errorf("%d pieces: want 4 to %d", pieces, MaxTablePieces)
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
	for i, c := range p.chunks {
		sum += cost(c)
		if sum*parts >= total*(len(p.ends)+1) || i == len(p.chunks)-1 {
			p.ends = append(p.ends, i+1)
		}
	}
	return p, nil
}

// Len is the number of parts.
func (p *Parts) Len() int { return len(p.ends) }

// of is the chunks of a part.
func (p *Parts) of(part int) []chunk {
	first := 0
	if part > 0 {
		first = p.ends[part-1]
	}
	return p.chunks[first:p.ends[part]]
}

// SolveParts is Solve with the planes computed elsewhere: plane is called for
// plane after plane and leaves its file in dir, by Write. That the values are
// right is for the caller to see to.
func SolveParts(ctx context.Context, parts *Parts, dir string, progress func(done, total int), plane func(ctx context.Context, r int) error) (*Solved, error) {
	solved := &Solved{dir: dir, materials: Materials(parts.pieces), chunks: parts.chunks}
	for k := 2; k <= parts.pieces-2; k++ {
		solved.families[k] = newFamily(k)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	done := 0
	for done < Planes {
		data, err := PlaneFile(dir, done+1)
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err == nil {
			_, err = checkedChunks(dec, data, parts.chunks)
		}
		if errors.Is(err, errDamagedPlane) {
			err = os.Remove(planePath(dir, done+1))
			if err == nil {
				break
			}
		}
		if err != nil {
			return nil, err
		}
		done++
	}
	progress(done, Planes)
	for r := done + 1; r <= Planes; r++ {
		if err := plane(ctx, r); err != nil {
			return nil, err
		}
		if _, err := os.Stat(planePath(dir, r)); err != nil {
			return nil, fmt.Errorf("plane %d: %w", r, err)
		}
		progress(r, Planes)
	}
	return solved, nil
}

// Write makes the file of plane r in dir from the parts of that plane, in
// order. Parts that are none of a plane's are an error.
func (p *Parts) Write(dir string, r int, files [][]byte) error {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer dec.Close()
	if len(files) != p.Len() {
		return fmt.Errorf("plane %d: %d parts, want %d", r, len(files), p.Len())
	}
	all := make([][]byte, 0, len(p.chunks))
	for i, file := range files {
		chunks, err := checkedChunks(dec, file, p.of(i))
		if err != nil {
			return fmt.Errorf("plane %d, part %d: %w", r, i, err)
		}
		all = append(all, chunks...)
	}
	return writePlane(dir, r, all)
}

// PlaneFile is the bytes of a plane file in dir.
func PlaneFile(dir string, r int) ([]byte, error) { return os.ReadFile(planePath(dir, r)) }

// RemovePlane removes the file of plane r, so that it is computed again. One
// that is not there is no error.
func RemovePlane(dir string, r int) error {
	if err := os.Remove(planePath(dir, r)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// splitChunks cuts a plane file, or a part of one, into its chunks.
func splitChunks(file []byte, want int) ([][]byte, error) {
	var out [][]byte
	for len(file) > 0 {
		if len(file) < 8 {
			return nil, fmt.Errorf("%w: %v", errDamagedPlane, io.ErrUnexpectedEOF)
		}
		n, sum := binary.LittleEndian.Uint32(file), binary.LittleEndian.Uint32(file[4:])
		if file = file[8:]; uint64(n) > uint64(len(file)) {
			return nil, fmt.Errorf("%w: a chunk of %d bytes", errDamagedPlane, n)
		}
		if crc32.Checksum(file[:n], castagnoli) != sum {
			return nil, fmt.Errorf("%w: checksum", errDamagedPlane)
		}
		out, file = append(out, file[:n:n]), file[n:]
	}
	if len(out) != want {
		return nil, fmt.Errorf("%w: %d chunks, want %d", errDamagedPlane, len(out), want)
	}
	return out, nil
}

// checkedChunks is splitChunks for the chunks of a list, each of which must
// unpack to its rows.
func checkedChunks(dec *zstd.Decoder, file []byte, list []chunk) ([][]byte, error) {
	chunks, err := splitChunks(file, len(list))
	var buf []byte
	for i := 0; i < len(list) && err == nil; i++ {
		buf, err = unpackChunk(dec, buf, chunks[i], list[i].b-list[i].a)
	}
	return chunks, err
}

// ErrBehind is returned by PlaneSolver.Solve for a plane that it has passed.
var ErrBehind = errors.New("that plane is done")

// PlaneSolver computes parts of planes. It holds the two planes before the one
// in work, as much memory as Solve takes, and is safe for concurrent use.
type PlaneSolver struct {
	parts *Parts

	mu     sync.RWMutex // held for reading while parts are computed
	s      *sweep
	broken error // why the planes in memory are wrong
}

// NewPlaneSolver prepares plane 0. The error is the context's.
func NewPlaneSolver(ctx context.Context, parts *Parts, final *Final) (*PlaneSolver, error) {
	s, err := newSweep(ctx, parts.pieces, final)
	if err != nil {
		return nil, err
	}
	return &PlaneSolver{parts: parts, s: s}, nil
}

// PlaneBytes is about the memory that a PlaneSolver takes.
func PlaneBytes(pieces int) uint64 {
	var words uint64
	for _, m := range Materials(pieces) {
		words += uint64(binomial[squares][m.Own]) * uint64((binomial[squares][m.Opp]+63)/64)
	}
	return 6*8*words + 64<<20 // win and loss of two planes and of one transposed
}

// Take takes the files of the next planes. One that is damaged leaves a solver
// that is of no more use: from then on its methods return that error.
func (p *PlaneSolver) Take(files ...[]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken != nil {
		return p.broken
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer dec.Close()
	var buf []byte
	for _, file := range files {
		r := p.s.turn + 1
		chunks, err := splitChunks(file, len(p.parts.chunks))
		if err != nil {
			return fmt.Errorf("plane %d: %w", r, err)
		}
		for i, c := range p.parts.chunks {
			m := p.s.plane[r&1].of(c.material)
			win, loss := m.win[c.a:c.b], m.loss[c.a:c.b]
			if r <= 2 {
				clear(win)
				clear(loss)
			}
			if buf, err = applyChunk(dec, buf, chunks[i], win, loss); err != nil {
				p.broken = fmt.Errorf("plane %d: %w", r, err) // the chunks before it are applied
				return p.broken
			}
		}
		p.s.turn = r
	}
	if len(files) > 0 {
		p.s.transpose(p.s.turn & 1)
	}
	return nil
}

// Solve computes a part of plane r. The planes before it must have been taken,
// and no others; it returns ErrBehind if more were.
func (p *PlaneSolver) Solve(ctx context.Context, r, part int) ([]byte, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	switch {
	case p.broken != nil:
		return nil, p.broken
	case part < 0 || part >= p.parts.Len() || r < 1 || r > Planes:
		return nil, fmt.Errorf("plane %d, part %d: want 1 to %d and 0 to %d", r, part, Planes, p.parts.Len()-1)
	case r <= p.s.turn:
		return nil, fmt.Errorf("plane %d: %w", r, ErrBehind)
	case r != p.s.turn+1:
		return nil, fmt.Errorf("plane %d: only %d are known", r, p.s.turn)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	// The rows are computed where the plane two turns before lies, and that is
	// put back, so that a part may be computed again and Take finds what its
	// changes refer to.
	next := *p.s
	next.turn = r
	var out, raw []byte
	var old, buf []uint64
	for _, c := range p.parts.of(part) {
		m := next.plane[r&1].of(c.material)
		win, loss := m.win[c.a:c.b], m.loss[c.a:c.b]
		old = append(append(old[:0], win...), loss...)
		if len(buf) < 2*m.words {
			buf = make([]uint64, 2*m.words)
		}
		for a := c.row; a < c.end && ctx.Err() == nil; a++ {
			next.computeRow(c.material, uint32(a), buf[:2*m.words])
		}
		raw = raw[:0]
		for i, now := range [2][]uint64{win, loss} {
			before := old[i*len(win):]
			for w := range now {
				if r <= 2 { // changed against nothing
					raw = binary.LittleEndian.AppendUint64(raw, now[w])
				} else {
					raw = binary.LittleEndian.AppendUint64(raw, now[w]^before[w])
				}
			}
		}
		copy(win, old)
		copy(loss, old[len(win):])
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data := enc.EncodeAll(raw, nil)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
		out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(data, castagnoli))
		out = append(out, data...)
	}
	return slices.Clip(out), nil
}

package tables

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Solved is the finished 6x6 stage for all materials up to a number of
// pieces: 64 plane files in a working directory, ready to be packed.
type Solved struct {
	dir       string
	families  [maxSide + 1]*family
	materials []Material
	chunks    []chunk
}

// Solve computes the planes 1..64 of all materials of at most pieces pieces
// (4..MaxTablePieces) into the directory dir, which must exist and be used for
// this number of pieces alone. Planes that an earlier call left there are
// taken over. progress, if not nil, is told how many planes are done, the
// first time with those taken over. A cancelled context ends the work after
// at most one row chunk; its planes stay.
//
// Memory is about a byte for ten positions: 1 MB for 5 pieces, 50 MB for 6,
// 0.7 GB for 7, and 8 MB for tables of ranks.
func Solve(ctx context.Context, final *Final, pieces int, dir string, progress func(done, total int)) (*Solved, error) {
	if pieces < 4 || pieces > MaxTablePieces {
		return nil, fmt.Errorf("%d pieces: want 4 to %d", pieces, MaxTablePieces)
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	s, err := newSweep(ctx, pieces, final)
	if err != nil {
		return nil, err
	}
	list := chunksOf(pieces)
	if err := s.resume(ctx, dir, list); err != nil {
		return nil, err
	}
	progress(s.turn, Planes)
	var changed matrices // zero, then a copy of the plane that is overwritten
	for _, m := range s.materials {
		p := s.plane[0].of(m)
		changed[m.Own][m.Opp] = newMatrix(p.rows, 64*p.words)
	}
	for s.turn < Planes {
		next := s.turn + 1
		if next > 2 {
			for _, m := range s.materials {
				p, old := s.plane[next&1].of(m), changed.of(m)
				copy(old.win, p.win)
				copy(old.loss, p.loss)
			}
		}
		s.advance(ctx)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := s.deltas(list, &changed, &s.plane[next&1])
		if err != nil {
			return nil, err
		}
		if err := writePlane(dir, next, data); err != nil {
			return nil, err
		}
		progress(s.turn, Planes)
	}
	return &Solved{dir, s.families, s.materials, list}, nil
}

// resume takes over the planes that are in dir. A damaged file and those
// after it are computed again.
func (s *sweep) resume(ctx context.Context, dir string, list []chunk) error {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer dec.Close()
	for r := 1; r <= Planes; r++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r <= 2 {
			for _, m := range s.materials {
				p := s.plane[r&1].of(m)
				clear(p.win)
				clear(p.loss)
			}
		}
		err := s.takeOver(dir, r, list, dec)
		switch {
		case err == nil:
			s.turn = r
			continue
		case errors.Is(err, os.ErrNotExist):
		case errors.Is(err, errDamagedPlane):
			// What was applied of it is wrong: start over without it.
			if err := os.Remove(planePath(dir, r)); err != nil {
				return err
			}
			again, err := newSweep(ctx, s.pieces, s.final)
			if err != nil {
				return err
			}
			*s = *again
			return s.resume(ctx, dir, list)
		default:
			return err
		}
		break
	}
	if s.turn > 0 {
		s.transpose(s.turn & 1)
	}
	return nil
}

// takeOver reads plane r over the plane two turns before it.
func (s *sweep) takeOver(dir string, r int, list []chunk, dec *zstd.Decoder) error {
	f, err := openPlane(dir, r)
	if err != nil {
		return err
	}
	defer f.Close()
	var buf []byte
	for _, c := range list {
		data, err := f.next()
		if err != nil {
			return err
		}
		p := s.plane[r&1].of(c.material)
		if buf, err = applyChunk(dec, buf, data, p.win[c.a:c.b], p.loss[c.a:c.b]); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	return nil
}

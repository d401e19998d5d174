package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Solved is the finished 6x6 stage for all materials up to a number of
// pieces: 64 plane files in a working directory, ready to be packed.
type Solved struct {
	dir      string
	families [maxSide + 1]*family
	chunks   []chunk
}

// SolveParts computes the planes 1..64 of all materials into the directory dir,
// which must exist and be used for this number of pieces alone. plane is called
// for plane after plane and leaves its file in dir, by Write; that the values
// are right is for it to see to. Planes that an earlier call left there are
// taken over; a damaged file and those after it are computed again. progress is
// told how many planes are done, the first time with those taken over.
func SolveParts(ctx context.Context, parts *Parts, dir string, progress func(done, total int), plane func(ctx context.Context, r int) error) (*Solved, error) {
	solved := &Solved{dir: dir, chunks: parts.chunks}
	for k := 2; k <= parts.pieces-2; k++ {
		solved.families[k] = newFamily(k)
	}
	done := 0
	for done < Planes {
		data, err := PlaneFile(dir, done+1)
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err == nil {
			err = checkChunks(data, parts.chunks)
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

// Solve is SolveParts of at most pieces pieces (4..MaxTablePieces) in this
// process. progress may be nil. A cancelled context ends the work after at most
// one row a core; the planes that are done stay.
//
// Memory is about a byte for ten positions: 1 MB for 5 pieces, 50 MB for 6,
// 0.7 GB for 7, and 8 MB for tables of ranks.
func Solve(ctx context.Context, final *Final, pieces int, dir string, progress func(done, total int)) (*Solved, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	parts, err := NewParts(pieces, 1)
	if err != nil {
		return nil, err
	}
	solver, err := NewPlaneSolver(ctx, parts, final)
	if err != nil {
		return nil, err
	}
	s := solver.s
	next := newMatrices(s.materials)
	return SolveParts(ctx, parts, dir, progress, func(ctx context.Context, r int) error {
		for s.turn < r-1 { // an earlier call's
			file, err := PlaneFile(dir, s.turn+1)
			if err == nil {
				err = solver.Take(file)
			}
			if err != nil {
				return err
			}
		}
		file := make([][]byte, len(parts.chunks))
		parallel(len(file), 1, func(i, end int) {
			w := chunkWriters.Get().(*chunkWriter)
			defer chunkWriters.Put(w)
			for ; i < end && ctx.Err() == nil; i++ {
				c, m := parts.chunks[i], next.of(parts.chunks[i].material)
				file[i], _ = w.solve(ctx, s, c, m.win[c.a:c.b], m.loss[c.a:c.b], nil)
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		s.plane[r&1], next = next, s.plane[r&1]
		s.turn = r
		s.transpose(r & 1)
		return writePlane(dir, r, file)
	})
}

package retrograde

import (
	"context"
	"errors"
	"os"

	"endwise/solver/watchyourback/tables"
)

// Solved is the finished 6x6 stage for all materials up to a number of
// pieces: 64 plane files in a working directory, ready to be packed.
type Solved struct {
	dir      string
	families [tables.MaxSide + 1]*family
	chunks   []chunk
}

// Solve computes the planes 1..64 of all materials into the directory dir,
// which must exist and be used for this number of pieces alone. plane is called
// for plane after plane and leaves its file in dir, by Write; that the values
// are right is for it to see to. Planes that an earlier call left there are
// taken over; a damaged file and those after it are computed again. progress is
// told how many planes are done, the first time with those taken over. Where
// the context ends, the planes that are done stay.
func Solve(ctx context.Context, parts *Parts, dir string, progress func(done, total int), plane func(ctx context.Context, r int) error) (*Solved, error) {
	solved := &Solved{dir: dir, chunks: parts.chunks}
	for k := 2; k <= parts.pieces-2; k++ {
		solved.families[k] = newFamily(k)
	}
	done := 0
	for done < tables.Planes {
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
	progress(done, tables.Planes)
	for r := done + 1; r <= tables.Planes; r++ {
		if err := plane(ctx, r); err != nil {
			return nil, err
		}
		progress(r, tables.Planes)
	}
	return solved, nil
}

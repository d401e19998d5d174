package retrograde

import (
	"context"
	"errors"
	"os"

	"endwise/solver/watchyourback/tables"
)

// Solved contains the values of all materials of up to a number of pieces, as layer files.
type Solved struct {
	dir      string
	families [tables.MaxSide + 1]*family
	chunks   []chunk
}

// Solve computes the files of layers 1..64 in dir, which must exist. It keeps the files of an
// earlier call for the same number of pieces up to the first missing or damaged one, and removes
// the damaged one. For each further layer r, in order, Solve calls compute, which must write the
// file with [Parts.Write]. progress is called with the number of finished layers and the number of
// all layers, at the start and after each layer. Errors of compute end Solve.
func Solve(
	ctx context.Context, parts *Parts, dir string,
	progress func(done, total int), compute func(ctx context.Context, r int) error,
) (*Solved, error) {
	solved := &Solved{dir: dir, chunks: parts.chunks}
	for k := 2; k <= parts.pieces-2; k++ {
		solved.families[k] = newFamily(k)
	}
	done := 0
	for done < tables.Layers {
		data, err := ReadLayerFile(dir, done+1)
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err == nil {
			err = checkChunks(data, parts.chunks)
		}
		if errors.Is(err, errDamagedLayer) {
			err = os.Remove(layerPath(dir, done+1))
			if err == nil {
				break
			}
		}
		if err != nil {
			return nil, err
		}
		done++
	}
	progress(done, tables.Layers)
	for r := done + 1; r <= tables.Layers; r++ {
		if err := compute(ctx, r); err != nil {
			return nil, err
		}
		progress(r, tables.Layers)
	}
	return solved, nil
}

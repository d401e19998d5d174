package retrograde

import (
	"context"
	"errors"
	"os"

	"endwise/solver/watchyourback/tables"
)

// Solved is the solved 6x6 stage for all materials up to a number of pieces: 64 layer files
// in a directory.
type Solved struct {
	dir      string
	families [tables.MaxSide + 1]*family
	chunks   []chunk
}

// Solve computes layers 1..64 of all materials in dir, which must exist and be used for this
// number of pieces only. It calls compute for each layer in order; compute must write the
// layer's file with [Parts.Write]. Layer files of an earlier call are used; a damaged file and
// those after it are computed again. progress is called with the number of layers done, first
// with those found. If the context ends, the layers done remain.
func Solve(ctx context.Context, parts *Parts, dir string, progress func(done, total int), compute func(ctx context.Context, r int) error) (*Solved, error) {
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

package watchyourback

import (
	"context"
	"fmt"
	"sync"

	"endwise/book"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/watchyourback/retrograde"
)

// A job of the 6x6 tables computes a part of a layer (package solver/watchyourback/retrograde). It
// needs the files of all previous layers, which the farm shares with other processes.

var layersKind = farm.Kind{
	Name:    Jobs,
	Version: book.JobVersion(watchyourback.Game{}.RulesVersion(), solverVersion, 2),
	Open:    func(env farm.Env) (farm.Handler, error) { return &layersHandler{env: env}, nil },
}

// layersJob is the payload of a job: a part of the next layer after Layers.
type layersJob struct {
	Pieces int           `json:"pieces"`
	Parts  int           `json:"parts"`  // number of parts of a layer
	Part   int           `json:"part"`   // 0 to Parts-1
	Layers []farm.Digest `json:"planes"` // of the files of the previous layers
}

// layerParts returns the number of parts, each a job, into which a layer is divided.
func layerParts(pieces int) int {
	switch {
	case pieces <= 5:
		return 4
	case pieces == 6:
		return 16
	}
	return 64
}

// Memory returns the memory that a worker needs for the layers of the given number of pieces, in bytes.
func Memory(pieces int) uint64 { return retrograde.LayerBytes(pieces) }

// solveLayers computes the files of all layers in the directory work. p, which may be nil, counts them.
func solveLayers(ctx context.Context, f farm.Farm, pieces int, work string, p *farm.Progress) (*retrograde.Solved, error) {
	parts, err := retrograde.NewParts(pieces, layerParts(pieces))
	if err != nil {
		return nil, err
	}
	var shared []farm.Digest // of the files of layers
	here := &layersHere{parts: parts, work: work}
	stage := book.Stage(p, fmt.Sprintf("solve up to %d pieces", pieces), "layers")
	progress := func(done, total int) { stage(uint64(done), uint64(total)) }
	return retrograde.Solve(ctx, parts, work, progress, func(ctx context.Context, r int) error {
		for n := len(shared) + 1; n < r; n++ {
			d, err := f.Share(ctx, func() ([]byte, error) { return retrograde.ReadLayerFile(work, n) })
			if err != nil {
				return err
			}
			shared = append(shared, d)
		}
		payloads := make([][]byte, parts.Len())
		for i := range payloads {
			payloads[i] = book.WritePayload(layersJob{pieces, layerParts(pieces), i, shared})
		}
		out := make([][]byte, len(payloads))
		err := f.Do(ctx, farm.Stage{
			Name: fmt.Sprintf("layer %d of up to %d pieces", r, pieces), Payloads: payloads,
			Here: func(ctx context.Context, i int) error {
				s, err := here.solver(ctx, r)
				if err == nil {
					out[i], err = s.Solve(ctx, r, i)
				}
				return err
			},
			Take: func(i int, result []byte) error {
				out[i] = result
				return nil
			},
		})
		if err != nil {
			return err
		}
		return parts.Write(work, r, out)
	})
}

type layersHere struct {
	parts *retrograde.Parts
	work  string

	mu    sync.Mutex
	s     *retrograde.LayerSolver
	taken int // number of layers that s contains
}

// solver returns the solver of this process, to which it has added the layers before layer r.
func (h *layersHere) solver(ctx context.Context, r int) (*retrograde.LayerSolver, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.s == nil {
		s, err := retrograde.NewLayerSolver(ctx, h.parts, finalTable())
		if err != nil {
			return nil, err
		}
		h.s = s
	}
	for ; h.taken < r-1; h.taken++ {
		file, err := retrograde.ReadLayerFile(h.work, h.taken+1)
		if err != nil {
			return nil, err
		}
		if err := h.s.Add(file); err != nil {
			return nil, err
		}
	}
	return h.s, nil
}

type layersHandler struct {
	env farm.Env

	mu    sync.Mutex
	job   layersJob // of the first job: the pieces and parts of this run
	s     *retrograde.LayerSolver
	taken []farm.Digest // of the layers that s contains
}

func (h *layersHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j layersJob
	if err := book.ReadPayload(payload, &j); err != nil {
		return nil, err
	}
	s, err := h.prepare(ctx, j)
	if err != nil {
		return nil, err
	}
	return s.Solve(ctx, len(j.Layers)+1, j.Part)
}

// prepare returns the handler's solver, to which it has added the layers that j needs. It returns an
// error if j belongs to another run than the first job.
func (h *layersHandler) prepare(ctx context.Context, j layersJob) (*retrograde.LayerSolver, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.s == nil {
		parts, err := retrograde.NewParts(j.Pieces, j.Parts)
		if err != nil {
			return nil, err
		}
		s, err := retrograde.NewLayerSolver(ctx, parts, finalTable())
		if err != nil {
			return nil, err
		}
		h.job, h.s = j, s
	}
	if j.Pieces != h.job.Pieces || j.Parts != h.job.Parts {
		return nil, fmt.Errorf("job for up to %d pieces in %d parts: this run solves up to %d pieces in %d parts",
			j.Pieces, j.Parts, h.job.Pieces, h.job.Parts)
	}
	for i, d := range h.taken {
		if i < len(j.Layers) && j.Layers[i] != d {
			return nil, fmt.Errorf("layer %d has the digest %s: this run's has %s", i+1, j.Layers[i].Short(), d.Short())
		}
	}
	for len(h.taken) < len(j.Layers) {
		d := j.Layers[len(h.taken)]
		file, err := h.env.Blob(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", len(h.taken)+1, err)
		}
		if err := h.s.Add(file); err != nil {
			// The solver is invalid now; the next job creates another one.
			h.s, h.taken = nil, nil
			return nil, err
		}
		h.taken = append(h.taken, d)
	}
	return h.s, nil
}

func (h *layersHandler) Close() error {
	h.s, h.taken = nil, nil
	return nil
}

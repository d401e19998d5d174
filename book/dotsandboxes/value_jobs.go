package dotsandboxes

import (
	"context"
	"fmt"
	"sync"

	"endwise/book"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// A job of an empty board's value is a null-window search: is a position after the first lines worth at
// least a given number? A process keeps its transposition table between jobs.

var windowsKind = farm.Kind{
	Name:    ValueJobs,
	Version: book.JobVersion(dotsandboxes.RulesVersion, tableSolverVersion, 2),
	Open:    func(env farm.Env) (farm.Handler, error) { return &windowsHandler{}, nil },
}

// windowJob is the payload. Mask, Boxes and T are those of [exact.NullWindow]. Mask is a text because
// many JSON readers keep only 53 bits of a number.
type windowJob struct {
	Board string `json:"board"`
	Mask  uint64 `json:"mask,string"`
	Boxes int    `json:"boxes"`
	T     int    `json:"t"`
	Hash  int64  `json:"hash"` // bytes of the process's table
}

const maxWindowsHash = 1 << 40

// ValueMemory returns the memory that a worker needs for the jobs of a board's value, in bytes.
func ValueMemory(o book.ValueOptions) uint64 { return uint64(o.TableBytes) + 128<<20 }

// search runs the null-window search w on f. reached reports whether the value is at least w.T.
func (r *valueRun) search(ctx context.Context, f farm.Farm, w exact.NullWindow) (reached bool, err error) {
	err = f.Do(ctx, farm.Stage{
		Name:     "value of " + r.board.String(),
		Payloads: [][]byte{book.WritePayload(windowJob{r.board.String(), w.Mask, w.Boxes, w.T, r.options.TableBytes})},
		Here: func(ctx context.Context, _ int) error {
			s, err := r.solver()
			if err != nil {
				return err
			}
			reached, _, err = s.Search(ctx, r.board, w)
			return err
		},
		Take: func(_ int, result []byte) error {
			if len(result) != 1 || result[0] > 1 {
				return fmt.Errorf("result %x: want one byte, 0 or 1", result)
			}
			reached = result[0] == 1
			return nil
		},
	})
	return reached, err
}

type windowsHandler struct {
	mu    sync.Mutex
	name  string
	board *grid.Board
	s     *exact.Solver
}

func (h *windowsHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j windowJob
	if err := book.ReadPayload(payload, &j); err != nil {
		return nil, err
	}
	s, b, err := h.solver(j)
	if err != nil {
		return nil, err
	}
	reached, _, err := s.Search(ctx, b, exact.NullWindow{Mask: j.Mask, Boxes: j.Boxes, T: j.T})
	switch {
	case err != nil:
		return nil, err
	case reached:
		return []byte{1}, nil
	}
	return []byte{0}, nil
}

// solver returns the solver and the board of the first job, or an error if j is of another board.
func (h *windowsHandler) solver(j windowJob) (*exact.Solver, *grid.Board, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.s == nil {
		b, err := grid.Parse(j.Board)
		if err != nil {
			return nil, nil, err
		}
		if b.Segments() > exact.MaxEdges || j.Hash < 1<<16 || j.Hash > maxWindowsHash {
			return nil, nil, fmt.Errorf("board %s with a table of %d bytes: want at most %d lines, and 64 KB to 1 TB",
				b, j.Hash, exact.MaxEdges)
		}
		h.name, h.board, h.s = j.Board, b, exact.New(exact.Options{Threads: 1, TableBytes: j.Hash})
	}
	if h.name != j.Board {
		return nil, nil, fmt.Errorf("board %s: this run solves %s", j.Board, h.name)
	}
	return h.s, h.board, nil
}

func (h *windowsHandler) Close() error {
	h.s = nil
	return nil
}

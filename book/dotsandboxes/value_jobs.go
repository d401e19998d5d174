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

// A job of an empty board's value is a question about one position of its first lines: is
// it worth at least the given number? A process that answers several keeps its
// transposition table between them.

var answersKind = farm.Kind{
	Name:    ValueJobs,
	Version: book.JobVersion(dotsandboxes.RulesVersion, classSolver, 2),
	Open:    func(env farm.Env) (farm.Handler, error) { return &answersHandler{}, nil },
}

// answersJob is the payload. Mask is a text because numbers in JSON have 53 bits. Its bits
// are the board's lines in the solver's order; another order requires another version of
// the jobs.
type answersJob struct {
	Board string `json:"board"`
	Mask  uint64 `json:"mask,string"`
	Boxes int    `json:"boxes"`
	T     int    `json:"t"`
	Hash  int64  `json:"hash"` // bytes of the process's table
}

// maxAnswersHash limits the table size that a job may request, in bytes.
const maxAnswersHash = 1 << 40

// ValueMemory returns the memory that a worker needs for such jobs, in bytes.
func ValueMemory(o book.ValueOptions) uint64 { return uint64(o.TableBytes) + 128<<20 }

// ask has the farm answer a question.
func (r *valueRun) ask(ctx context.Context, f farm.Farm, q exact.Question) (yes bool, err error) {
	err = f.Do(ctx, farm.Stage{
		Name:     "value of " + r.board.String(),
		Payloads: [][]byte{book.WritePayload(answersJob{r.board.String(), q.Mask, q.Boxes, q.T, r.options.TableBytes})},
		Here: func(ctx context.Context, _ int) error {
			s, err := r.solver()
			if err != nil {
				return err
			}
			var n uint64
			yes, n, err = s.Answer(ctx, r.board, q)
			r.progress.Note(fmt.Sprintf("%d million positions expanded", r.expansions.Add(n)/1_000_000))
			return err
		},
		Take: func(_ int, result []byte) error {
			if len(result) != 1 || result[0] > 1 {
				return fmt.Errorf("an answer of %d bytes: want one, 0 or 1", len(result))
			}
			yes = result[0] == 1
			return nil
		},
	})
	return yes, err
}

// answersHandler answers questions about one board.
type answersHandler struct {
	mu    sync.Mutex
	name  string
	board *grid.Board
	s     *exact.Solver
}

// Work implements [farm.Handler].
func (h *answersHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j answersJob
	if err := book.ReadPayload(payload, &j); err != nil {
		return nil, err
	}
	s, b, err := h.solver(j)
	if err != nil {
		return nil, err
	}
	yes, _, err := s.Answer(ctx, b, exact.Question{Mask: j.Mask, Boxes: j.Boxes, T: j.T})
	switch {
	case err != nil:
		return nil, err
	case yes:
		return []byte{1}, nil
	}
	return []byte{0}, nil
}

// solver returns the solver and the board of a job; all jobs share one solver.
func (h *answersHandler) solver(j answersJob) (*exact.Solver, *grid.Board, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.s == nil {
		b, err := grid.Parse(j.Board)
		if err != nil {
			return nil, nil, err
		}
		if b.Segments() > exact.MaxEdges || j.Hash < 1<<16 || j.Hash > maxAnswersHash {
			return nil, nil, fmt.Errorf("board %s with a table of %d bytes: want at most %d lines, and 64 KB to 1 TB", b, j.Hash, exact.MaxEdges)
		}
		h.name, h.board, h.s = j.Board, b, exact.New(exact.Options{Threads: 1, TableBytes: j.Hash})
	}
	if h.name != j.Board {
		return nil, nil, fmt.Errorf("board %s: this run is about %s", j.Board, h.name)
	}
	return h.s, h.board, nil
}

// Close implements [farm.Handler].
func (h *answersHandler) Close() error {
	h.s = nil
	return nil
}

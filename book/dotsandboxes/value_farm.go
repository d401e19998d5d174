package dotsandboxes

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"endwise/book"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// A job of an empty board's value is a question about one position of its
// first lines: is it worth at least so much? A process that answers several
// keeps its transposition table between them.

var answersKind = farm.Kind{
	Name:    ValueJobs,
	Version: book.JobVersion(dotsandboxes.RulesVersion, classSolver, 1),
	Open:    func(env farm.Env) (farm.Handler, error) { return &answersHandler{}, nil },
}

// answersJob is the payload; Mask is a text, since numbers in JSON have 53
// bits.
type answersJob struct {
	Board string `json:"board"`
	Mask  uint64 `json:"mask,string"`
	Boxes int    `json:"boxes"`
	T     int    `json:"t"`
	Hash  int64  `json:"hash"` // bytes of the table, for all of the process
}

// maxAnswersHash bounds the table that a job may ask for, in bytes.
const maxAnswersHash = 1 << 40

// ValueMemory is what a worker needs for such jobs, in bytes.
func ValueMemory(o book.ValueOptions) uint64 { return uint64(o.TableBytes) + 128<<20 }

// errTakenBack ends a search whose answers are not to be trusted.
var errTakenBack = errors.New("answers were taken back")

// FarmValue is SolveValue with the questions answered
// by a farm, up to o.Threads at once.
func FarmValue(ctx context.Context, dir string, b *grid.Board, o book.ValueOptions, f farm.Farm, p *farm.Progress) (book.BoardValue, error) {
	return solveBoardValue(dir, b, o, p, func(x *exact.Split) (exact.Result, error) {
		// An answer that was taken back is kept as one that says nothing, and
		// so is everything that this run concluded, which may rest on it.
		var mu sync.Mutex
		recorded := map[[2]uint64]bool{}
		back := false
		var why error // the farm's, for taking back
		record := x.Record
		x.Record = func(a exact.Answer) error {
			mu.Lock()
			defer mu.Unlock()
			if back {
				return errTakenBack
			}
			recorded[a.Key] = true
			return record(a)
		}
		undo := func(int) error {
			mu.Lock()
			defer mu.Unlock()
			back = true
			for key := range recorded {
				if err := record(exact.Answer{Key: key, Lo: int8(-b.Squares()), Hi: int8(b.Squares())}); err != nil {
					return err
				}
			}
			clear(recorded)
			return nil
		}
		ask := func(ctx context.Context, q exact.Question) (yes bool, err error) {
			err = f.Do(ctx, farm.Stage{
				Name: "value of " + b.String(), Kind: ValueJobs,
				Payloads: [][]byte{book.WritePayload(answersJob{b.String(), q.Mask, q.Boxes, q.T, o.TableBytes})},
				Take: func(_ int, result []byte) error {
					if len(result) != 1 || result[0] > 1 {
						return fmt.Errorf("an answer of %d bytes: want one, 0 or 1", len(result))
					}
					yes = result[0] == 1
					return nil
				},
				Undo: undo,
			})
			mu.Lock()
			defer mu.Unlock()
			if back && (why == nil || errors.Is(why, context.Canceled)) {
				why = err
			}
			return yes, err
		}
		r, err := x.ValueBy(ctx, exact.New(exact.Options{Threads: 1, TableBytes: 1 << 20}), o.Threads, ask)
		// Which of the two errors ends the search is a matter of moments; all
		// questions have returned here.
		if errors.Is(err, errTakenBack) && why != nil {
			err = why
		}
		return r, err
	})
}

// answersHandler answers questions about one board.
type answersHandler struct {
	mu    sync.Mutex
	name  string
	board *grid.Board
	s     *exact.Solver
}

// Work implements farm.Handler.
func (h *answersHandler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j answersJob
	if err := book.ReadPayload(payload, &j); err != nil {
		return nil, err
	}
	s, b, err := h.solver(j)
	if err != nil {
		return nil, err
	}
	yes, err := s.AtLeast(ctx, b, exact.Question{Mask: j.Mask, Boxes: j.Boxes, T: j.T})
	switch {
	case err != nil:
		return nil, err
	case yes:
		return []byte{1}, nil
	}
	return []byte{0}, nil
}

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

// Close implements farm.Handler.
func (h *answersHandler) Close() error {
	h.s = nil
	return nil
}

package dotsandboxes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/book/solving"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/dotsandboxes/split"
	"endwise/solver/farm"
)

// A job of an empty board's value is a question about one position of its
// first lines: is it worth at least so much? A process that answers several
// keeps its transposition table between them.

var answersKind = farm.Kind{
	Name:    ValueJobs,
	Version: solving.JobVersion(dotsandboxes.RulesVersion, classSolver, 2),
	Open:    func(env farm.Env) (farm.Handler, error) { return &answersHandler{}, nil },
}

// answersJob is the payload; Mask is a text, since numbers in JSON have 53
// bits. Its bits are the board's lines in the solver's order: another order wants
// another version of the jobs.
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
func ValueMemory(o solving.ValueOptions) uint64 { return uint64(o.TableBytes) + 128<<20 }

// errTakenBack ends a search whose answers are not to be trusted.
var errTakenBack = errors.New("answers were taken back")

// askFarm runs a search with its questions answered by a farm, and counts the
// positions that were expanded in this process, whose searches take advice.
// While the search is not done, table keeps what this process knows. When the value is
// known, then is called with the solver.
func askFarm(ctx context.Context, x *split.Search, o solving.ValueOptions, table keptTable, f farm.Farm, p *farm.Progress, then func(*exact.Solver) error) (solver.Result, error) {
	kept := keptAnswers{record: x.Record, most: int8(x.Board.Squares()), keys: map[exact.Key]bool{}}
	x.Record = kept.add
	var expansions atomic.Uint64
	known := slices.Collect(maps.Values(x.Known))
	var keeper *tableKeeper // once this process has a solver
	here := sync.OnceValues(func() (*exact.Solver, error) {
		s := exact.New(exact.Options{
			Threads: 1, TableBytes: o.TableBytes, RecordNodes: recordNodes, Advice: x.Advice,
			// What goes wrong here ends the next answer of the root tree, or the search.
			Record: func(a exact.Proved) { _ = kept.add(a) },
		})
		if len(known) > 0 { // else the journal was deleted to start over
			if err := table.load(s); err != nil {
				return nil, err
			}
		}
		s.Learn(known)
		keeper = table.keep(s)
		return s, nil
	})
	ask := func(ctx context.Context, q exact.Question) (yes bool, err error) {
		err = f.Do(ctx, farm.Stage{
			Name: "value of " + x.Board.String(), Kind: ValueJobs,
			Payloads: [][]byte{solving.WritePayload(answersJob{x.Board.String(), q.Mask, q.Boxes, q.T, o.TableBytes})},
			Here: func(ctx context.Context, _ int) (err error) {
				s, err := here()
				if err != nil {
					return err
				}
				var n uint64
				yes, n, err = s.Answer(ctx, x.Board, q)
				p.Note(fmt.Sprintf("%d million positions expanded", expansions.Add(n)/1_000_000))
				return err
			},
			Take: func(_ int, result []byte) error {
				if len(result) != 1 || result[0] > 1 {
					return fmt.Errorf("an answer of %d bytes: want one, 0 or 1", len(result))
				}
				yes = result[0] == 1
				return nil
			},
			Undo: func(int) error { return kept.takeBack() },
		})
		kept.ended(err)
		return yes, err
	}
	r, err := x.Value(ctx, o.Threads, ask)
	// Which of the two errors ends the search is a matter of moments; all
	// questions have returned here.
	if errors.Is(err, errTakenBack) && kept.why != nil {
		err = kept.why
	}
	r.Nodes = expansions.Load()
	if err = cmp.Or(err, kept.failed); err == nil && then != nil {
		if err = afterwards(here, x, then); err == nil {
			err = kept.failed
		}
	}
	if keeper != nil {
		keeper.stop()
	}
	switch {
	case err == nil:
		err = table.remove()
	case errors.Is(err, errContradicts): // with the table the next run would not meet it again
		err = errors.Join(err, table.remove())
	case keeper != nil:
		p.Note("keeping the transposition table")
		err = errors.Join(err, keeper.save())
	}
	return r, err
}

// afterwards hands over the solver, which knows what was kept before and the answers of
// the root tree, and has the rest in its table.
func afterwards(here func() (*exact.Solver, error), x *split.Search, then func(*exact.Solver) error) error {
	s, err := here()
	if err != nil {
		return err
	}
	// In one order, so that on one thread the same search writes the same answers.
	s.Learn(slices.SortedFunc(maps.Values(x.Known), func(a, b exact.Proved) int {
		return cmp.Or(cmp.Compare(a.Key.Lo, b.Key.Lo), cmp.Compare(a.Key.Hi, b.Key.Hi))
	}))
	return then(s)
}

// keptAnswers are the answers that a run has kept. One that is taken back is
// kept as one that says nothing, and so is everything that the run concluded,
// which may rest on it.
type keptAnswers struct {
	record func(exact.Proved) error
	most   int8 // no value of the board is larger

	mu     sync.Mutex
	keys   map[exact.Key]bool
	failed error // of the first that could not be kept, or contradicts what is checked
	back   bool  // they were taken back
	why    error // the farm's, for taking back
}

// add keeps an answer, unless the answers were taken back.
func (k *keptAnswers) add(a exact.Proved) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.back {
		return errTakenBack
	}
	k.keys[a.Key] = true
	k.failed = cmp.Or(k.failed, k.record(a))
	return k.failed
}

// takeBack makes all answers say nothing.
func (k *keptAnswers) takeBack() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.back = true
	for key := range k.keys {
		if err := k.record(exact.Proved{Key: key, Lower: -k.most, Upper: k.most}); err != nil {
			return err
		}
	}
	clear(k.keys)
	return nil
}

// ended hears how a question ended.
func (k *keptAnswers) ended(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.back && (k.why == nil || errors.Is(k.why, context.Canceled)) {
		k.why = err
	}
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
	if err := solving.ReadPayload(payload, &j); err != nil {
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

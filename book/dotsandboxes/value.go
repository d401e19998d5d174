package dotsandboxes

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/dotsandboxes"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/farm"
)

// valueRecord is the size of a journal record in bytes: the words Lo and Hi of a position's [exact.Key],
// big-endian, and its lower and upper bound as signed bytes.
const valueRecord = 18

// recordNodes is the minimum number of expansions of a position within a null-window search whose
// bounds are written to the journal.
var recordNodes uint64 = 1 << 14 // fewer in tests

// SolveValue computes the value of an empty board by a split search. The null-window searches of the
// positions after the first lines are jobs of f; up to o.Threads of them run concurrently. SolveValue
// writes proved bounds to a journal in dir: those of the positions after the first lines and, for jobs
// that run in this process, of positions within their searches. The next call continues from the journal
// and from the transposition table of an interrupted call. If ctx ends, v contains the bounds so far.
func SolveValue(
	ctx context.Context, dir string, b *grid.Board, o book.ValueOptions, f farm.Farm, p *farm.Progress,
) (v book.BoardValue, err error) {
	r, err := openValue(dir, b, o, p)
	if err != nil {
		return v, err
	}
	v, err = r.solve(ctx, f)
	return v, r.close(err)
}

type valueRun struct {
	board    *grid.Board
	options  book.ValueOptions
	progress *farm.Progress
	known    map[exact.Key]exact.Proved // bounds from the journal and from this search
	table    savedTable
	solver   func() (*exact.Solver, error) // returns made; the first call creates it
	made     *exact.Solver                 // the solver of this process, nil if not created

	expansions atomic.Uint64 // in this process

	mu       sync.Mutex
	journal  *store.Journal
	recorded map[exact.Key]bool // positions that the journal contains
	failed   error              // the first error of writing the journal
}

// openValue opens the journal of a board's value and returns a run that has read it.
func openValue(dir string, b *grid.Board, o book.ValueOptions, p *farm.Progress) (*valueRun, error) {
	r := &valueRun{
		board: b, options: o, progress: p,
		known: map[exact.Key]exact.Proved{}, recorded: map[exact.Key]bool{},
	}
	path, title := valueFiles(dir, b)
	j, err := store.OpenJournal(path+".journal", title, valueRecord, r.read)
	if err != nil {
		return nil, err
	}
	r.journal, r.table = j, savedTable{path + ".table", title}
	facts := sortedProved(r.known)
	r.solver = sync.OnceValues(func() (*exact.Solver, error) {
		s := exact.New(exact.Options{
			Threads: 1, TableBytes: exact.BoardTable(b, o.TableBytes), RecordNodes: recordNodes,
			// add keeps its error in r.failed, which the split search returns when it next calls add.
			Record:   func(a exact.Proved) { _ = r.add(a) },
			Searched: func(n uint64) { r.expansions.Add(n) },
		})
		if len(facts) > 0 { // without facts, a table file belongs to a deleted journal
			if err := r.table.load(s); err != nil {
				return nil, err
			}
		}
		s.Learn(facts)
		r.made = s
		return s, nil
	})
	return r, nil
}

func valueFiles(dir string, b *grid.Board) (path, title string) {
	return filepath.Join(dir, fmt.Sprintf("%s-value-%s", dotsandboxes.Name, b)),
		fmt.Sprintf("endwise value %s rules %d solver %d", b, dotsandboxes.RulesVersion, tableSolverVersion)
}

// solvedValue implements SolvedValue of [book.Game]: it reads the journal of SolveValue.
func solvedValue(dir string, b *grid.Board) (book.BoardValue, error) {
	v := book.BoardValue{Bounds: solver.Bounds{Lower: -book.Unbounded, Upper: book.Unbounded}}
	if b.Segments() > exact.MaxEdges {
		return v, nil
	}
	p, err := exact.NewPositions(b, b.All())
	if err != nil {
		return v, err
	}
	root, _ := p.Decompose(0, 1<<b.Segments()-1)
	path, title := valueFiles(dir, b)
	recorded := map[exact.Key]bool{}
	err = store.ReadJournal(path+".journal", title, valueRecord, func(r []byte) error {
		a := provedFrom(r)
		if recorded[a.Key] = true; a.Key == root {
			v.Lower, v.Upper = max(v.Lower, int(a.Lower)), min(v.Upper, int(a.Upper))
		}
		return nil
	})
	v.Subpositions = len(recorded)
	return v, err
}

func provedFrom(r []byte) exact.Proved {
	return exact.Proved{
		Key:   exact.Key{Lo: binary.BigEndian.Uint64(r), Hi: binary.BigEndian.Uint64(r[8:])},
		Lower: int8(r[16]), Upper: int8(r[17]),
	}
}

// close ends the run. err is the error of the search. If it is nil, close removes the saved
// transposition table; otherwise it saves the table, if this process has one.
func (r *valueRun) close(err error) error {
	switch {
	case err == nil:
		err = r.table.remove()
	case r.made != nil:
		r.progress.Note("saving the transposition table")
		if saveErr := r.table.save(r.made); saveErr != nil {
			err = errors.Join(err, fmt.Errorf("the transposition table is not saved: %w", saveErr))
		}
	}
	return r.journal.Close(err)
}

// read adds a record of the journal to known and recorded. It returns an error if the bounds exclude
// those of earlier records of the position.
func (r *valueRun) read(record []byte) error {
	a := provedFrom(record)
	if old, ok := r.known[a.Key]; ok {
		a.Lower, a.Upper = max(a.Lower, old.Lower), min(a.Upper, old.Upper)
	}
	if a.Lower > a.Upper {
		return fmt.Errorf("position [%x %x]: the journal says at least %+d and at most %+d; delete it to start over",
			a.Key.Lo, a.Key.Hi, a.Lower, a.Upper)
	}
	r.known[a.Key], r.recorded[a.Key] = a, true
	return nil
}

// add writes bounds to the journal. It returns the first error of any call.
func (r *valueRun) add(a exact.Proved) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = cmp.Or(r.failed, r.write(a))
	r.recorded[a.Key] = true
	return r.failed
}

func (r *valueRun) write(a exact.Proved) error {
	var record [valueRecord]byte
	binary.BigEndian.PutUint64(record[:], a.Key.Lo)
	binary.BigEndian.PutUint64(record[8:], a.Key.Hi)
	record[16], record[17] = byte(a.Lower), byte(a.Upper)
	if err := r.journal.Add(record[:]); err != nil {
		return err
	}
	return r.journal.Flush()
}

// solve runs the split search; its null-window searches are jobs of f. If the error is not nil, the
// result contains the bounds proved so far.
func (r *valueRun) solve(ctx context.Context, f farm.Farm) (book.BoardValue, error) {
	r.progress.Begin("value of "+r.board.String(), "positions", 0, 0)
	if len(r.recorded) == 0 { // what is left after an interruption is unknown
		r.progress.Forecast(r.options.Forecast)
	}
	stop := farm.Follow(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.progress.Set(r.expansions.Load())
		r.progress.Note(fmt.Sprintf("%d bounds recorded", len(r.recorded)))
	})
	x := exact.Split{Board: r.board, Plies: r.options.Plies, Known: r.known, Record: r.add}
	b, err := x.Value(ctx, r.options.Threads, func(ctx context.Context, w exact.NullWindow) (reached bool, err error) {
		return r.search(ctx, f, w)
	})
	stop()
	v := book.BoardValue{
		Bounds: b.Bounds, Expansions: r.expansions.Load(), Subpositions: len(r.recorded),
	}
	return v, cmp.Or(err, r.failed)
}

// prove returns the embedded proof of the value. It must be called after solve.
func (r *valueRun) prove(ctx context.Context, o exact.ProofOptions) ([]exact.Proved, error) {
	s, err := r.solver()
	if err != nil {
		return nil, err
	}
	s.Learn(sortedProved(r.known))
	r.progress.Begin("proof of "+r.board.String(), "positions", 0, 0)
	o.Found = func(n int) { r.progress.Set(uint64(n)) }
	found, _, err := s.Prove(ctx, r.board, o)
	return found, cmp.Or(err, r.failed)
}

func sortedProved(known map[exact.Key]exact.Proved) []exact.Proved {
	return slices.SortedFunc(maps.Values(known), func(a, b exact.Proved) int {
		return cmp.Or(cmp.Compare(a.Key.Lo, b.Key.Lo), cmp.Compare(a.Key.Hi, b.Key.Hi))
	})
}

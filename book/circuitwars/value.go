package circuitwars

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"endwise/book"
	"endwise/book/store"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/solver"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/circuitwars/graph"
	"endwise/solver/farm"
)

const (
	// valueSolverVersion changes when the canonical keys change.
	valueSolverVersion = 1
	// factRecord is the size of a journal record in bytes: a key of 128 bits, lower and upper bound as
	// signed bytes, and the number of nodes as 64 bits, big-endian.
	factRecord = 16 + 2 + 8
)

// valueTypeBytes is the memory for component types per thread. Types that do not fit are computed again.
var valueTypeBytes int64 = 1536 << 20 // less in tests

// recordNodes is the minimum number of nodes of a position whose bounds are written to the journal.
var recordNodes uint64 = 50_000 // fewer in tests

const (
	// recentNodes is the minimum number of nodes of a position whose bounds are written to the journal
	// when the search is interrupted.
	recentNodes = 50
	// recentFacts is the maximum number of positions in each half of recentProofs.
	recentFacts = 1 << 17
)

// recentProofs contains the bounds of the positions proved last that are too small for the journal.
type recentProofs struct {
	mu         sync.Mutex
	last, rest map[graph.Key]exact.Proved // last grows to recentFacts and then replaces rest
}

// add adds bounds, and drops the older half if the newer one is full.
func (r *recentProofs) add(f exact.Proved) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.last) == recentFacts || r.last == nil {
		r.last, r.rest = map[graph.Key]exact.Proved{}, r.last
	}
	r.last[f.Key] = f
}

// write writes all bounds to a journal. It must not be called during a search.
func (r *recentProofs) write(j *factJournal) error {
	for _, facts := range []map[graph.Key]exact.Proved{r.rest, r.last} {
		for _, f := range facts {
			if err := j.record(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// SolveValue computes the value of an empty board for the player who moves first. It writes bounds of
// positions to a journal in the store dir, from which the next call resumes. If ctx ends, it also writes
// those of smaller positions. With the error of ctx or of the journal, it returns the bounds so far.
func SolveValue(
	ctx context.Context, dir string, b *grid.Board, o book.ValueOptions, p *farm.Progress,
) (v book.BoardValue, err error) {
	root, err := keyOf(b, b.All())
	if err != nil {
		return v, err
	}
	j, facts, err := openFacts(dir, b)
	if err != nil {
		return v, err
	}
	defer func() { err = j.Close(err) }()
	searching, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var recent recentProofs
	s := exact.New(exact.Options{
		Threads: o.Threads, TableBytes: o.TableBytes, TypeBytes: valueTypeBytes,
		NoProof:     true, // proof numbers take half of a full table, and are not recorded
		RecordNodes: min(recordNodes, recentNodes),
		Record: func(f exact.Proved) {
			if f.Nodes < recordNodes {
				recent.add(f)
			} else if err := j.record(f); err != nil {
				cancel(err)
			}
		},
	})
	if err := s.Learn(facts...); err != nil {
		return v, fmt.Errorf("%s: %w", j.path, err)
	}
	p.Begin("value of "+b.String(), "positions", 0, 0)
	if len(facts) == 0 { // what is left after an interruption is unknown
		p.Forecast(o.Forecast)
	}
	stop := farm.Follow(func() {
		st := s.Status()
		p.Set(st.Nodes)
		p.Note(fmt.Sprintf("between %d and %d, table %.0f %% full", st.Lower, st.Upper, 100*st.TableUse))
	})
	r, err := s.Value(searching, b, b.All())
	stop()
	recorded := slices.ContainsFunc(facts, func(f exact.Proved) bool { return f.Key == root && f.Exact() })
	if err == nil && r.Exact() && !recorded {
		err = j.record(exact.Proved{Key: root, Bounds: r.Bounds, Nodes: r.Nodes})
	}
	if err == nil && ctx.Err() != nil && !r.Exact() {
		err = recent.write(j)
	}
	v = book.BoardValue{Bounds: r.Bounds, Expansions: r.Nodes, Subpositions: int(j.records.Load())}
	switch cause := context.Cause(searching); {
	case err != nil:
		return v, err
	case ctx.Err() == nil && cause != nil: // writing the journal failed
		return v, cause
	case !r.Exact():
		return v, ctx.Err()
	}
	return v, nil
}

type factJournal struct {
	*store.Journal
	path    string
	records atomic.Int64 // number of records
}

// openFacts opens the journal of a board's value and returns the bounds in it.
func openFacts(dir string, b *grid.Board) (j *factJournal, facts []exact.Proved, err error) {
	path, title := valueJournal(dir, b)
	log, err := store.OpenJournal(path, title, factRecord, func(r []byte) error {
		facts = append(facts, factFrom(r))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	j = &factJournal{Journal: log, path: path}
	j.records.Store(int64(len(facts)))
	return j, facts, nil
}

// record writes f to the journal. It is safe for concurrent use.
func (j *factJournal) record(f exact.Proved) error {
	if err := j.Add(appendFact(nil, f)); err != nil {
		return err
	}
	j.records.Add(1)
	return j.Flush()
}

func valueJournal(dir string, b *grid.Board) (path, title string) {
	return filepath.Join(dir, fmt.Sprintf("%s-value-%s.journal", circuitwars.Name, b)),
		fmt.Sprintf("endwise value %s rules %d solver %d", b, circuitwars.RulesVersion, valueSolverVersion)
}

// solvedValue implements SolvedValue of [book.Game]: it reads the journal of SolveValue.
func solvedValue(dir string, b *grid.Board) (book.BoardValue, error) {
	v := book.BoardValue{Bounds: solver.Bounds{Lower: -book.Unbounded, Upper: book.Unbounded}}
	// The key is computed only if the journal contains a record.
	root := sync.OnceValues(func() (graph.Key, error) { return keyOf(b, b.All()) })
	path, title := valueJournal(dir, b)
	err := store.ReadJournal(path, title, factRecord, func(r []byte) error {
		v.Subpositions++
		k, err := root()
		if f := factFrom(r); err == nil && f.Key == k {
			v.Lower, v.Upper = max(v.Lower, f.Lower), min(v.Upper, f.Upper)
		}
		return err
	})
	return v, err
}

func appendFact(to []byte, f exact.Proved) []byte {
	to = append(f.Key.AppendBytes(to), byte(int8(f.Lower)), byte(int8(f.Upper)))
	return binary.BigEndian.AppendUint64(to, f.Nodes)
}

func factFrom(r []byte) exact.Proved {
	return exact.Proved{
		Key:    graph.KeyFrom([16]byte(r[:16])),
		Bounds: solver.Bounds{Lower: int(int8(r[16])), Upper: int(int8(r[17]))},
		Nodes:  binary.BigEndian.Uint64(r[18:]),
	}
}

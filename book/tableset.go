package book

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"endwise/book/store"
)

// TableSet contains the open tables of a lookup. It is safe for concurrent use.
type TableSet struct {
	log *slog.Logger

	mu     sync.Mutex
	open   []interface{ close() error }
	closed bool
}

func NewTableSet(log *slog.Logger) *TableSet { return &TableSet{log: log} }

// Named returns the paths of the tables in a store whose names begin with prefix, or none if storeDir is
// "". An error is logged.
func (s *TableSet) Named(storeDir, prefix string) []string {
	if storeDir == "" {
		return nil
	}
	paths, err := store.Named(storeDir, prefix)
	if err != nil {
		s.logIgnored(err)
	}
	return paths
}

func (s *TableSet) logIgnored(err error) {
	if !errors.Is(err, store.ErrMissing) {
		s.log.Warn("table ignored", "why", err)
	}
}

// Close closes the tables, which must not be in use. Afterwards Usable returns false for them.
func (s *TableSet) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, t := range s.open {
		errs = append(errs, t.close())
	}
	s.open, s.closed = nil, true
	return errors.Join(errs...)
}

// OpenTable is a table of a [TableSet]; nil is a table that could not be opened.
type OpenTable[T io.Closer] struct {
	Table    T
	set      *TableSet
	disabled atomic.Bool
}

// AddTable adds the table t to a set. t and err are the results of opening it. AddTable logs err, if any
// and unless the table is missing, and returns nil. If the set is closed, it closes t and returns nil.
func AddTable[T io.Closer](s *TableSet, t T, err error) *OpenTable[T] {
	if err != nil {
		s.logIgnored(err)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		t.Close()
		return nil
	}
	k := &OpenTable[T]{Table: t, set: s}
	s.open = append(s.open, k)
	return k
}

// Usable reports whether the table is open and not disabled. k may be nil.
func (k *OpenTable[T]) Usable() bool { return k != nil && !k.disabled.Load() }

// Disable marks the table as not usable, because reading it failed with err, and logs the first such
// error. The table stays open, because other goroutines may be reading it.
func (k *OpenTable[T]) Disable(err error) {
	if !k.disabled.Swap(true) {
		k.set.logIgnored(err)
	}
}

func (k *OpenTable[T]) close() error {
	k.disabled.Store(true)
	return k.Table.Close()
}

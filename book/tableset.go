package book

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"endwise/book/store"
)

// TableSet contains the tables of a store that a lookup has open. A table that cannot be
// used is logged once and ignored. TableSet is safe for concurrent use.
type TableSet struct {
	log *slog.Logger

	mu     sync.Mutex
	open   []interface{ close() error }
	closed bool
}

// NewTableSet returns an empty set that reports to log.
func NewTableSet(log *slog.Logger) *TableSet { return &TableSet{log: log} }

// Named returns the paths of the tables in a store directory whose names begin with prefix.
// It returns none if dir is "" or, after a report, unreadable.
func (s *TableSet) Named(dir, prefix string) []string {
	if dir == "" {
		return nil
	}
	paths, err := store.Named(dir, prefix)
	if err != nil {
		s.logIgnored(err)
	}
	return paths
}

// logIgnored logs why a table is not used, unless it does not exist.
func (s *TableSet) logIgnored(err error) {
	if !errors.Is(err, store.ErrMissing) {
		s.log.Warn("table ignored", "why", err)
	}
}

// Close closes the tables, which must not be in use. Afterwards none of them is usable.
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

// OpenTable is an open table of a [TableSet]. A nil OpenTable is not usable.
type OpenTable[T io.Closer] struct {
	Table    T
	set      *TableSet
	disabled atomic.Bool
}

// AddTable adds the result of opening a table to a set. It returns nil, after a report, if
// err is not nil.
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

// Usable reports whether the table may be read.
func (k *OpenTable[T]) Usable() bool { return k != nil && !k.disabled.Load() }

// Disable stops the use of a table that turned out to be damaged. The table stays open
// until Close because other readers may be using it.
func (k *OpenTable[T]) Disable(err error) {
	if !k.disabled.Swap(true) {
		k.set.logIgnored(err)
	}
}

// close closes the table, which must not be in use.
func (k *OpenTable[T]) close() error {
	k.disabled.Store(true)
	return k.Table.Close()
}

package book

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"endwise/book/store"
)

// TableSet is the tables of a store that a lookup has open. One that can't be
// used is reported once and left out. It is safe for concurrent use.
type TableSet struct {
	log *slog.Logger

	mu     sync.Mutex
	open   []interface{ close() error }
	closed bool
}

// NewTableSet returns a set without tables that reports to log.
func NewTableSet(log *slog.Logger) *TableSet { return &TableSet{log: log} }

// Named lists the tables of a store directory whose names begin with prefix;
// none where dir is "" or can't be read, which is reported.
func (s *TableSet) Named(dir, prefix string) []string {
	if dir == "" {
		return nil
	}
	paths, err := store.Named(dir, prefix)
	if err != nil {
		s.report(err)
	}
	return paths
}

// report says why a table is not used; one that is not there is no news.
func (s *TableSet) report(err error) {
	if !errors.Is(err, store.ErrMissing) {
		s.log.Warn("table left out", "why", err)
	}
}

// Close closes the tables. None may be in use; from then on none is usable.
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

// Kept is a table of a TableSet. A nil one is not usable.
type Kept[T io.Closer] struct {
	Table T
	set   *TableSet
	left  atomic.Bool // out
}

// Keep takes over what opening a table gave: nil, after a report, where that is
// an error.
func Keep[T io.Closer](s *TableSet, t T, err error) *Kept[T] {
	if err != nil {
		s.report(err)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		t.Close()
		return nil
	}
	k := &Kept[T]{Table: t, set: s}
	s.open = append(s.open, k)
	return k
}

// Usable says whether the table may be asked.
func (k *Kept[T]) Usable() bool { return k != nil && !k.left.Load() }

// LeaveOut stops the use of a table that turned out to be damaged. It stays
// open until Close, because others may be reading.
func (k *Kept[T]) LeaveOut(err error) {
	if !k.left.Swap(true) {
		k.set.report(err)
	}
}

func (k *Kept[T]) close() error {
	k.left.Store(true)
	return k.Table.Close()
}

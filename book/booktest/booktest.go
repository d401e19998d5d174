// Package booktest is what the tests of lookups and tables share: random
// positions of each game, and what to do to a store.
package booktest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

// Each calls f with the directory of each table of a store.
func Each(dir string, f func(table string) error) error {
	names, err := os.ReadDir(dir)
	for _, n := range names {
		if err == nil {
			err = f(filepath.Join(dir, n.Name()))
		}
	}
	return err
}

// Flip changes a byte every 64 from the given one on, in the first third of all
// files with such a name.
func Flip(dir, suffix string, first int) error {
	return Each(dir, func(table string) error {
		names, err := filepath.Glob(filepath.Join(table, "*"+suffix))
		if err != nil {
			return err
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for i := first; i < max(len(data)/3, first+1); i += 64 {
				data[i] ^= 0x10
			}
			if err := os.WriteFile(name, data, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sound says whether what is proved by a score is true of a value.
func Sound(score int, proof engine.Proof, value int) bool {
	switch proof {
	case engine.Exact:
		return score == value
	case engine.Lower:
		return score <= value
	case engine.Upper:
		return score >= value
	}
	return true
}

// Knows is a source that has proved something before.
type Knows []book.Claim

// Name implements book.Source.
func (Knows) Name() string { return "before" }

// Improve implements book.Source.
func (k Knows) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	q.Known.Prove(k.Name(), k...)
	return false, nil
}

// Open opens a lookup and closes it after the test.
func Open(t *testing.T, open func(book.Options) (*book.Lookup, error), o book.Options) *book.Lookup {
	t.Helper()
	l, err := open(o)
	testenv.OK(t, err)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// StopAgain runs a solve and stops it, from where it stood again and again, until
// one ends. reached gives the places to stop at, as in StopWhere, of a run after so
// many stopped ones. The test fails unless a run was stopped and a later one took
// up what it left.
func StopAgain(t *testing.T, reached func(stops int) func([]farm.Snapshot) bool, solve func(context.Context, *farm.Progress) error) {
	t.Helper()
	var kept uint64
	stops := 0
	for ; ; stops++ {
		err := StopWhere(t, reached(stops), func(ctx context.Context, p *farm.Progress) error {
			err := solve(ctx, p)
			for _, s := range p.Stages(0) {
				kept = max(kept, s.Before)
			}
			return err
		})
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if stops == 0 || kept == 0 {
		t.Errorf("%d runs were stopped, and at most %d of what they did taken up again", stops, kept)
	}
}

// StopWhere runs a solve and cancels its context as soon as the stages that it
// has begun are where reached says. It returns the solve's error.
func StopWhere(t *testing.T, reached func([]farm.Snapshot) bool, solve func(context.Context, *farm.Progress) error) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var p farm.Progress
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer cancel()
		for ctx.Err() == nil && !reached(p.Stages(0)) {
			time.Sleep(50 * time.Microsecond)
		}
	}()
	err := solve(ctx, &p)
	cancel()
	<-watched
	return err
}

// Package booktest contains helpers for the tests of lookups and tables.
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

// Each calls f with the path of each entry of dir, up to the first error, which it returns.
func Each(dir string, f func(table string) error) error {
	names, err := os.ReadDir(dir)
	for _, n := range names {
		if err == nil {
			err = f(filepath.Join(dir, n.Name()))
		}
	}
	return err
}

// Flip damages the files whose names end in suffix, in all tables of the store dir: every 64th byte
// from byte number first up to a third of the file, and at least the byte first, which must exist.
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

// Sound reports whether a score, labelled with proof, is true if value is the true value.
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

// Knows is a source that records the given claims.
type Knows []book.Claim

func (Knows) Name() string { return "before" }

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

// Solve is a solve that StopAgain and StopWhere run. It must report its stages to the progress.
type Solve = func(context.Context, *farm.Progress) error

// Reached reports whether a solve is to be stopped, given the stages begun so far.
type Reached = func([]farm.Snapshot) bool

// StopAgain runs a solve repeatedly, each time with [StopWhere], until a run is complete. reached
// returns the condition of StopWhere for the run after the given number of stops. The test fails if
// no run was stopped, or if no later run resumed the work of a stopped run.
func StopAgain(t *testing.T, reached func(stops int) Reached, solve Solve) {
	t.Helper()
	var resumed uint64 // the most work of a stage that an earlier run had done
	stops := 0
	for ; ; stops++ {
		err := StopWhere(t, reached(stops), func(ctx context.Context, p *farm.Progress) error {
			err := solve(ctx, p)
			for _, s := range p.Stages(0) {
				resumed = max(resumed, s.Before)
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
	if stops == 0 || resumed == 0 {
		t.Errorf("%d runs were stopped, and later runs resumed %d units of their work", stops, resumed)
	}
}

// StopWhere runs a solve and cancels its context when reached, which it calls repeatedly, returns
// true. It returns the error of the solve.
func StopWhere(t *testing.T, reached Reached, solve Solve) error {
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

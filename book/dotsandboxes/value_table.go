package dotsandboxes

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"endwise/engine/disk"
	"endwise/solver/dotsandboxes/exact"
	"endwise/solver/tt"
)

// keepTableEvery is how often the transposition table of a search for a value is
// written down: what a process that is killed loses of it.
var keepTableEvery = 30 * time.Minute // less in tests

// keptTable is a file with the transposition table of a search for a value, kept
// while the search is not done: without it a search that goes on works out anew what took
// few expansions and was shared by many positions (see exact.Options.Record). It is a
// line that says whose it is, and the entries, packed with zstd, whose check sum ends it.
type keptTable struct{ path, title string }

// load reads the table of an earlier run, if there is one.
func (k keptTable) load(s *exact.Solver) error {
	err := disk.RemoveUnfinished(k.path)
	if err != nil {
		return err
	}
	f, err := os.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	title := make([]byte, len(k.title)+1)
	if _, err = io.ReadFull(r, title); err == nil && string(title) != k.title+"\n" {
		err = fmt.Errorf("it begins with %q, want %q", title, k.title)
	}
	if err == nil {
		var z *zstd.Decoder
		if z, err = zstd.NewReader(r); err != nil {
			return err
		}
		defer z.Close()
		err = s.LoadTable(z)
	}
	switch {
	case errors.Is(err, tt.ErrTableSize):
		return fmt.Errorf("%s: %w: give the --hash of the run that kept it, or delete it; the journal goes on without", k.path, err)
	case err != nil:
		return fmt.Errorf("%s: %w; delete it, the journal goes on without", k.path, err)
	}
	return nil
}

// remove removes the file, which may not be there.
func (k keptTable) remove() error {
	if err := os.Remove(k.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tableKeeper writes the table of a solver at work to its file.
type tableKeeper struct {
	keptTable
	solver *exact.Solver
	stop   func()
}

// keep saves the table now and then until it is stopped. What goes wrong then shows
// when it is saved at the end.
func (k keptTable) keep(s *exact.Solver) *tableKeeper {
	quit := make(chan struct{})
	var g sync.WaitGroup
	t := &tableKeeper{k, s, func() { close(quit); g.Wait() }}
	g.Go(func() {
		tick := time.NewTicker(keepTableEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				_ = t.save()
			}
		}
	})
	return t
}

// save writes the table; searches may go on beside.
func (t *tableKeeper) save() error {
	return disk.WriteFile(t.path, 0o644, func(w io.Writer) error {
		if _, err := fmt.Fprintln(w, t.title); err != nil {
			return err
		}
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return err
		}
		return errors.Join(t.solver.SaveTable(z), z.Close())
	})
}

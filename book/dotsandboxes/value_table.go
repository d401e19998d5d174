package dotsandboxes

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"

	"endwise/engine/disk"
	"endwise/solver/dotsandboxes/exact"
)

// savedTable is the file with the transposition table of an interrupted run, which contains more results
// than the journal. It is compressed with zstd, with a checksum. Uncompressed, it contains a title line
// that names the board and the solver, followed by the words of the table ([tt.Compact]), little-endian.
type savedTable struct{ path, title string }

// load adds the results in the file to the solver's table. It does nothing if there is no file.
func (t savedTable) load(s *exact.Solver) error {
	if err := disk.RemoveUnfinished(t.path); err != nil {
		return err
	}
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return err
	}
	defer z.Close()
	title := make([]byte, len(t.title)+1)
	if _, err = io.ReadFull(z, title); err == nil && string(title) != t.title+"\n" {
		err = fmt.Errorf("it begins with %q, want %q", title, t.title)
	}
	if err == nil {
		err = s.LoadTable(z)
	}
	if disk.Unreadable(err) {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; resume with the --hash of the interrupted run, "+
			"or delete the file and continue with the journal alone", t.path, err)
	}
	return nil
}

func (t savedTable) save(s *exact.Solver) error {
	return disk.WriteFile(t.path, 0o644, func(w io.Writer) error {
		z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(z, t.title)
		if err == nil {
			err = s.SaveTable(z)
		}
		return cmp.Or(err, z.Close())
	})
}

func (t savedTable) remove() error {
	if err := os.Remove(t.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

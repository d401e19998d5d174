package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"endwise/book/store"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

// Pack writes everything in a store, and files or directories of results beside
// it, to an archive, which must not be there. An interrupted one goes on. It
// returns ErrInUse while another process writes to the store.
func Pack(ctx context.Context, dir string, results []string, file string, p *farm.Progress) (*Manifest, error) {
	all, err := units(dir)
	if err != nil {
		return nil, err
	}
	if err := outside(dir, file); err != nil {
		return nil, err
	}
	for _, r := range results {
		u := unit{path.Join(resultsDir, filepath.Base(r)), r}
		if _, err := os.Stat(r); err != nil {
			return nil, err
		}
		if !goodUnit(u.name) || slices.ContainsFunc(all, func(v unit) bool { return v.name == u.name }) {
			return nil, fmt.Errorf("%s: want results of a name of letters, digits, dot, dash or underscore that nothing else has", r)
		}
		all = append(all, u)
	}
	release, err := hold(all)
	if err != nil {
		return nil, err
	}
	defer release()
	a := &Manifest{Format: format}
	p.Begin("read", "bytes", 0, 0)
	for _, u := range all {
		one, err := u.files(ctx, p)
		if err != nil {
			return nil, err
		}
		if len(one.Files) > 0 {
			a.Units = append(a.Units, one)
		}
	}
	if len(a.Units) == 0 {
		return nil, fmt.Errorf("%s: %w: nothing to pack", dir, store.ErrMissing)
	}
	return a, a.write(ctx, file, p)
}

// ErrInside is returned where an archive would be packed into itself.
var ErrInside = errors.New("want a file outside of the store")

func outside(dir, file string) error {
	abs, err := filepath.Abs(dir)
	at, err2 := filepath.Abs(file)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if rel, err := filepath.Rel(abs, at); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("%s: %w", file, ErrInside)
	}
	return nil
}

// packPoint is where an interrupted Pack goes on.
type packPoint struct {
	Manifest string // digest
	Offset   int64  // in the file
	Files    int    // that lie before it
}

// write writes an archive under a name of its own, and renames it at the end.
func (a *Manifest) write(ctx context.Context, file string, p *farm.Progress) (err error) {
	if _, err := os.Lstat(file); err == nil {
		return &fs.PathError{Op: "pack", Path: file, Err: fs.ErrExist}
	}
	manifest, err := json.Marshal(a)
	if err != nil {
		return err
	}
	work, pointFile := file+".unfinished", file+".unfinished.point"
	f, err := os.OpenFile(work, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := disk.LockFile(f); err != nil {
		return fmt.Errorf("%s: %w", work, err)
	}
	files := a.files()
	start := packPoint{Manifest: fmt.Sprintf("%x", sha256.Sum256(manifest))}
	if data, err := os.ReadFile(pointFile); err == nil {
		var q packPoint
		if info, serr := f.Stat(); json.Unmarshal(data, &q) == nil && q.Manifest == start.Manifest && serr == nil && q.Offset <= info.Size() && q.Files <= len(files) {
			start = q
		}
	}
	if err := f.Truncate(start.Offset); err != nil {
		return err
	}
	if _, err := f.Seek(start.Offset, io.SeekStart); err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	defer enc.Close()
	tw := tar.NewWriter(enc)
	add := func(name string, size int64, r io.Reader, p *farm.Progress) error {
		enc.Reset(f)
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: size, Format: tar.FormatPAX}); err != nil {
			return err
		}
		n, err := copyAll(ctx, tw, io.LimitReader(r, size), p)
		if err == nil && n < size {
			err = fmt.Errorf("%s: changed while it was packed: pack again", name)
		}
		return errors.Join(err, tw.Flush(), enc.Close())
	}
	p.Begin("pack", "bytes", size(files[:start.Files]), a.Bytes())
	if start.Files == 0 {
		if err := add(manifestName, int64(len(manifest)), bytes.NewReader(manifest), nil); err != nil {
			return err
		}
	}
	marked := start.Offset
	for n := start.Files; n < len(files); {
		one := files[n]
		in, err := os.Open(one.from)
		if err != nil {
			return err
		}
		h := sha256.New()
		err = errors.Join(add(one.Name, one.Size, io.TeeReader(in, h), p), in.Close())
		if err == nil && hex.EncodeToString(h.Sum(nil)) != one.SHA256 {
			err = fmt.Errorf("%s: changed while it was packed: pack again", one.Name)
		}
		if err != nil {
			return err
		}
		n++
		at, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		if at-marked >= packMark {
			point, err := json.Marshal(packPoint{start.Manifest, at, n})
			if err := errors.Join(err, f.Sync(), disk.WriteFile(pointFile, 0o644, disk.Bytes(point))); err != nil {
				return err
			}
			marked = at
		}
	}
	enc.Reset(f)
	if err := errors.Join(tw.Close(), enc.Close(), f.Sync(), disk.Rename(work, file)); err != nil {
		return err
	}
	_ = os.Remove(pointFile) // what stays does no harm
	return nil
}

// Package archive carries a store to another computer: tables, finished and not,
// working books, journals and results in one file.
//
// An archive is a tar file in zstd, so that `tar --zstd` reads it, too: first
// manifestName, then all files in the order of the manifest. Every file is a
// zstd frame of its own: an interrupted Pack goes on behind the last one.
//
// What is packed are units: a table, an unfinished one, a working book, a journal
// or a file of results. A unit is in a store whole or not at all.
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
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"endwise/book/store"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

const (
	manifestName    = "endwise-pack.json"
	format          = 1
	lockName        = "lock" // of unfinished tables and working books
	maxManifest     = 64 << 20
	unpackingPrefix = "unpacking-"
	resultsDir      = "results"
	// packMark is how much is packed between two marks from which it can go on.
	packMark = 64 << 20
)

// Manifest says what is in an archive.
type Manifest struct {
	Format int    `json:"format"`
	Units  []Unit `json:"units"`
}

// Unit is what is packed as one.
type Unit struct {
	Name   string `json:"name"` // its path in the store, with slashes
	SHA256 string `json:"sha256,omitempty"`
	Files  []File `json:"files"`
}

// File is one of a unit's files.
type File struct {
	Name   string `json:"name"` // its path in the store, with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	from   string // where it lies
}

// Bytes is the size of all files of an archive.
func (a *Manifest) Bytes() (n uint64) {
	for _, u := range a.Units {
		for _, f := range u.Files {
			n += uint64(f.Size)
		}
	}
	return n
}

// The errors of archives, to be tested with errors.Is.
var (
	// ErrInUse is returned where another process works in the store.
	ErrInUse = errors.New("the store is in use")
	// ErrDamaged is returned for a file that is no sound archive.
	ErrDamaged = errors.New("not a sound archive")
)

// unit is a unit that is found in a store.
type unit struct{ name, at string }

// units lists what a store holds. What ships with the program and what processes
// leave behind is no part of it.
func units(dir string) (out []unit, err error) {
	var list func(below string, deeper ...string) error
	list = func(below string, deeper ...string) error {
		names, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(below)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, e := range names {
			name := path.Join(below, e.Name())
			switch {
			case slices.Contains(deeper, name):
				if err := list(name); err != nil {
					return err
				}
			case goodUnit(name):
				// A table may lie on another disk, behind a link.
				at, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(name)))
				if err != nil {
					return err
				}
				out = append(out, unit{name, at})
			}
		}
		return err
	}
	return out, list("", "books", resultsDir)
}

var unitName = regexp.MustCompile(`^((books|results)/)?[A-Za-z0-9_][A-Za-z0-9._ -]*$`)

// goodUnit says whether a unit may have the name.
func goodUnit(name string) bool {
	return unitName.MatchString(name) && filepath.IsLocal(filepath.FromSlash(name)) && name != "books" && name != resultsDir && name != "starter" && name != lockName &&
		!strings.HasPrefix(name, unpackingPrefix) && !strings.HasSuffix(name, ".publishing")
}

// hold locks what other processes would write to, and says who does.
func hold(all []unit) (release func(), err error) {
	var held []func()
	release = func() {
		for _, f := range held {
			f()
		}
	}
	for _, u := range all {
		var unlock func()
		if _, serr := os.Stat(filepath.Join(u.at, lockName)); serr == nil {
			unlock, err = disk.Lock(filepath.Join(u.at, lockName))
		} else if strings.HasSuffix(u.name, ".journal") {
			var f *os.File
			if f, err = os.OpenFile(u.at, os.O_RDWR, 0); err == nil {
				unlock = func() { f.Close() }
				if err = disk.LockFile(f); err != nil {
					f.Close()
				}
			}
		}
		if who := new(disk.HeldError); errors.As(err, &who) {
			err = fmt.Errorf("%w: %s, by %s: wait for it to end, or stop it", ErrInUse, u.name, who.Holder)
		}
		if err != nil {
			release()
			return nil, err
		}
		if unlock != nil {
			held = append(held, unlock)
		}
	}
	return release, nil
}

// files lists the files of a unit with their digests.
func (u unit) files(ctx context.Context, p *farm.Progress) (out Unit, err error) {
	out.Name = u.name
	if h, err := store.ReadHeader(u.at); err == nil {
		out.SHA256 = h.SHA256
	}
	err = filepath.WalkDir(u.at, func(at string, e fs.DirEntry, err error) error {
		base := e.Name()
		if err != nil || !e.Type().IsRegular() || base == lockName || strings.HasPrefix(base, ".") && strings.HasSuffix(base, ".tmp") {
			return err
		}
		rest, err := filepath.Rel(u.at, at)
		if err != nil {
			return err
		}
		f := File{Name: path.Join(u.name, filepath.ToSlash(rest)), from: at}
		if f.Size, f.SHA256, err = digest(ctx, at, p); err != nil {
			return err
		}
		out.Files = append(out.Files, f)
		return nil
	})
	return out, err
}

func digest(ctx context.Context, file string, p *farm.Progress) (size int64, sum string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	size, err = copyAll(ctx, h, f, p)
	return size, hex.EncodeToString(h.Sum(nil)), err
}

// copyAll copies until the end or the end of the context.
func copyAll(ctx context.Context, w io.Writer, r io.Reader, p *farm.Progress) (total int64, err error) {
	for {
		n, err := io.CopyN(w, r, 1<<20)
		total += n
		p.Add(uint64(n))
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return total, err
		}
	}
}

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
	sum := sha256.Sum256(manifest)
	start := packPoint{Manifest: hex.EncodeToString(sum[:])}
	if data, err := os.ReadFile(pointFile); err == nil {
		var q packPoint
		if info, serr := f.Stat(); json.Unmarshal(data, &q) == nil && q.Manifest == start.Manifest && serr == nil && q.Offset <= info.Size() {
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
	var before uint64
	marked, n := start.Offset, 0
	for _, u := range a.Units {
		for _, one := range u.Files {
			if n++; n <= start.Files {
				before += uint64(one.Size)
			}
		}
	}
	p.Begin("pack", "bytes", before, a.Bytes())
	if start.Files == 0 {
		if err := add(manifestName, int64(len(manifest)), bytes.NewReader(manifest), nil); err != nil {
			return err
		}
	}
	n = 0
	for _, u := range a.Units {
		for _, one := range u.Files {
			if n++; n <= start.Files {
				continue
			}
			err := func() error {
				in, err := os.Open(one.from)
				if err != nil {
					return err
				}
				defer in.Close()
				h := sha256.New()
				if err := add(one.Name, one.Size, io.TeeReader(in, h), p); err != nil {
					return err
				}
				if hex.EncodeToString(h.Sum(nil)) != one.SHA256 {
					return fmt.Errorf("%s: changed while it was packed: pack again", one.Name)
				}
				return nil
			}()
			if err != nil {
				return err
			}
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
	}
	enc.Reset(f)
	if err := errors.Join(tw.Close(), enc.Close(), f.Sync(), disk.Rename(work, file)); err != nil {
		return err
	}
	_ = os.Remove(pointFile) // what stays does no harm
	return nil
}

// Done says what Unpack did with a unit.
type Done struct {
	Name  string `json:"name"`
	State string `json:"state"` // added, there already or kept
	Why   string `json:"why,omitempty"`
}

// What Unpack did with a unit: put it in place, found the same there, or left
// another one alone.
const (
	Added = "added"
	There = "there already"
	Kept  = "kept"
)

// Unpack adds to a store what it lacks of an archive and never replaces what is
// there. All files are unpacked beside the store's and their digests checked
// before the first unit is put in place; stopped at any time, it goes on with
// what is unpacked. It returns ErrDamaged, with nothing put in place, and
// ErrInUse while another process writes to the store.
func Unpack(ctx context.Context, file, dir string, p *farm.Progress) (out []Done, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	broken := func(err error) error {
		return fmt.Errorf("%s: %w: %w; nothing of it was put in place", file, ErrDamaged, err)
	}
	tr := tar.NewReader(dec)
	a, sum, err := readManifest(tr)
	if err != nil {
		return nil, broken(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	have, err := units(dir)
	if err != nil {
		return nil, err
	}
	release, err := hold(have)
	if err != nil {
		return nil, err
	}
	defer release()
	work := filepath.Join(dir, unpackingPrefix+sum[:16])
	if err := os.MkdirAll(work, 0o755); err != nil {
		return nil, err
	}
	unlock, err := disk.Lock(filepath.Join(work, lockName))
	if who := new(disk.HeldError); errors.As(err, &who) {
		return nil, fmt.Errorf("%w: %s unpacks the same", ErrInUse, who.Holder)
	}
	if err != nil {
		return nil, err
	}
	defer unlock()
	for _, u := range a.Units {
		one := Done{Name: u.Name, State: Added}
		if at := filepath.Join(dir, filepath.FromSlash(u.Name)); slices.ContainsFunc(have, func(v unit) bool { return v.name == u.Name }) {
			if one.State, one.Why, err = compareUnit(ctx, unit{u.Name, at}, u); err != nil {
				return nil, err
			}
		} else if name, unfinished := strings.CutSuffix(u.Name, store.BuildingSuffix); unfinished && slices.ContainsFunc(have, func(v unit) bool { return v.name == name }) {
			one.State, one.Why = Kept, "the finished table is there"
		}
		out = append(out, one)
	}
	p.Begin("unpack", "bytes", 0, a.Bytes())
	for i, u := range a.Units {
		for _, want := range u.Files {
			h, err := tr.Next()
			if err == nil && (h.Name != want.Name || h.Size != want.Size || h.Typeflag != tar.TypeReg) {
				err = fmt.Errorf("%q of %d bytes where %q of %d belongs", h.Name, h.Size, want.Name, want.Size)
			}
			if err != nil {
				return nil, broken(cut(err))
			}
			to := filepath.Join(work, filepath.FromSlash(want.Name))
			if info, err := os.Stat(to); out[i].State != Added || err == nil && info.Size() == want.Size {
				to = "" // not wanted, or unpacked before, when its digest was compared
			}
			if err := unpackFile(ctx, tr, to, want, p); errors.Is(err, context.Canceled) || errors.As(err, new(*fs.PathError)) {
				return nil, err
			} else if err != nil {
				return nil, broken(fmt.Errorf("%s: %w", want.Name, cut(err)))
			}
		}
	}
	if _, err := tr.Next(); !errors.Is(err, io.EOF) {
		return nil, broken(errors.New("more files than its manifest lists"))
	}
	if _, err := io.Copy(io.Discard, dec); err != nil { // the checksum of the last frame
		return nil, broken(cut(err))
	}
	for i, u := range a.Units {
		if out[i].State != Added {
			continue
		}
		from, to := filepath.Join(work, filepath.FromSlash(u.Name)), filepath.Join(dir, filepath.FromSlash(u.Name))
		if _, err := os.Lstat(to); err == nil {
			out[i].State, out[i].Why = Kept, "it has come into being meanwhile"
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), disk.Rename(from, to)); err != nil {
			return nil, err
		}
	}
	return out, os.RemoveAll(work)
}

// cut says of an end that comes too early what it means.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends in the middle")
	}
	return err
}

// readManifest reads an archive's first file and checks that its names stay in
// the store. sum is its digest.
func readManifest(tr *tar.Reader) (a *Manifest, sum string, err error) {
	h, err := tr.Next()
	if err == nil && (h.Name != manifestName || h.Size > maxManifest) {
		err = fmt.Errorf("its first file is %.100q", h.Name)
	}
	if err != nil {
		return nil, "", cut(err)
	}
	data, err := io.ReadAll(tr)
	if err != nil {
		return nil, "", cut(err)
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, "", err
	}
	if a == nil || a.Format != format {
		return nil, "", fmt.Errorf("%w: this program reads archives of format %d", store.ErrForeign, format)
	}
	seen := map[string]bool{}
	for _, u := range a.Units {
		if !goodUnit(u.Name) || seen[u.Name] || len(u.Files) == 0 {
			return nil, "", fmt.Errorf("unit %.100q", u.Name)
		}
		seen[u.Name] = true
		for _, f := range u.Files {
			if name := filepath.FromSlash(f.Name); f.Name != u.Name && !strings.HasPrefix(f.Name, u.Name+"/") || path.Clean(f.Name) != f.Name || !filepath.IsLocal(name) || seen["file "+f.Name] || f.Size < 0 {
				return nil, "", fmt.Errorf("file %.100q of %d bytes", f.Name, f.Size)
			}
			seen["file "+f.Name] = true
		}
	}
	s := sha256.Sum256(data)
	return a, hex.EncodeToString(s[:]), nil
}

// compareUnit says whether a unit of the store is the packed one.
func compareUnit(ctx context.Context, have unit, packed Unit) (state, why string, err error) {
	if packed.SHA256 != "" {
		h, err := store.ReadHeader(have.at)
		switch {
		case err != nil:
			return Kept, "the one there can't be read: " + err.Error(), nil
		case h.SHA256 == packed.SHA256:
			return There, "", nil
		}
		return Kept, fmt.Sprintf("another one is there, digest %s, packed %s", h.SHA256, packed.SHA256), nil
	}
	mine, err := have.files(ctx, nil)
	if err != nil {
		return "", "", err
	}
	if slices.EqualFunc(mine.Files, packed.Files, func(x, y File) bool { return x.Name == y.Name && x.SHA256 == y.SHA256 }) {
		return There, "", nil
	}
	return Kept, "another one is there; unpack with --store OTHER to have both", nil
}

// unpackFile writes a file, "" for none, and compares its digest.
func unpackFile(ctx context.Context, r io.Reader, to string, want File, p *farm.Progress) error {
	h := sha256.New()
	read := func(w io.Writer) error {
		n, err := copyAll(ctx, io.MultiWriter(w, h), r, p)
		if err == nil && (n != want.Size || hex.EncodeToString(h.Sum(nil)) != want.SHA256) {
			err = errors.New("its bytes have another digest than the manifest says")
		}
		return err
	}
	if to == "" {
		return read(io.Discard)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := disk.RemoveUnfinished(to); err != nil {
		return err
	}
	return disk.WriteFile(to, 0o644, read)
}

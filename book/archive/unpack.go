package archive

import (
	"archive/tar"
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
	"strings"

	"github.com/klauspost/compress/zstd"

	"endwise/book/store"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

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

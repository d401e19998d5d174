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
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// files are the files of all units in their order.
func (a *Manifest) files() (out []File) {
	for _, u := range a.Units {
		out = append(out, u.Files...)
	}
	return out
}

// Bytes is the size of all files of an archive.
func (a *Manifest) Bytes() uint64 { return size(a.files()) }

func size(files []File) (n uint64) {
	for _, f := range files {
		n += uint64(f.Size)
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

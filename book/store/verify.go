package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// Verify reads the whole table and calls problem for everything that is wrong in it:
// changed files, blocks that cannot be read, a digest that differs from the header's, and
// problems that Badger's VerifyChecksum finds. The values themselves are checked by
// book.Games.CheckTable. progress, if not nil, is called with the number of blocks read.
// Verify returns an error only if the context ends.
func (t *Table) Verify(ctx context.Context, problem func(error), progress func(done, total uint64)) error {
	h := &t.header
	verifyChecksums(t.path, h.Files, problem)
	if _, err := t.blocks(); err != nil {
		problem(err)
		return nil
	}
	sum := newDigest()
	var entries, payloadBytes, damagedBlocks uint64
	unreadable := false
	for n := range h.Blocks {
		if n%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if progress != nil {
				progress(n, h.Blocks)
			}
		}
		payload, err := t.read(n)
		if err != nil {
			problem(err)
			if errors.Is(err, ErrDamaged) {
				damagedBlocks++
			} else {
				unreadable = true
			}
			continue
		}
		payloadBytes += uint64(len(payload))
		sum.Add(n, payload)
		if h.Kind == Sparse {
			v, err := h.coding().view(payload)
			if err == nil {
				err = v.each(n, func(Key, uint32) error { entries++; return nil })
			}
			if err != nil {
				problem(damaged(t.path, fmt.Sprintf("block %d: %v", n, err)))
				damagedBlocks++
			}
		}
	}
	if progress != nil {
		progress(h.Blocks, h.Blocks)
	}
	switch got := sum.String(); {
	case damagedBlocks > 0:
		problem(damaged(t.path, fmt.Sprintf("%d of %d blocks", damagedBlocks, h.Blocks)))
	case unreadable:
		return nil
	case got != h.SHA256:
		problem(damaged(t.path, fmt.Sprintf("digest %s, want %s", got, h.SHA256)))
	case payloadBytes != h.PayloadBytes:
		problem(damaged(t.path, fmt.Sprintf("%d bytes, want %d", payloadBytes, h.PayloadBytes)))
	}
	if h.Kind == Sparse && damagedBlocks == 0 && entries != h.Entries {
		problem(damaged(t.path, fmt.Sprintf("%d entries, want %d", entries, h.Entries)))
	}
	if err := t.checkFiles(); err != nil {
		problem(damaged(t.path, "Badger: "+firstLine(err.Error())))
	}
	return nil
}

// checkFiles returns the damage that Badger finds in its own files.
func (t *Table) checkFiles() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New(firstLine(fmt.Sprint(r)))
		}
	}()
	b, err := t.blocks()
	if err != nil {
		return err
	}
	return b.Check()
}

// Listing describes one directory of a store: a finished table with its header, a table
// that is being built, or one that cannot be used.
type Listing struct {
	Name   string
	Path   string
	Header *Header // nil unless finished and readable
	Err    error   // why Header is nil
	// During a build, Done of Shards shards are finished.
	Building    bool
	ShardsDone  int
	ShardsTotal int
}

// List describes everything in a store directory, sorted by name. A missing directory is
// empty.
func List(dir string) ([]Listing, error) {
	names, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Listing
	for _, e := range names {
		if !e.IsDir() {
			continue
		}
		l := Listing{Name: e.Name(), Path: filepath.Join(dir, e.Name())}
		if name, building := strings.CutSuffix(e.Name(), BuildingSuffix); building {
			l.Name, l.Building = name, true
			l.ShardsDone, l.ShardsTotal, l.Err = progressOf(l.Path)
		} else {
			l.Header, l.Err = ReadHeader(l.Path)
			if errors.Is(l.Err, ErrMissing) {
				continue // another kind of directory
			}
		}
		out = append(out, l)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// Named returns the directories of the finished tables of a store whose names begin with
// prefix, sorted by name, whether they can be used or not.
func Named(dir, prefix string) ([]string, error) {
	all, err := List(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range all {
		if !l.Building && strings.HasPrefix(l.Name, prefix) {
			out = append(out, l.Path)
		}
	}
	return out, nil
}

// progressOf returns the number of finished shards of a building directory.
func progressOf(work string) (done, total int, err error) {
	data, err := os.ReadFile(filepath.Join(work, specName))
	if err != nil {
		return 0, 0, err
	}
	var spec Spec
	if err := json.Unmarshal(data, &spec); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", filepath.Join(work, specName), err)
	}
	names, err := os.ReadDir(work)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range names {
		if strings.HasPrefix(e.Name(), "shard-") && !strings.HasSuffix(e.Name(), ".tmp") {
			done++
		}
	}
	return done, spec.Shards, nil
}

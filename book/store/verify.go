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

// Verify reads the whole table and calls problem for every difference from what was written: changed
// files, unreadable blocks, a wrong digest, and damage that Badger's VerifyChecksum finds. If another
// program has changed the table and has it open for writing, Verify only reports [ErrLocked].
// The digest is compared only if all blocks are sound. progress, if not nil, is called with the number of
// blocks read. Verify returns ctx's error or nil.
func (t *Table) Verify(ctx context.Context, problem func(error), progress func(done, total uint64)) error {
	for _, err := range changedFiles(t.path, t.header.Files) {
		problem(err)
		if errors.Is(err, ErrLocked) {
			return nil
		}
	}
	if _, err := t.blocks(); err != nil {
		problem(err)
		return nil
	}
	found, err := t.readAll(ctx, problem, progress)
	if err != nil {
		return err
	}
	switch {
	case found.damaged > 0:
		problem(damaged(t.path, fmt.Sprintf("%d of %d blocks", found.damaged, t.header.Blocks)))
	case found.unreadable:
		return nil // the table may be sound: the system did not deliver its blocks
	default:
		t.compareContents(found, problem)
	}
	if err := t.checkFiles(); err != nil {
		problem(damaged(t.path, "Badger: "+firstLine(err.Error())))
	}
	return nil
}

type contents struct {
	sha256       string // of the readable blocks
	payloadBytes uint64
	entries      uint64 // of a sparse table
	damaged      uint64 // number of damaged blocks
	unreadable   bool   // a block could not be read for another reason than damage
}

// readAll reads all blocks, and calls problem for each that is damaged or unreadable. err is ctx's.
func (t *Table) readAll(
	ctx context.Context, problem func(error), progress func(done, total uint64),
) (found contents, err error) {
	sum, total := newDigest(), t.header.Blocks
	if progress == nil {
		progress = func(done, total uint64) {}
	}
	for n := range total {
		if n%256 == 0 {
			if err := ctx.Err(); err != nil {
				return found, err
			}
			progress(n, total)
		}
		payload, err := t.read(n)
		if err != nil {
			problem(err)
			if errors.Is(err, ErrDamaged) {
				found.damaged++
			} else {
				found.unreadable = true
			}
			continue
		}
		found.payloadBytes += uint64(len(payload))
		sum.Add(n, payload)
		if t.header.Kind != Sparse {
			continue
		}
		v, err := t.header.coding().view(payload)
		if err == nil {
			err = v.each(n, func(Key, uint32) error { found.entries++; return nil })
		}
		if err != nil {
			problem(damaged(t.path, fmt.Sprintf("block %d: %v", n, err)))
			found.damaged++
		}
	}
	progress(total, total)
	found.sha256 = sum.String()
	return found, nil
}

// compareContents reports differences of found from the header. All blocks must have been readable.
func (t *Table) compareContents(found contents, problem func(error)) {
	h := &t.header
	differs := func(format string, got, want any) { problem(damaged(t.path, fmt.Sprintf(format, got, want))) }
	switch {
	case found.sha256 != h.SHA256:
		differs("digest %s, want %s", found.sha256, h.SHA256)
	case found.payloadBytes != h.PayloadBytes:
		differs("%d bytes, want %d", found.payloadBytes, h.PayloadBytes)
	}
	if h.Kind == Sparse && found.entries != h.Entries {
		differs("%d entries, want %d", found.entries, h.Entries)
	}
}

// checkFiles returns an error if [blockReader.Check] finds damage or panics.
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

// Listing describes one directory of a store: a finished table or a building directory.
type Listing struct {
	Name string // of the table
	Path string
	// Header is the header of a finished table, nil if it cannot be read.
	Header *Header
	// Err is the error of reading the header, the specification or the building directory.
	Err error
	// Building reports whether this is a building directory, with ShardsDone of ShardsTotal shards.
	Building    bool
	ShardsDone  int
	ShardsTotal int
}

// List returns the tables and building directories in the store dir, sorted by name. If the store does
// not exist, the list is empty. List returns an error if dir cannot be read.
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

// Named returns the directories of the tables in the store dir whose names begin with prefix, sorted by
// name, including tables that are damaged or do not fit this program. The error is that of [List].
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

// progressOf returns the numbers of finished and of all shards in a building directory.
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

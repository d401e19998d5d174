package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"endwise/engine/disk"
)

// Names in a building directory.
const (
	lockName    = "lock"
	finalName   = "final"   // directory of the table that Finish writes; Finish then renames it
	journalName = "journal" // file of a [Journal]
)

// Builder builds one table. The table is divided into shards; each shard is written to its
// own file, and an interrupted build resumes with the unfinished ones. A Builder is safe for
// concurrent use; a [ShardWriter] is not.
type Builder struct {
	spec   Spec
	dir    string // the store
	work   string // the building directory, dir/NAME.building
	unlock func() // unlocks work; nil after Close

	mu   sync.Mutex
	done []bool // per shard: it is finished
}

// ExistsError reports that a table is finished.
type ExistsError struct {
	Path string // the directory of the table
}

// Error implements error.
func (e *ExistsError) Error() string {
	return e.Path + ": table exists already: delete the directory to build it anew"
}

// Create starts building the table of spec in the store dir, or resumes an interrupted build.
// It returns an [ExistsError] if the table is finished, [ErrLocked] if another process is building
// it, and [ErrSpec] if the building directory belongs to another specification.
func Create(dir string, spec Spec) (*Builder, error) {
	if err := spec.complete(); err != nil {
		return nil, err
	}
	final := filepath.Join(dir, spec.Name)
	if _, err := os.Stat(final); err == nil {
		removeRemains(final + BuildingSuffix)
		return nil, &ExistsError{final}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	b := &Builder{spec: spec, dir: dir, work: final + BuildingSuffix, done: make([]bool, spec.Shards)}
	if err := disk.MkdirAll(b.work, 0o755); err != nil {
		return nil, fmt.Errorf("build %s: %w", spec.Name, err)
	}
	unlock, err := disk.Lock(filepath.Join(b.work, lockName))
	if held := new(disk.HeldError); errors.As(err, &held) {
		return nil, fmt.Errorf("build %s: %w, %s: wait for it to end, or stop it", spec.Name, ErrLocked, held.Holder)
	}
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", spec.Name, err)
	}
	b.unlock = unlock
	// Another process may have finished the table before the lock was taken.
	if _, err := os.Stat(final); err == nil {
		_ = b.discard() // a failure does no harm
		return nil, &ExistsError{final}
	}
	if err := b.resume(); err != nil {
		unlock()
		return nil, err
	}
	return b, nil
}

// LockBuilding locks the building directory dir of a table. It returns a *disk.HeldError if
// another process is building the table.
func LockBuilding(dir string) (release func(), err error) {
	return disk.Lock(filepath.Join(dir, lockName))
}

// removeRemains removes the building directory of a finished table if no process holds its
// lock. Such a directory exists if a process was killed at the end of Finish.
func removeRemains(work string) {
	if _, err := os.Stat(work); err != nil {
		return
	}
	if unlock, err := disk.Lock(filepath.Join(work, lockName)); err == nil {
		_ = os.RemoveAll(work) // a failure does no harm
		unlock()
	}
}

// resume prepares the building directory: it compares the specification, removes unfinished
// files, and records the finished shards in b.done.
func (b *Builder) resume() error {
	if err := b.compareSpec(); err != nil {
		return err
	}
	names, err := os.ReadDir(b.work)
	if err != nil {
		return err
	}
	for _, e := range names {
		path := filepath.Join(b.work, e.Name())
		var shard int
		switch n, _ := fmt.Sscanf(e.Name(), "shard-%d", &shard); {
		case e.Name() == finalName || strings.HasSuffix(e.Name(), ".tmp"):
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		case n == 1 && shard >= 0 && shard < b.spec.Shards && e.Name() == shardName(shard):
			_, err := b.readStats(shard)
			if err != nil && !errors.Is(err, ErrDamaged) {
				return err
			}
			b.done[shard] = err == nil
		}
	}
	return nil
}

// compareSpec returns [ErrSpec] if the file spec.json in the building directory differs from
// the specification. If there is no such file, compareSpec writes the file.
func (b *Builder) compareSpec() error {
	want, err := json.MarshalIndent(b.spec, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(b.work, specName)
	have, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := disk.WriteFile(path, 0o644, disk.Bytes(want)); err != nil {
			return fmt.Errorf("build %s: %w", b.spec.Name, err)
		}
	case err != nil:
		return err
	case string(have) != string(want):
		return fmt.Errorf("%s: %w: delete it to start anew", b.work, ErrSpec)
	}
	return nil
}

func shardName(shard int) string { return fmt.Sprintf("shard-%07d", shard) }

func (b *Builder) shardPath(shard int) string { return filepath.Join(b.work, shardName(shard)) }

// Spec returns the specification with Blocks and Shards set.
func (b *Builder) Spec() Spec { return b.spec }

// JournalPath returns the path for a [Journal] of the solve that computes the table. Finish
// deletes the file.
func (b *Builder) JournalPath() string { return JournalOf(b.work) }

// JournalOf returns the path of the journal in a building directory, such as Path of a [Listing].
func JournalOf(building string) string { return filepath.Join(building, journalName) }

// Done reports whether a shard is finished.
func (b *Builder) Done(shard int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done[shard]
}

// Pending returns the unfinished shards in ascending order.
func (b *Builder) Pending() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []int{}
	for i, d := range b.done {
		if !d {
			out = append(out, i)
		}
	}
	return out
}

// Close unlocks the building directory. The finished shards are kept for a later build. After
// a successful Finish, Close does nothing.
func (b *Builder) Close() {
	if b.unlock != nil {
		b.unlock()
		b.unlock = nil
	}
}

// discard deletes the building directory and calls Close.
func (b *Builder) discard() error {
	err := os.RemoveAll(b.work)
	b.Close()
	return err
}

// CreateShard returns a writer for a shard, 0..Shards-1. It returns [ErrRange] for another number,
// and an error if the shard is finished or its file cannot be created.
func (b *Builder) CreateShard(shard int) (*ShardWriter, error) {
	if shard < 0 || shard >= b.spec.Shards {
		return nil, fmt.Errorf("shard %d: %w (0..%d)", shard, ErrRange, b.spec.Shards-1)
	}
	if b.Done(shard) {
		return nil, fmt.Errorf("shard %d of %s: done already", shard, b.spec.Name)
	}
	return newShardWriter(b, shard)
}

// EachBlock calls f with the blocks of a finished shard of a dense table in order. payload is
// valid until f returns. EachBlock stops at the first error, of f or of reading, and returns this
// error. If the shard is damaged, EachBlock deletes the shard, makes it pending again and returns
// [ErrDamaged]; f may have received the first blocks before.
func (b *Builder) EachBlock(shard int, f func(block uint64, payload []byte) error) error {
	r, err := b.openShard(shard)
	if err != nil {
		return err
	}
	defer r.close()
	want, end := b.spec.ShardRange(shard)
	for ; ; want++ {
		n, payload, err := r.next()
		switch {
		case err == io.EOF && want == end:
			return nil
		case err == io.EOF:
			return r.damage(fmt.Sprintf("ends before block %d", want), nil)
		case err != nil:
			return err
		case want == end:
			return r.damage(fmt.Sprintf("block %d after the last block", n), nil)
		case n != want:
			return r.damage(fmt.Sprintf("block %d, want %d", n, want), nil)
		}
		if err := f(n, payload); err != nil {
			return err
		}
	}
}

// EachEntry calls f with the entries of a finished shard of a sparse table in the order of
// their keys, which are truncated to KeyBits. EachEntry stops at the first error, of f or of
// reading, and returns this error. If the shard is damaged, EachEntry deletes the shard, makes it
// pending again and returns [ErrDamaged]; f may have received the first entries before.
func (b *Builder) EachEntry(shard int, f func(Key, uint32) error) error {
	c, err := b.openRun(shard)
	if err != nil {
		return err
	}
	defer c.close()
	for c.more {
		if err := f(c.head.Key, c.head.Value); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// Histogram returns the numbers of positions by value that [ShardWriter.Count] counted in a
// finished shard. If the trailer of the shard file is damaged, Histogram deletes the shard, makes the
// shard pending again and returns [ErrDamaged].
func (b *Builder) Histogram(shard int) (map[int]uint64, error) {
	st, err := b.readStats(shard)
	return st.Histogram, err
}

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
	finalName   = "final"   // directory of the table before Finish renames it
	journalName = "journal" // file of a [Journal]
)

// Builder builds one table. Each shard of the table is written to its own file, and an interrupted
// build resumes with the unfinished ones. A Builder is safe for concurrent use; a [ShardWriter] is not.
type Builder struct {
	spec   Spec
	dir    string // the store
	work   string // the building directory, dir/NAME.building
	unlock func() // nil after Close

	mu   sync.Mutex
	done []bool // per shard
}

// ExistsError reports that a table is finished.
type ExistsError struct {
	Path string // the directory of the table
}

func (e *ExistsError) Error() string {
	return e.Path + ": table exists already: delete the directory to build it anew"
}

// Create starts building the table of spec in the store dir, or resumes an interrupted build. It
// returns an [ExistsError] if the table is finished, [ErrLocked] if another process is building it,
// and [ErrSpec] if the building directory belongs to another specification.
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

// LockBuilding locks the building directory dir of a table. It returns a *disk.HeldError if another
// process is building the table.
func LockBuilding(dir string) (release func(), err error) {
	return disk.Lock(filepath.Join(dir, lockName))
}

// removeRemains removes the building directory of a finished table if no process holds its lock.
func removeRemains(work string) {
	if _, err := os.Stat(work); err != nil {
		return
	}
	if unlock, err := disk.Lock(filepath.Join(work, lockName)); err == nil {
		_ = os.RemoveAll(work) // a failure does no harm
		unlock()
	}
}

// resume marks the shards in the building directory whose trailer is intact as done, and removes the others
// and unfinished files.
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

// compareSpec writes spec.json if it is missing, and returns [ErrSpec] if its specification differs.
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

func (b *Builder) Spec() Spec { return b.spec }

// JournalPath returns the path for a [Journal] of the solve that computes the table. Finish deletes it.
func (b *Builder) JournalPath() string { return JournalOf(b.work) }

// JournalOf returns the path of the journal in a building directory.
func JournalOf(building string) string { return filepath.Join(building, journalName) }

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

// Close unlocks the building directory, if it is locked. The finished shards are kept for a later build.
func (b *Builder) Close() {
	if b.unlock != nil {
		b.unlock()
		b.unlock = nil
	}
}

func (b *Builder) discard() error {
	err := os.RemoveAll(b.work)
	b.Close()
	return err
}

// CreateShard returns a writer for a shard, 0..Shards-1. It returns [ErrRange] for another number, and
// an error if the shard is finished or its file cannot be created.
func (b *Builder) CreateShard(shard int) (*ShardWriter, error) {
	if shard < 0 || shard >= b.spec.Shards {
		return nil, fmt.Errorf("shard %d: %w (0..%d)", shard, ErrRange, b.spec.Shards-1)
	}
	if b.Done(shard) {
		return nil, fmt.Errorf("shard %d of %s: done already", shard, b.spec.Name)
	}
	return newShardWriter(b, shard)
}

// EachBlock calls f with the blocks of a finished shard of a dense table in order, and stops at the
// first error. payload is valid until f returns. If the shard is damaged, EachBlock deletes it, makes
// it pending again and returns [ErrDamaged].
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

// EachEntry calls f with the entries of a finished shard of a sparse table in the order of their keys,
// which are truncated to KeyBits, and stops at the first error. If the shard is damaged, EachEntry
// deletes it, makes it pending again and returns [ErrDamaged].
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

// Histogram returns the numbers of positions by value that [ShardWriter.Count] counted in a finished
// shard. It deletes a shard with a damaged trailer, makes it pending again and returns [ErrDamaged].
func (b *Builder) Histogram(shard int) (map[int]uint64, error) {
	st, err := b.readStats(shard)
	return st.Histogram, err
}

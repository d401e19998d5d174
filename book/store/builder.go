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
	lockName  = "lock"
	finalName = "final" // the table that Finish makes, before it is renamed
	// journalName is the journal of a table whose values are solved before the first shard
	// is written.
	journalName = "journal"
)

// Builder builds one table from its shards, which are parts that are written and resumed
// separately. A Builder is safe for concurrent use; a ShardWriter is not.
type Builder struct {
	spec   Spec
	dir    string // the store
	work   string // dir/NAME.building
	unlock func()

	mu   sync.Mutex
	done []bool
}

// Create starts building the table of spec in the directory dir, or resumes an interrupted
// build. It returns [ErrExists] if the table is finished, [ErrLocked] if another process
// builds it, and [ErrSpec] if NAME.building contains parts of another specification.
func Create(dir string, spec Spec) (*Builder, error) {
	if err := spec.complete(); err != nil {
		return nil, err
	}
	final := filepath.Join(dir, spec.Name)
	exists := fmt.Errorf("%s: %w: delete the directory to build it anew", final, ErrExists)
	if _, err := os.Stat(final); err == nil {
		removeRemains(final + BuildingSuffix)
		return nil, exists
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
		return nil, exists
	}
	if err := b.resume(); err != nil {
		unlock()
		return nil, err
	}
	return b, nil
}

// LockBuilding locks the directory of a table that is being built. The error is a
// *disk.HeldError if another process builds it.
func LockBuilding(dir string) (release func(), err error) {
	return disk.Lock(filepath.Join(dir, lockName))
}

// removeRemains removes the building directory of a finished table, which a process killed
// at the end of Finish leaves, unless another process is finishing it now.
func removeRemains(work string) {
	if _, err := os.Stat(work); err != nil {
		return
	}
	if unlock, err := disk.Lock(filepath.Join(work, lockName)); err == nil {
		_ = os.RemoveAll(work) // remains do no harm
		unlock()
	}
}

// resume compares the specification, removes unfinished files and finds the finished
// shards.
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
			_, err := readShardStats(path)
			if err != nil && !errors.Is(err, ErrDamaged) {
				return err
			}
			b.done[shard] = err == nil
		}
	}
	return nil
}

// compareSpec compares the specification with the file spec.json, or writes that file in a
// new building directory.
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

// shardName returns the name of a shard's file.
func shardName(shard int) string { return fmt.Sprintf("shard-%07d", shard) }

// shardPath returns the path of a shard's file.
func (b *Builder) shardPath(shard int) string { return filepath.Join(b.work, shardName(shard)) }

// Spec returns the completed specification.
func (b *Builder) Spec() Spec { return b.spec }

// JournalPath returns the path for the journal of the table's solve. The file exists until
// the table is finished.
func (b *Builder) JournalPath() string { return filepath.Join(b.work, journalName) }

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

// Close unlocks the building directory for a later process and keeps the finished shards.
// After Finish it does nothing.
func (b *Builder) Close() {
	if b.unlock != nil {
		b.unlock()
		b.unlock = nil
	}
}

// discard deletes the building directory and closes the builder.
func (b *Builder) discard() error {
	err := os.RemoveAll(b.work)
	b.Close()
	return err
}

// CreateShard starts writing a shard. A finished shard is an error.
func (b *Builder) CreateShard(shard int) (*ShardWriter, error) {
	if shard < 0 || shard >= b.spec.Shards {
		return nil, fmt.Errorf("shard %d: %w (0..%d)", shard, ErrRange, b.spec.Shards-1)
	}
	if b.Done(shard) {
		return nil, fmt.Errorf("shard %d of %s: done already", shard, b.spec.Name)
	}
	return newShardWriter(b, shard)
}

// EachBlock calls f with the blocks of a finished shard of a dense table in order. The
// bytes are only valid during the call. A damaged shard is removed, to be written again.
func (b *Builder) EachBlock(shard int, f func(block uint64, payload []byte) error) error {
	r, err := openShard(b.shardPath(shard))
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
		case n != want:
			return r.damage(fmt.Sprintf("block %d where %d belongs", n, want), nil)
		}
		if err := f(n, payload); err != nil {
			return err
		}
	}
}

// EachEntry calls f with the entries of a finished shard of a sparse table in the order of
// their keys, which are truncated to KeyBits. A damaged shard is removed, to be written
// again.
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

// Histogram returns the counts of a finished shard's values.
func (b *Builder) Histogram(shard int) (map[int]uint64, error) {
	st, err := readShardStats(b.shardPath(shard))
	return st.Histogram, err
}

package store

import (
	"encoding/binary"
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

const (
	lockName  = "lock"
	finalName = "final"
	// journalName is the journal of a table whose values are solved before the
	// first shard is written.
	journalName = "journal"
)

// Builder takes the shards of one table. Its methods may be called from
// several goroutines; each ShardWriter belongs to one.
type Builder struct {
	spec   Spec
	dir    string // the store
	work   string // dir/NAME.building
	unlock func()

	mu   sync.Mutex
	done []bool
}

// Create starts building the table of spec in the directory dir, or takes up
// again what an earlier process left there. It returns ErrExists when the
// table is finished, ErrLocked while another process builds it, and ErrSpec
// when NAME.building holds parts of another specification.
func Create(dir string, spec Spec) (*Builder, error) {
	if err := spec.complete(); err != nil {
		return nil, err
	}
	final := filepath.Join(dir, spec.Name)
	exists := fmt.Errorf("%s: %w: delete the directory to build it anew", final, ErrExists)
	if _, err := os.Stat(final); err == nil {
		removeLeft(final + BuildingSuffix)
		return nil, exists
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	b := &Builder{spec: spec, dir: dir, work: final + BuildingSuffix, done: make([]bool, spec.Shards)}
	if err := os.MkdirAll(b.work, 0o755); err != nil {
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
	// The table may have been finished between the first look and the lock.
	if _, err := os.Stat(final); err == nil {
		_ = b.Discard() // nothing is lost with it
		return nil, exists
	}
	if err := b.takeUp(); err != nil {
		unlock()
		return nil, err
	}
	return b, nil
}

// removeLeft removes the building directory of a finished table, which a process
// leaves that is killed at the end of Finish, unless it is at that end now.
func removeLeft(work string) {
	if _, err := os.Stat(work); err != nil {
		return
	}
	if unlock, err := disk.Lock(filepath.Join(work, lockName)); err == nil {
		_ = os.RemoveAll(work) // what stays does no harm
		unlock()
	}
}

// takeUp compares the specification, removes what was not finished and finds
// the shards that were.
func (b *Builder) takeUp() error {
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
		if err := disk.SyncDir(b.dir); err != nil {
			return err
		}
	case err != nil:
		return err
	case string(have) != string(want):
		return fmt.Errorf("%s: %w: delete it to start anew", b.work, ErrSpec)
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
			if _, err := readShardStats(path); errors.Is(err, ErrDamaged) {
				if err := os.Remove(path); err != nil {
					return err
				}
			} else if err != nil {
				return err
			} else {
				b.done[shard] = true
			}
		}
	}
	return nil
}

func shardName(shard int) string { return fmt.Sprintf("shard-%07d", shard) }

func (b *Builder) shardPath(shard int) string { return filepath.Join(b.work, shardName(shard)) }

// Spec is the completed specification.
func (b *Builder) Spec() Spec { return b.spec }

// JournalPath is the file for the journal of the table's solve. It exists until the
// table is finished.
func (b *Builder) JournalPath() string { return filepath.Join(b.work, journalName) }

// Done says whether a shard is finished.
func (b *Builder) Done(shard int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.done[shard]
}

// Pending lists the shards that are still to be done, ascending.
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

// Close gives the building directory free for a later process; what was
// finished stays. After Finish it does nothing.
func (b *Builder) Close() {
	if b.unlock != nil {
		b.unlock()
		b.unlock = nil
	}
}

// Discard deletes what was built so far and closes the builder.
func (b *Builder) Discard() error {
	err := os.RemoveAll(b.work)
	b.Close()
	return err
}

// ShardWriter takes the blocks or entries of one shard, in ascending order.
// Nothing of it counts before Finish.
type ShardWriter struct {
	b     *Builder
	shard int
	file  *shardFileWriter
	path  string

	next, end uint64 // dense: blocks to come

	run     []byte // sparse: entries of the record in the making
	inRun   int
	last    Key
	started bool
}

// Shard opens a shard for writing. A shard that is done already is an error.
func (b *Builder) Shard(shard int) (*ShardWriter, error) {
	if shard < 0 || shard >= b.spec.Shards {
		return nil, fmt.Errorf("shard %d: %w (0..%d)", shard, ErrRange, b.spec.Shards-1)
	}
	if b.Done(shard) {
		return nil, fmt.Errorf("shard %d of %s: done already", shard, b.spec.Name)
	}
	path := b.shardPath(shard)
	f, err := createShardFile(path + ".tmp")
	if err != nil {
		return nil, err
	}
	w := &ShardWriter{b: b, shard: shard, file: f, path: path}
	w.next, w.end = b.spec.ShardRange(shard)
	return w, nil
}

// PutBlock writes the next block of a dense table: packed values, or opaque
// bytes. block must be the shard's next one.
func (w *ShardWriter) PutBlock(block uint64, payload []byte) error {
	s := &w.b.spec
	switch {
	case s.Kind != Dense:
		return fmt.Errorf("table %s is sparse: it takes no blocks", s.Name)
	case block != w.next || block >= w.end:
		return fmt.Errorf("shard %d of %s: got block %d, want %d of %d", w.shard, s.Name, block, w.next, w.end)
	case len(payload) > maxBlockBytes:
		return fmt.Errorf("block %d of %s: %d bytes, at most %d", block, s.Name, len(payload), maxBlockBytes)
	}
	if err := s.checkLen(block, payload); err != nil {
		return fmt.Errorf("block %d of %s: %w", block, s.Name, err)
	}
	w.next++
	w.file.stats.Records++
	return w.file.put(block, payload)
}

// Put writes an entry of a sparse table. Within a shard the keys ascend;
// between shards they may overlap.
func (w *ShardWriter) Put(key Key, value uint32) error {
	s := &w.b.spec
	if s.Kind != Sparse {
		return fmt.Errorf("table %s is dense: it takes no keys", s.Name)
	}
	key = key.truncate(s.KeyBits)
	if w.started && !w.last.less(key) {
		if w.last == key {
			return fmt.Errorf("table %s: %w in their first %d bits: raise KeyBits", s.Name, ErrCollision, s.KeyBits)
		}
		return fmt.Errorf("shard %d of %s: keys do not ascend", w.shard, s.Name)
	}
	if s.ValueBits < 32 && value>>s.ValueBits != 0 {
		return fmt.Errorf("shard %d of %s: value %d does not fit %d bits", w.shard, s.Name, value, s.ValueBits)
	}
	w.last, w.started = key, true
	w.file.stats.Entries++
	w.run = binary.BigEndian.AppendUint64(w.run, key.Hi)
	if s.KeyBits > 64 {
		w.run = binary.BigEndian.AppendUint64(w.run, key.Lo)
	}
	w.run = binary.BigEndian.AppendUint32(w.run, value)
	if w.inRun++; w.inRun == runEntries {
		return w.flushRun()
	}
	return nil
}

func (w *ShardWriter) flushRun() error {
	if w.inRun == 0 {
		return nil
	}
	err := w.file.put(w.file.stats.Records, w.run)
	w.file.stats.Records++
	w.run, w.inRun = w.run[:0], 0
	return err
}

// Count adds n positions of a value to the shard's statistics. Only what is
// counted here appears as Positions and Histogram in the header.
func (w *ShardWriter) Count(value int, n uint64) {
	if n != 0 {
		w.file.stats.Histogram[value] += n
		w.file.stats.Positions += n
	}
}

// Finish brings the shard to the disk and marks it as done.
func (w *ShardWriter) Finish() error {
	if w.b.spec.Kind == Dense && w.next != w.end {
		w.Abort()
		return fmt.Errorf("shard %d of %s: ends before block %d of %d", w.shard, w.b.spec.Name, w.next, w.end)
	}
	err := w.flushRun()
	if err == nil {
		err = w.file.finish()
	}
	if err == nil {
		err = disk.Rename(w.path+".tmp", w.path)
	}
	if err != nil {
		w.Abort()
		return fmt.Errorf("shard %d of %s: %w", w.shard, w.b.spec.Name, err)
	}
	w.b.mu.Lock()
	w.b.done[w.shard] = true
	w.b.mu.Unlock()
	return nil
}

// Abort drops the shard.
func (w *ShardWriter) Abort() { w.file.abandon() }

// EachBlock reads a finished shard of a dense table back, in order. The bytes
// are valid during the call only. A damaged shard is removed, to be done
// again.
func (b *Builder) EachBlock(shard int, f func(block uint64, payload []byte) error) error {
	r, err := openShardFile(b.shardPath(shard))
	if err != nil {
		return removeDamaged(b.shardPath(shard), err)
	}
	defer r.close()
	want, end := b.spec.ShardRange(shard)
	for {
		n, payload, err := r.next()
		if err == io.EOF {
			break
		}
		if err == nil && n != want {
			err = r.damage(fmt.Sprintf("block %d where %d belongs", n, want))
		}
		if err != nil {
			return removeDamaged(b.shardPath(shard), err)
		}
		if err := f(n, payload); err != nil {
			return err
		}
		want++
	}
	if want != end {
		return removeDamaged(b.shardPath(shard), r.damage(fmt.Sprintf("ends before block %d", want)))
	}
	return nil
}

// EachEntry reads a finished shard of a sparse table back, in order of the
// keys, which are cut to KeyBits. A damaged shard is removed, to be done again.
func (b *Builder) EachEntry(shard int, f func(Key, uint32) error) error {
	c, err := b.openRun(shard)
	if err != nil {
		return removeDamaged(b.shardPath(shard), err)
	}
	defer c.close()
	for c.more {
		if err := f(c.head.Key, c.head.Value); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return removeDamaged(b.shardPath(shard), err)
		}
	}
	return nil
}

// runCursor walks through the sorted entries of a shard.
type runCursor struct {
	*shardFileReader
	records uint64
	rest    []byte
	entry   int // bytes an entry
	head    entry
	more    bool // head is an entry, and not what was behind the last one
}

// openRun opens a shard at its first entry.
func (b *Builder) openRun(shard int) (*runCursor, error) {
	r, err := openShardFile(b.shardPath(shard))
	if err != nil {
		return nil, err
	}
	c := &runCursor{shardFileReader: r, entry: 12, more: true}
	if b.spec.KeyBits > 64 {
		c.entry = 20
	}
	if err := c.next(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// next moves to the next entry.
func (c *runCursor) next() error {
	before, first := c.head.Key, c.records == 0
	if len(c.rest) == 0 {
		n, payload, err := c.shardFileReader.next()
		if err == io.EOF {
			c.more = false
			return nil
		}
		if err != nil {
			return err
		}
		if n != c.records || len(payload)%c.entry != 0 || len(payload) == 0 {
			return c.damage(fmt.Sprintf("record %d", n))
		}
		c.records++
		c.rest = payload
	}
	c.head.Key.Hi = binary.BigEndian.Uint64(c.rest)
	if c.entry == 20 {
		c.head.Key.Lo = binary.BigEndian.Uint64(c.rest[8:])
	}
	c.head.Value = binary.BigEndian.Uint32(c.rest[c.entry-4:])
	c.rest = c.rest[c.entry:]
	if !first && !before.less(c.head.Key) {
		return c.damage("keys do not ascend")
	}
	return nil
}

// Histogram is what was counted of a finished shard's values.
func (b *Builder) Histogram(shard int) (map[int]uint64, error) {
	st, err := readShardStats(b.shardPath(shard))
	if err != nil {
		return nil, removeDamaged(b.shardPath(shard), err)
	}
	return st.Histogram, nil
}

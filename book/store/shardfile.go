package store

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"endwise/engine/disk"
)

// A shard file is
//
// 	8 bytes  "EWSHARD1"
// 	records  each: uint64 number, uint32 n, uint32 CRC-32C (blockCRC), n bytes
// 	trailer  a record with the number trailerNumber and shardStats as JSON
// 	uint32   the length of the JSON
// 	4 bytes  "EWSE"
//
// These numbers are little-endian. A record of a dense table contains a block, and its number is the
// number of the block. A record of a sparse table contains up to runEntries entries; the records are
// numbered from 0. An entry consists of the first 8 or 16 bytes of the key and a uint32 value,
// big-endian; entries are sorted by key.

const (
	shardMagic    = "EWSHARD1"
	shardEnd      = "EWSE"
	trailerNumber = ^uint64(0)
	recordHead    = 16 // bytes of a record before its content
	runEntries    = 4096
)

type shardStats struct {
	Records   uint64         `json:"records"`
	Entries   uint64         `json:"entries,omitempty"` // of a sparse table
	Positions uint64         `json:"positions"`         // counted by ShardWriter.Count
	Histogram map[int]uint64 `json:"histogram"`         // Positions by value
}

// ShardWriter writes one shard of a table: the blocks of a dense table with PutBlock, or the entries
// of a sparse table with Put. The caller must call Finish or Abort.
type ShardWriter struct {
	b     *Builder
	shard int
	f     *os.File
	w     *bufio.Writer // Flush returns the first error of earlier writes
	stats shardStats

	next, end uint64 // dense: the next block, and the end of the shard's blocks

	run  []byte // sparse: entries of the current record
	last Key    // sparse: key of the last entry
}

func newShardWriter(b *Builder, shard int) (*ShardWriter, error) {
	f, err := os.Create(b.shardPath(shard) + ".tmp")
	if err != nil {
		return nil, err
	}
	w := &ShardWriter{b: b, shard: shard, f: f, w: bufio.NewWriterSize(f, 1<<18), stats: shardStats{Histogram: map[int]uint64{}}}
	w.next, w.end = b.spec.ShardRange(shard)
	w.w.WriteString(shardMagic)
	return w, nil
}

func (w *ShardWriter) writeRecord(number uint64, payload []byte) error {
	var head [recordHead]byte
	binary.LittleEndian.PutUint64(head[:], number)
	binary.LittleEndian.PutUint32(head[8:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[12:], blockCRC(number, payload))
	w.w.Write(head[:])
	_, err := w.w.Write(payload)
	return err
}

// PutBlock writes a block of a dense table, in order from the shard's first block on
// ([Spec.ShardRange]). It returns an error if the number or the length of the block is wrong.
func (w *ShardWriter) PutBlock(block uint64, payload []byte) error {
	s := &w.b.spec
	switch {
	case s.Kind != Dense:
		return fmt.Errorf("table %s is sparse: it takes no blocks", s.Name)
	case w.next == w.end:
		return fmt.Errorf("shard %d of %s: got block %d after the last block of the shard", w.shard, s.Name, block)
	case block != w.next:
		return fmt.Errorf("shard %d of %s: got block %d, want %d", w.shard, s.Name, block, w.next)
	case len(payload) > maxBlockBytes:
		return fmt.Errorf("block %d of %s: %d bytes, at most %d", block, s.Name, len(payload), maxBlockBytes)
	}
	if err := s.checkLen(block, payload); err != nil {
		return fmt.Errorf("block %d of %s: %w", block, s.Name, err)
	}
	w.next++
	w.stats.Records++
	return w.writeRecord(block, payload)
}

// Put writes an entry of a sparse table; the key is truncated to KeyBits. Keys must ascend within a
// shard, and Put returns [ErrCollision] for a key equal to the previous one. Put also returns an error
// if value has more than ValueBits bits.
func (w *ShardWriter) Put(key Key, value uint32) error {
	s := &w.b.spec
	if s.Kind != Sparse {
		return fmt.Errorf("table %s is dense: it takes no keys", s.Name)
	}
	key = key.truncate(s.KeyBits)
	if w.stats.Entries > 0 && w.last.compare(key) >= 0 {
		if w.last == key {
			return fmt.Errorf("table %s: %w: their first %d bits are equal: raise KeyBits", s.Name, ErrCollision, s.KeyBits)
		}
		return fmt.Errorf("shard %d of %s: keys do not ascend", w.shard, s.Name)
	}
	if s.ValueBits < 32 && value>>s.ValueBits != 0 {
		return fmt.Errorf("shard %d of %s: value %d does not fit %d bits", w.shard, s.Name, value, s.ValueBits)
	}
	w.last = key
	w.stats.Entries++
	w.run = binary.BigEndian.AppendUint64(w.run, key.Hi)
	if s.KeyBits > 64 {
		w.run = binary.BigEndian.AppendUint64(w.run, key.Lo)
	}
	w.run = binary.BigEndian.AppendUint32(w.run, value)
	if w.stats.Entries%runEntries == 0 {
		return w.flushRun()
	}
	return nil
}

func (w *ShardWriter) flushRun() error {
	if len(w.run) == 0 {
		return nil
	}
	err := w.writeRecord(w.stats.Records, w.run)
	w.stats.Records++
	w.run = w.run[:0]
	return err
}

// Count adds n positions with the given value to the shard's statistics, which become Positions, Counts
// and Histogram of the table's [Header].
func (w *ShardWriter) Count(value int, n uint64) {
	if n != 0 {
		w.stats.Histogram[value] += n
		w.stats.Positions += n
	}
}

// Finish completes the shard file and marks the shard as finished. If Finish returns an error, the
// shard is discarded and remains pending. The writer must not be used afterwards.
func (w *ShardWriter) Finish() error {
	if err := w.complete(); err != nil {
		w.Abort()
		os.Remove(w.b.shardPath(w.shard)) // exists if only the sync of its directory entry failed
		return fmt.Errorf("shard %d of %s: %w", w.shard, w.b.spec.Name, err)
	}
	w.b.mu.Lock()
	w.b.done[w.shard] = true
	w.b.mu.Unlock()
	return nil
}

// complete writes what is missing of the file, and gives it its final name when it is on disk.
func (w *ShardWriter) complete() error {
	if w.b.spec.Kind == Dense && w.next != w.end {
		return fmt.Errorf("ends before block %d; its last block is %d", w.next, w.end-1)
	}
	w.flushRun()
	trailer, err := json.Marshal(w.stats)
	if err != nil {
		return err
	}
	w.writeRecord(trailerNumber, trailer)
	w.w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(trailer))))
	w.w.WriteString(shardEnd)
	if err := cmp.Or(w.w.Flush(), w.f.Sync(), w.f.Close()); err != nil {
		return err
	}
	return disk.Rename(w.f.Name(), w.b.shardPath(w.shard))
}

// Abort discards the shard, which remains pending.
func (w *ShardWriter) Abort() {
	w.f.Close()
	os.Remove(w.f.Name())
}

// readStats returns the statistics of a finished shard. If the trailer is damaged, it discards the
// shard and returns [ErrDamaged].
func (b *Builder) readStats(shard int) (shardStats, error) {
	var st shardStats
	f, err := os.Open(b.shardPath(shard))
	if err != nil {
		return st, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return st, err
	}
	var tail [8]byte
	if info.Size() < int64(len(shardMagic)+recordHead+len(tail)) {
		return st, b.discardShard(shard, "too short")
	}
	if _, err := f.ReadAt(tail[:], info.Size()-8); err != nil {
		return st, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	start := info.Size() - 8 - n - recordHead
	if string(tail[4:]) != shardEnd || start < int64(len(shardMagic)) {
		return st, b.discardShard(shard, "no trailer")
	}
	rec := make([]byte, recordHead+n)
	if _, err := f.ReadAt(rec, start); err != nil {
		return st, err
	}
	number, payload := binary.LittleEndian.Uint64(rec), rec[recordHead:]
	if number != trailerNumber || binary.LittleEndian.Uint32(rec[12:]) != blockCRC(number, payload) {
		return st, b.discardShard(shard, "wrong checksum or number of the trailer")
	}
	if err := json.Unmarshal(payload, &st); err != nil {
		return st, b.discardShard(shard, "trailer: "+err.Error())
	}
	return st, nil
}

type shardReader struct {
	b     *Builder
	shard int
	f     *os.File
	r     *bufio.Reader
	buf   []byte // bytes of the current record
}

func (b *Builder) openShard(shard int) (*shardReader, error) {
	f, err := os.Open(b.shardPath(shard))
	if err != nil {
		return nil, err
	}
	r := &shardReader{b: b, shard: shard, f: f, r: bufio.NewReaderSize(f, 1<<16)}
	var magic [len(shardMagic)]byte
	if _, err := io.ReadFull(r.r, magic[:]); err != nil || string(magic[:]) != shardMagic {
		f.Close()
		return nil, r.damage("not a shard file", err)
	}
	return r, nil
}

// next returns the next record, valid until the following call, or io.EOF at the trailer.
func (r *shardReader) next() (number uint64, payload []byte, err error) {
	var head [recordHead]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return 0, nil, r.damage("cut off", err)
	}
	number = binary.LittleEndian.Uint64(head[:])
	n := binary.LittleEndian.Uint32(head[8:])
	if number == trailerNumber {
		return 0, nil, io.EOF
	}
	if n > maxBlockBytes {
		return 0, nil, r.damage(fmt.Sprintf("record of %d bytes", n), nil)
	}
	if cap(r.buf) < int(n) {
		r.buf = make([]byte, max(int(n), 1<<16))
	}
	payload = r.buf[:n]
	if _, err := io.ReadFull(r.r, payload); err != nil {
		return 0, nil, r.damage("cut off", err)
	}
	if blockCRC(number, payload) != binary.LittleEndian.Uint32(head[12:]) {
		return 0, nil, r.damage(fmt.Sprintf("record %d: wrong checksum", number), nil)
	}
	return number, payload, nil
}

// damage returns cause, which may be nil, if it says that the disk could not be read. Otherwise damage
// discards the shard and returns [ErrDamaged].
func (r *shardReader) damage(fault string, cause error) error {
	if disk.Unreadable(cause) {
		return cause
	}
	return r.b.discardShard(r.shard, fault)
}

func (r *shardReader) close() { r.f.Close() }

// discardShard deletes a damaged shard file, makes the shard pending again and returns [ErrDamaged].
func (b *Builder) discardShard(shard int, fault string) error {
	b.mu.Lock()
	b.done[shard] = false
	b.mu.Unlock()
	path := b.shardPath(shard)
	err := fmt.Errorf("%w: %s: %s", ErrDamaged, path, fault)
	if os.Remove(path) != nil {
		return err
	}
	return fmt.Errorf("%w; the shard was removed, run the same command again to redo it", err)
}

type runCursor struct {
	*shardReader
	records    uint64 // number of records read
	unread     []byte // entries of the current record after head
	entryBytes int
	head       entry // current entry
	more       bool  // head is valid
}

// openRun opens a finished shard of a sparse table at its first entry, if it has any.
func (b *Builder) openRun(shard int) (*runCursor, error) {
	r, err := b.openShard(shard)
	if err != nil {
		return nil, err
	}
	c := &runCursor{shardReader: r, entryBytes: 12, more: true}
	if b.spec.KeyBits > 64 {
		c.entryBytes = 20
	}
	if err := c.next(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// next moves to the next entry. At the end of the shard it sets more to false.
func (c *runCursor) next() error {
	before, first := c.head.Key, c.records == 0
	if len(c.unread) == 0 {
		n, payload, err := c.shardReader.next()
		if err == io.EOF {
			c.more = false
			return nil
		}
		if err != nil {
			return err
		}
		if n != c.records || len(payload)%c.entryBytes != 0 || len(payload) == 0 {
			return c.damage(fmt.Sprintf("record %d of %d bytes, want record %d of %d-byte entries", n, len(payload), c.records, c.entryBytes), nil)
		}
		c.records++
		c.unread = payload
	}
	c.head.Key.Hi = binary.BigEndian.Uint64(c.unread)
	if c.entryBytes == 20 {
		c.head.Key.Lo = binary.BigEndian.Uint64(c.unread[8:])
	}
	c.head.Value = binary.BigEndian.Uint32(c.unread[c.entryBytes-4:])
	c.unread = c.unread[c.entryBytes:]
	if !first && before.compare(c.head.Key) >= 0 {
		return c.damage("keys do not ascend", nil)
	}
	return nil
}

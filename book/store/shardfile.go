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
// 	records  uint64 number, uint32 length, uint32 CRC-32C, bytes
// 	trailer  a record with the number trailerNumber that contains shardStats as JSON
// 	4 bytes  the trailer's length
// 	4 bytes  "EWSE"
//
// All numbers are little-endian. In a dense table a record is a block with its number; in a
// sparse one it contains up to runEntries sorted entries, and the numbers count from 0. The
// CRC covers number and bytes.

const (
	shardMagic    = "EWSHARD1"
	shardEnd      = "EWSE"
	trailerNumber = ^uint64(0)
	recordHead    = 16
	runEntries    = 4096
)

// shardStats are the statistics of a shard.
type shardStats struct {
	Records   uint64         `json:"records"`
	Entries   uint64         `json:"entries,omitempty"` // sparse
	Positions uint64         `json:"positions"`
	Histogram map[int]uint64 `json:"histogram"`
}

// ShardWriter writes the blocks or entries of one shard in ascending order. The shard
// counts only after Finish.
type ShardWriter struct {
	b     *Builder
	shard int
	f     *os.File
	w     *bufio.Writer // Flush returns earlier errors
	stats shardStats

	next, end uint64 // dense: remaining blocks

	run  []byte // sparse: entries of the current record
	last Key    // sparse: key of the last entry
}

// newShardWriter creates the temporary file of a shard.
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

// writeRecord writes a record.
func (w *ShardWriter) writeRecord(number uint64, payload []byte) error {
	var head [recordHead]byte
	binary.LittleEndian.PutUint64(head[:], number)
	binary.LittleEndian.PutUint32(head[8:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[12:], blockCRC(number, payload))
	w.w.Write(head[:])
	_, err := w.w.Write(payload)
	return err
}

// PutBlock writes the next block of a dense table: packed values, or opaque bytes. block
// must be the shard's next one.
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
	w.stats.Records++
	return w.writeRecord(block, payload)
}

// Put writes an entry of a sparse table. Within a shard the keys ascend; different shards
// may overlap.
func (w *ShardWriter) Put(key Key, value uint32) error {
	s := &w.b.spec
	if s.Kind != Sparse {
		return fmt.Errorf("table %s is dense: it takes no keys", s.Name)
	}
	key = key.truncate(s.KeyBits)
	if w.stats.Entries > 0 && !w.last.less(key) {
		if w.last == key {
			return fmt.Errorf("table %s: %w in their first %d bits: raise KeyBits", s.Name, ErrCollision, s.KeyBits)
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

// flushRun writes the entries of the current record.
func (w *ShardWriter) flushRun() error {
	if len(w.run) == 0 {
		return nil
	}
	err := w.writeRecord(w.stats.Records, w.run)
	w.stats.Records++
	w.run = w.run[:0]
	return err
}

// Count adds n positions of a value to the shard's statistics. Positions and Histogram of
// the header contain only what is counted here.
func (w *ShardWriter) Count(value int, n uint64) {
	if n != 0 {
		w.stats.Histogram[value] += n
		w.stats.Positions += n
	}
}

// Finish syncs the shard and marks it as done.
func (w *ShardWriter) Finish() error {
	if err := w.complete(); err != nil {
		w.Abort()
		return fmt.Errorf("shard %d of %s: %w", w.shard, w.b.spec.Name, err)
	}
	w.b.mu.Lock()
	w.b.done[w.shard] = true
	w.b.mu.Unlock()
	return nil
}

// complete writes the trailer and renames the file to its final name.
func (w *ShardWriter) complete() error {
	if w.b.spec.Kind == Dense && w.next != w.end {
		return fmt.Errorf("ends before block %d of %d", w.next, w.end)
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

// Abort discards the shard.
func (w *ShardWriter) Abort() {
	w.f.Close()
	os.Remove(w.f.Name())
}

// readShardStats reads the trailer of a finished shard file.
func readShardStats(path string) (shardStats, error) {
	var st shardStats
	f, err := os.Open(path)
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
		return st, damagedShard(path, "too short")
	}
	if _, err := f.ReadAt(tail[:], info.Size()-8); err != nil {
		return st, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	start := info.Size() - 8 - n - recordHead
	if string(tail[4:]) != shardEnd || start < int64(len(shardMagic)) {
		return st, damagedShard(path, "no trailer")
	}
	rec := make([]byte, recordHead+n)
	if _, err := f.ReadAt(rec, start); err != nil {
		return st, err
	}
	number, payload := binary.LittleEndian.Uint64(rec), rec[recordHead:]
	if number != trailerNumber || binary.LittleEndian.Uint32(rec[12:]) != blockCRC(number, payload) {
		return st, damagedShard(path, "trailer")
	}
	if err := json.Unmarshal(payload, &st); err != nil {
		return st, damagedShard(path, "trailer: "+err.Error())
	}
	return st, nil
}

// shardReader reads the records of a shard file.
type shardReader struct {
	f   *os.File
	r   *bufio.Reader
	buf []byte // bytes of the current record
}

// openShard opens a shard file at its first record.
func openShard(path string) (*shardReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &shardReader{f: f, r: bufio.NewReaderSize(f, 1<<16)}
	var magic [len(shardMagic)]byte
	if _, err := io.ReadFull(r.r, magic[:]); err != nil || string(magic[:]) != shardMagic {
		f.Close()
		return nil, r.damage("not a shard file", err)
	}
	return r, nil
}

// next returns the next record; its bytes are valid until the following call. It returns
// io.EOF at the trailer.
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
		return 0, nil, r.damage(fmt.Sprintf("record %d: checksum", number), nil)
	}
	return number, payload, nil
}

// damage returns the error for a shard with wrong bytes, unless it could not be read
// because of cause, which may be nil.
func (r *shardReader) damage(what string, cause error) error {
	if disk.Unreadable(cause) {
		return cause
	}
	return damagedShard(r.f.Name(), what)
}

// close closes the file.
func (r *shardReader) close() { r.f.Close() }

// damagedShard deletes a damaged shard file, so that the next run writes it again.
func damagedShard(path, what string) error {
	err := fmt.Errorf("%w: %s: %s", ErrDamaged, path, what)
	if os.Remove(path) != nil {
		return err
	}
	return fmt.Errorf("%w; the shard was removed, run the same command again to redo it", err)
}

// runCursor iterates over the sorted entries of a shard.
type runCursor struct {
	*shardReader
	records    uint64 // number of records read
	rest       []byte // entries of the current record after head
	entryBytes int
	head       entry // current entry
	more       bool  // head is valid
}

// openRun opens a shard at its first entry.
func (b *Builder) openRun(shard int) (*runCursor, error) {
	r, err := openShard(b.shardPath(shard))
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

// next moves to the next entry.
func (c *runCursor) next() error {
	before, first := c.head.Key, c.records == 0
	if len(c.rest) == 0 {
		n, payload, err := c.shardReader.next()
		if err == io.EOF {
			c.more = false
			return nil
		}
		if err != nil {
			return err
		}
		if n != c.records || len(payload)%c.entryBytes != 0 || len(payload) == 0 {
			return c.damage(fmt.Sprintf("record %d", n), nil)
		}
		c.records++
		c.rest = payload
	}
	c.head.Key.Hi = binary.BigEndian.Uint64(c.rest)
	if c.entryBytes == 20 {
		c.head.Key.Lo = binary.BigEndian.Uint64(c.rest[8:])
	}
	c.head.Value = binary.BigEndian.Uint32(c.rest[c.entryBytes-4:])
	c.rest = c.rest[c.entryBytes:]
	if !first && !before.less(c.head.Key) {
		return c.damage("keys do not ascend", nil)
	}
	return nil
}

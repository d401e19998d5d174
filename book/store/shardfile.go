package store

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A shard file is
//
//	8 bytes  "EWSHARD1"
//	records  uint64 number, uint32 length, uint32 CRC-32C, bytes
//	trailer  a record with the number trailerNumber holding shardStats as JSON
//	4 bytes  the trailer's length
//	4 bytes  "EWSE"
//
// all little-endian. In a dense table a record is a block under its number; in
// a sparse one it holds up to runEntries sorted entries and the numbers count
// up from 0. The CRC covers number and bytes.

const (
	shardMagic    = "EWSHARD1"
	shardEnd      = "EWSE"
	trailerNumber = ^uint64(0)
	recordHead    = 16
	runEntries    = 4096
)

// shardStats is what a shard knows about itself.
type shardStats struct {
	Records   uint64         `json:"records"`
	Entries   uint64         `json:"entries,omitempty"` // sparse
	Positions uint64         `json:"positions"`
	Histogram map[int]uint64 `json:"histogram"`
}

type shardFileWriter struct {
	f     *os.File
	w     *bufio.Writer
	stats shardStats
}

func createShardFile(path string) (*shardFileWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	w := &shardFileWriter{f: f, w: bufio.NewWriterSize(f, 1<<18), stats: shardStats{Histogram: map[int]uint64{}}}
	w.w.WriteString(shardMagic) // a failure shows in finish
	return w, nil
}

func (w *shardFileWriter) put(number uint64, payload []byte) error {
	var head [recordHead]byte
	binary.LittleEndian.PutUint64(head[:], number)
	binary.LittleEndian.PutUint32(head[8:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(head[12:], blockCRC(number, payload))
	if _, err := w.w.Write(head[:]); err != nil {
		return err
	}
	_, err := w.w.Write(payload)
	return err
}

// finish writes the trailer and brings everything to the disk.
func (w *shardFileWriter) finish() error {
	trailer, err := json.Marshal(w.stats)
	if err == nil {
		err = w.put(trailerNumber, trailer)
	}
	if err == nil {
		_, err = w.w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(trailer))))
	}
	if err == nil {
		_, err = w.w.WriteString(shardEnd)
	}
	if err == nil {
		err = w.w.Flush()
	}
	if err == nil {
		err = w.f.Sync()
	}
	if cerr := w.f.Close(); err == nil {
		err = cerr
	}
	return err
}

func (w *shardFileWriter) abandon() {
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
		return st, fmt.Errorf("%w: too short", ErrDamaged)
	}
	if _, err := f.ReadAt(tail[:], info.Size()-8); err != nil {
		return st, err
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	start := info.Size() - 8 - n - recordHead
	if string(tail[4:]) != shardEnd || start < int64(len(shardMagic)) {
		return st, fmt.Errorf("%w: no trailer", ErrDamaged)
	}
	rec := make([]byte, recordHead+n)
	if _, err := f.ReadAt(rec, start); err != nil {
		return st, err
	}
	number, payload := binary.LittleEndian.Uint64(rec), rec[recordHead:]
	if number != trailerNumber || binary.LittleEndian.Uint32(rec[12:]) != blockCRC(number, payload) {
		return st, fmt.Errorf("%w: trailer", ErrDamaged)
	}
	if err := json.Unmarshal(payload, &st); err != nil {
		return st, fmt.Errorf("%w: trailer: %w", ErrDamaged, err)
	}
	return st, nil
}

type shardFileReader struct {
	f   *os.File
	r   *bufio.Reader
	buf []byte
}

func openShardFile(path string) (*shardFileReader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &shardFileReader{f: f, r: bufio.NewReaderSize(f, 1<<16)}
	var magic [len(shardMagic)]byte
	if _, err := io.ReadFull(r.r, magic[:]); err != nil || string(magic[:]) != shardMagic {
		f.Close()
		return nil, fmt.Errorf("%w: %s: not a shard file", ErrDamaged, path)
	}
	return r, nil
}

// next gives the next record; its bytes are valid until the following call.
// It returns io.EOF at the trailer.
func (r *shardFileReader) next() (number uint64, payload []byte, err error) {
	var head [recordHead]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		return 0, nil, r.damage("cut off")
	}
	number = binary.LittleEndian.Uint64(head[:])
	n := binary.LittleEndian.Uint32(head[8:])
	if number == trailerNumber {
		return 0, nil, io.EOF
	}
	if n > maxBlockBytes {
		return 0, nil, r.damage(fmt.Sprintf("record of %d bytes", n))
	}
	if cap(r.buf) < int(n) {
		r.buf = make([]byte, max(int(n), 1<<16))
	}
	payload = r.buf[:n]
	if _, err := io.ReadFull(r.r, payload); err != nil {
		return 0, nil, r.damage("cut off")
	}
	if blockCRC(number, payload) != binary.LittleEndian.Uint32(head[12:]) {
		return 0, nil, r.damage(fmt.Sprintf("record %d: checksum", number))
	}
	return number, payload, nil
}

func (r *shardFileReader) damage(what string) error {
	return fmt.Errorf("%w: %s: %s", ErrDamaged, r.f.Name(), what)
}

func (r *shardFileReader) close() { r.f.Close() }

// removeDamaged deletes a shard file that turned out to be damaged, so that
// the next run works it out again.
func removeDamaged(path string, err error) error {
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	if rerr := os.Remove(path); rerr != nil {
		return err
	}
	return fmt.Errorf("%w; the shard was removed, run the same command again to redo it", err)
}

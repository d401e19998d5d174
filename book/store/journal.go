package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"endwise/engine/disk"
)

// Journal is a file of records of the same size that survives its process. It begins with a
// title line that identifies the work, followed by frames:
//
//	uint32   length of the payload, big-endian
//	uint32   CRC-32C of the payload, big-endian
//	payload  records
//
// Opening the journal again drops an incomplete frame and everything after it. After a
// failed write every later call fails, too. Journals resume work value by value, tables
// shard by shard.
type Journal struct {
	mu  sync.Mutex
	log *disk.Log
	buf []byte // records of the current frame
}

// journalFrame is the maximum size of the records in a frame. A killed process loses at
// most one frame.
const journalFrame = 32 << 10

var journalFrames = disk.Frames{Order: binary.BigEndian, Max: journalFrame}

// errForeignJournal is returned if a journal belongs to other work.
var errForeignJournal = errors.New("journal belongs to other work")

// OpenJournal creates a journal and its directory, or opens an existing one and calls f
// with each of its records. The records are only valid during the call. If another process
// has the journal open, the error wraps [ErrLocked].
func OpenJournal(path, title string, size int, f func(record []byte) error) (*Journal, error) {
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	// The title is written completely or not at all, and the file name is synced.
	if err := disk.WriteNewFile(path, 0o644, disk.Bytes([]byte(title+"\n"))); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	log, err := lockAndResume(file, title+"\n", size, f)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Journal{log: log}, nil
}

// lockAndResume locks a journal, reads its records, and returns a log that appends after
// them.
func lockAndResume(file *os.File, title string, size int, f func(record []byte) error) (*disk.Log, error) {
	err := disk.LockFile(file)
	if held := new(disk.HeldError); errors.As(err, &held) {
		return nil, fmt.Errorf("%w, %s: wait for it to end, or stop it", ErrLocked, held.Holder)
	}
	if err != nil {
		return nil, err
	}
	end, err := readRecords(file, title, size, f)
	if err != nil {
		return nil, err
	}
	log, err := disk.NewLog(file, end)
	if err == nil && end == 0 { // the title was incomplete
		_, err = log.Write([]byte(title))
	}
	return log, err
}

// ReadJournal calls f with each record of a journal, which another process may have open. A
// journal that does not exist has none.
func ReadJournal(path, title string, size int, f func(record []byte) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := readRecords(file, title+"\n", size, f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readRecords reads the records of a journal and returns the offset of their end, 0 if its
// title is not complete.
func readRecords(file *os.File, title string, size int, f func(record []byte) error) (end int64, err error) {
	head := make([]byte, len(title))
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, err
	}
	if string(head[:n]) != title[:n] {
		return 0, fmt.Errorf("%w: it begins with %q, want %q; delete it to start over", errForeignJournal, head[:n], title)
	}
	if n < len(title) {
		return 0, nil
	}
	end, _, err = journalFrames.Scan(file, func(_ int64, records []byte) error {
		if len(records)%size != 0 {
			return fmt.Errorf("%w: records of another size than %d bytes; delete it to start over", errForeignJournal, size)
		}
		for ; len(records) > 0; records = records[size:] {
			if err := f(records[:size:size]); err != nil {
				return err
			}
		}
		return nil
	})
	return int64(len(title)) + end, err
}

// Add adds a record. It is written when the current frame is full, or by [Journal.Flush].
func (j *Journal) Add(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.buf = append(j.buf, record...)
	if len(j.buf)+len(record) > journalFrame {
		return j.writeFrame()
	}
	return nil
}

// writeFrame writes the current frame; the caller holds the lock.
func (j *Journal) writeFrame() error {
	if len(j.buf) == 0 {
		return nil
	}
	_, err := j.log.Write(journalFrames.Append(nil, j.buf))
	j.buf = j.buf[:0]
	return err
}

// Flush writes all records to the file, so that they survive this process, and syncs it at
// most once a second: syncing after every record would cost more than computing it.
func (j *Journal) Flush() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.writeFrame(); err != nil {
		return err
	}
	return j.log.SyncEvery(time.Second)
}

// Close writes and syncs all records and closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.writeFrame(), j.log.Close())
}

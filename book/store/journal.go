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

// Journal is a file of records of one size that outlives its process: it begins
// with a line that says whose it is, then come frames of records. A frame that
// was not written whole, and all behind it, is dropped when the journal is opened
// again. After a write that failed every later call fails, too. Journals resume
// what is worked out value by value; tables resume by shards.
type Journal struct {
	mu  sync.Mutex
	log *disk.Log
	buf []byte // records of the frame in the making
}

// journalFrame is how many bytes of records a frame holds at most; a process
// that is killed loses no more.
const journalFrame = 32 << 10

var journalFrames = disk.Frames{Order: binary.BigEndian, Max: journalFrame}

// errForeignJournal is returned where a journal belongs to other work.
var errForeignJournal = errors.New("journal belongs to other work")

// OpenJournal creates a journal and its directory, or takes it up again, giving
// each record in it to f. The records are valid during the call only. While
// another process has the journal open, the error wraps ErrLocked.
func OpenJournal(path, title string, size int, f func(record []byte) error) (*Journal, error) {
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	// Its title is there whole or not at all, and its name lasts.
	if err := disk.WriteNewFile(path, 0o644, disk.Bytes([]byte(title+"\n"))); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	err = disk.LockFile(file)
	if held := new(disk.HeldError); errors.As(err, &held) {
		err = fmt.Errorf("%w, %s: wait for it to end, or stop it", ErrLocked, held.Holder)
	}
	var log *disk.Log
	if err == nil {
		log, err = takeUp(file, title+"\n", size, f)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Journal{log: log}, nil
}

// ReadJournal calls f with each record of a journal, which another process may have open.
// A journal that does not exist has none.
func ReadJournal(path, title string, size int, f func(record []byte) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer file.Close()
		_, err = readRecords(file, title+"\n", size, f)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// takeUp reads the records of a journal, or writes its title if it has none.
func takeUp(file *os.File, title string, size int, f func(record []byte) error) (*disk.Log, error) {
	end, err := readRecords(file, title, size, f)
	if err != nil {
		return nil, err
	}
	log, err := disk.NewLog(file, end)
	if err == nil && end == 0 { // new, or killed while it wrote the title
		_, err = log.Write([]byte(title))
	}
	return log, err
}

// readRecords reads the records of a journal and returns where they end, 0 if its title
// is not complete.
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

// Add writes a record down; it is on its way to the disk at the latest with
// the frame's last one.
func (j *Journal) Add(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.buf = append(j.buf, record...)
	if len(j.buf)+len(record) > journalFrame {
		return j.flush()
	}
	return nil
}

// flush writes the frame in the making; the caller holds the lock.
func (j *Journal) flush() error {
	if len(j.buf) == 0 {
		return nil
	}
	_, err := j.log.Write(journalFrames.Append(nil, j.buf))
	j.buf = j.buf[:0]
	return err
}

// Keep hands all records to the system, so that they survive this process,
// and to the disk if the last time was a second ago: a file that is brought to
// the disk after every answer costs more than most answers.
func (j *Journal) Keep() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.flush(); err != nil {
		return err
	}
	return j.log.SyncEvery(time.Second)
}

// Close brings all records to the disk and closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.flush(), j.log.Close())
}

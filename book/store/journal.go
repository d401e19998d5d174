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

// Journal is a file of records of the same size with which an interrupted solve can be resumed. The
// file begins with a title line that identifies the solve, followed by frames:
//
//	uint32   length of the payload, big-endian
//	uint32   CRC-32C of the payload, big-endian
//	payload  records
//
// Once a write has failed, its error is returned by Flush, by Close and by each Add that fills a frame. A
// Journal is safe for concurrent use.
type Journal struct {
	mu  sync.Mutex
	log *disk.Log
	buf []byte // records of the current frame
}

// journalFrame is the maximum size of a payload, in bytes.
const journalFrame = 32 << 10

var journalFrames = disk.Frames{Order: binary.BigEndian, Max: journalFrame}

var errForeignJournal = errors.New("journal belongs to other work")

// OpenJournal opens the journal at path for writing, or creates it and its directory. title identifies
// the solve, and size is the size of a record in bytes. OpenJournal calls f with each record up to the
// first incomplete or damaged frame, and removes the rest of the file. A record is valid until f
// returns. OpenJournal returns an error of f, [ErrLocked] if another process has the journal open, or
// an error if the title differs, the length of a frame is not a multiple of size, or the file cannot be
// read or written.
func OpenJournal(path, title string, size int, f func(record []byte) error) (*Journal, error) {
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	// A kill or power cut leaves the complete title or no file.
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

// lockAndResume locks the file of a journal, calls f with its records, and returns a log that continues
// the file after them. title includes its newline.
func lockAndResume(file *os.File, title string, size int, f func(record []byte) error) (*disk.Log, error) {
	err := disk.LockFile(file)
	if errors.As(err, new(*disk.HeldError)) {
		return nil, fmt.Errorf("%w: wait for it to end, or stop it", ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	end, err := readRecords(file, title, size, f)
	if err != nil {
		return nil, err
	}
	log, err := disk.NewLog(file, end)
	if err == nil && end == 0 { // the title is missing or incomplete: another program created or cut the file
		_, err = log.Write([]byte(title))
	}
	return log, err
}

// ReadJournal calls f with the records of the journal at path like [OpenJournal], but does not change
// the file. It returns nil if there is no file. Another process may have the journal open.
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

// readRecords calls f with each record up to the first incomplete or damaged frame. end is the offset
// at which the next frame belongs, or 0 if the file ends within the title. title includes its newline.
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

// Add adds a record. It is written to the file when a frame is full, or by [Journal.Flush].
func (j *Journal) Add(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.buf = append(j.buf, record...)
	if len(j.buf)+len(record) > journalFrame {
		return j.writeFrame()
	}
	return nil
}

// writeFrame writes the current frame; the caller holds j.mu.
func (j *Journal) writeFrame() error {
	if len(j.buf) == 0 {
		return nil
	}
	_, err := j.log.Write(journalFrames.Append(nil, j.buf))
	j.buf = j.buf[:0]
	return err
}

// Flush writes all added records to the file, so that they are kept if the process is killed. It syncs
// the file if the last sync is more than a second ago; a power cut may lose the records since then.
func (j *Journal) Flush() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.writeFrame(); err != nil {
		return err
	}
	return j.log.SyncEvery(time.Second)
}

// Close writes and syncs all records and closes the file. err is the error of the work that used the
// journal, or nil. Close returns err, joined with its own error unless err wraps that already.
func (j *Journal) Close(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.writeFrame() // the log returns its error again
	if closeErr := j.log.Close(); closeErr != nil && !errors.Is(err, closeErr) {
		err = errors.Join(err, closeErr)
	}
	return err
}

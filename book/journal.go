package book

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"endwise/book/store"
	"endwise/engine/disk"
)

// Journal is a file of records of one size that outlives its process: it
// begins with a line that says whose it is, then come frames of a length, a
// CRC-32C and so many bytes of records. A frame that was not written whole, and
// all behind it, is dropped when the journal is taken up again.
type Journal struct {
	size int

	mu     sync.Mutex
	f      *os.File
	buf    []byte
	synced time.Time // when keep brought it to the disk last
}

// journalFrame is how many bytes of records a frame holds at most; a process
// that is killed loses no more.
const journalFrame = 32 << 10

var journalCRC = crc32.MakeTable(crc32.Castagnoli)

// errForeignJournal is returned where a journal belongs to other work.
var errForeignJournal = errors.New("journal belongs to other work")

// OpenJournal creates a journal or takes it up again, giving each record in it
// to f. The records are valid during the call only. While another process has
// the journal open, the error wraps store.ErrLocked.
func OpenJournal(path, title string, size int, f func(record []byte) error) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = disk.LockFile(file)
	if held := new(disk.HeldError); errors.As(err, &held) {
		err = fmt.Errorf("%w, %s: wait for it to end, or stop it", store.ErrLocked, held.Holder)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	j := &Journal{size: size, f: file}
	if err := j.takeUp(title+"\n", f); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

func (j *Journal) takeUp(title string, f func([]byte) error) error {
	r := bufio.NewReaderSize(j.f, 1<<20)
	head := make([]byte, len(title))
	switch n, err := io.ReadFull(r, head); {
	case err == io.EOF:
		_, err := j.f.Write([]byte(title))
		return err
	case string(head[:n]) != title[:n]:
		return fmt.Errorf("%w: it begins with %q, want %q; delete it to start over", errForeignJournal, head[:n], title)
	case err != nil: // killed while it wrote the title
		if _, err := j.f.WriteAt([]byte(title), 0); err != nil {
			return err
		}
	}
	good := int64(len(title))
	frame := make([]byte, journalFrame)
	for {
		var h [8]byte
		if _, err := io.ReadFull(r, h[:]); err != nil {
			break
		}
		n := int(binary.BigEndian.Uint32(h[:]))
		if n > journalFrame || n%j.size != 0 {
			break
		}
		if _, err := io.ReadFull(r, frame[:n]); err != nil || crc32.Checksum(frame[:n], journalCRC) != binary.BigEndian.Uint32(h[4:]) {
			break
		}
		for i := 0; i < n; i += j.size {
			if err := f(frame[i : i+j.size]); err != nil {
				return err
			}
		}
		good += int64(8 + n)
	}
	if err := j.f.Truncate(good); err != nil {
		return err
	}
	_, err := j.f.Seek(good, io.SeekStart)
	return err
}

// Add writes a record down; it is on its way to the disk at the latest with
// the frame's last one.
func (j *Journal) Add(record []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.buf = append(j.buf, record...)
	if len(j.buf)+j.size > journalFrame {
		return j.flush()
	}
	return nil
}

// flush writes the frame in the making; the caller holds the lock.
func (j *Journal) flush() error {
	if len(j.buf) == 0 {
		return nil
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(j.buf)))
	frame = binary.BigEndian.AppendUint32(frame, crc32.Checksum(j.buf, journalCRC))
	frame = append(frame, j.buf...)
	j.buf = j.buf[:0]
	_, err := j.f.Write(frame)
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
	if time.Since(j.synced) < time.Second {
		return nil
	}
	j.synced = time.Now()
	return j.f.Sync()
}

// Sync brings all records to the disk.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.flush(); err != nil {
		return err
	}
	return j.f.Sync()
}

func (j *Journal) Close() error {
	err := j.Sync()
	if closeErr := j.f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// JournalPath is the journal of a table in the making.
func JournalPath(dir, name string) string { return store.Dir(dir, name) + ".journal" }

// RemoveJournal removes the journal of a finished table, which may be gone. A
// process leaves it that is killed between its two last steps.
func RemoveJournal(dir, name string) error {
	if err := os.Remove(JournalPath(dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

package disk

import (
	"fmt"
	"os"
	"time"
)

// Log is a file that only grows, by writes that are there whole or not at all.
// After a write that failed, on a full disk for instance, the file is cut back
// to what was whole and every later call returns the same error: nothing sound
// ever follows something broken, so what was kept is found again. Only a
// process that is killed can leave a piece of its last write, at the end, where
// a reader of Frames or of lines stops.
//
// Its methods must not be called at the same time. The file is locked by
// whoever opens it, see LockFile.
type Log struct {
	f      *os.File
	size   int64 // of what was written whole
	synced time.Time
	dirty  bool // written since
	failed error
}

// NewLog takes a file up for writing behind the first end bytes; what lies
// there, the rest of a write that was cut off, is removed. The file is the
// log's from then on; on an error it stays the caller's.
func NewLog(f *os.File, end int64) (*Log, error) {
	l := &Log{f: f, size: end, synced: time.Now()}
	return l, l.cut()
}

// cut removes what lies behind the last write that succeeded.
func (l *Log) cut() error {
	if st, err := l.f.Stat(); err != nil || st.Size() == l.size {
		return err
	}
	return l.f.Truncate(l.size)
}

// Write hands b to the system: it survives this process when Write returns,
// and a power cut after Sync.
func (l *Log) Write(b []byte) (int, error) {
	if l.failed != nil {
		return 0, l.failed
	}
	n, err := l.f.WriteAt(b, l.size)
	if err != nil {
		l.fail(err)
		_ = l.cut() // where it fails too, the next NewLog does it
		return n, l.failed
	}
	l.size, l.dirty = l.size+int64(n), true
	return n, nil
}

// Sync brings to the disk what was written. After a failure nobody knows what
// of it is there, so nothing more is written.
func (l *Log) Sync() error {
	if l.failed != nil || !l.dirty {
		return l.failed
	}
	if err := l.f.Sync(); err != nil {
		l.fail(err)
		return l.failed
	}
	l.synced, l.dirty = time.Now(), false
	return nil
}

// SyncEvery is Sync if the last one was so long ago: a file that is brought to
// the disk after every short write spends its time on nothing else.
func (l *Log) SyncEvery(interval time.Duration) error {
	if time.Since(l.synced) < interval {
		return l.failed
	}
	return l.Sync()
}

func (l *Log) fail(err error) {
	l.failed = fmt.Errorf("nothing is saved from here on, all before is: %w", err)
}

// Size is how long the file is, in bytes.
func (l *Log) Size() int64 { return l.size }

// Close brings to the disk what was written, if nothing has failed before, and
// closes the file.
func (l *Log) Close() error {
	err := l.Sync()
	if closeErr := l.f.Close(); err == nil {
		err = closeErr
	}
	return err
}

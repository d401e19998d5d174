package disk

import (
	"fmt"
	"os"
	"time"
)

// Log is an append-only file in which intact data never follows damaged data. After a failed
// write, the file is truncated to the end of the last successful write, and every later write or sync
// returns the same error. An incomplete write may remain at the end of the file if the process is
// killed or the truncation fails. A power cut may damage everything after the last Sync.
//
// The methods must not be called concurrently. The caller locks the file.
type Log struct {
	f      *os.File
	size   int64     // the end of the last complete write
	synced time.Time // of the last Sync that wrote data or, before the first, of NewLog
	dirty  bool
	failed error // returned by all calls
}

// NewLog returns a log that appends to f at offset end, and removes any bytes after end. Close closes
// f; if NewLog returns an error, the caller must close f.
func NewLog(f *os.File, end int64) (*Log, error) {
	l := &Log{f: f, size: end, synced: time.Now()}
	return l, l.cut()
}

func (l *Log) cut() error {
	if st, err := l.f.Stat(); err != nil || st.Size() == l.size {
		return err
	}
	return l.f.Truncate(l.size)
}

// Write appends b. The data survives the end of this process when Write returns, and a
// power cut after Sync.
func (l *Log) Write(b []byte) (int, error) {
	if l.failed != nil {
		return 0, l.failed
	}
	n, err := l.f.WriteAt(b, l.size)
	if err != nil {
		l.failed = fmt.Errorf("saving has stopped; all earlier records are saved: %w", err)
		_ = l.cut() // if this fails, the next NewLog removes the bytes
		return n, l.failed
	}
	l.size, l.dirty = l.size+int64(n), true
	return n, nil
}

// Sync writes the data to the disk. If it fails, later writes return the same error.
func (l *Log) Sync() error {
	if l.failed != nil || !l.dirty {
		return l.failed
	}
	if err := l.f.Sync(); err != nil {
		l.failed = fmt.Errorf("saving has stopped, and the last records may be lost: %w", err)
		return l.failed
	}
	l.synced, l.dirty = time.Now(), false
	return nil
}

// SyncEvery calls Sync if the last Sync that wrote data, or NewLog, was at least interval ago.
func (l *Log) SyncEvery(interval time.Duration) error {
	if time.Since(l.synced) < interval {
		return l.failed
	}
	return l.Sync()
}

// Size returns the offset after the last complete write.
func (l *Log) Size() int64 { return l.size }

// Close calls Sync unless an earlier call failed, and closes the file.
func (l *Log) Close() error {
	err := l.Sync()
	if closeErr := l.f.Close(); err == nil {
		err = closeErr
	}
	return err
}

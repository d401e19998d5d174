package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"endwise/engine/disk"
)

// OtherRunError is the error of [OpenJournal] if the first line of the file is not the header.
type OtherRunError struct {
	Header []byte // the first line, a JSON object
}

func (*OtherRunError) Error() string { return "the file contains the results of another run" }

var errBusy = errors.New("another run has this file open, perhaps only to show its page: end it with Ctrl-C")

const maxJournalBytes = 1 << 30

// Journal stores the results of a run in a file that one process can write at a time. A nil
// Journal stores nothing.
//
// The file consists of lines of JSON. The first line is an object that describes the run.
// Every other line is either a [Result] or {"taken_back": ID}, which removes the results
// with this ID in earlier lines. Of the other results with the same ID, the first one counts.
// [OpenJournal] removes a last line that is incomplete or contains zero bytes after a power cut.
type Journal struct {
	path string
	mu   sync.Mutex
	log  *disk.Log
}

// OpenJournal opens or creates the file and returns its results. The JSON encoding of header, an
// object that describes the run, is the first line of the file; if the file has another one, the
// error wraps an [OtherRunError].
func OpenJournal(path string, header any) (*Journal, []Result, error) {
	fail := func(err error) (*Journal, []Result, error) {
		return nil, nil, fmt.Errorf("results %s: %w", path, err)
	}
	head, err := json.Marshal(header)
	if err != nil {
		return fail(err)
	}
	err = disk.WriteNewFile(path, 0o644, disk.Bytes(append(head, '\n')))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, nil, fmt.Errorf("results: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("results: %w", err)
	}
	log, results, err := openLog(f, head)
	if err != nil {
		f.Close()
		return fail(err)
	}
	return &Journal{path: path, log: log}, results, nil
}

// openLog locks the file and reads its results; head is the expected first line. The returned log
// appends to the file's complete lines.
func openLog(f *os.File, head []byte) (*disk.Log, []Result, error) {
	err := disk.LockFile(f)
	if errors.As(err, new(*disk.HeldError)) {
		err = errBusy
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxJournalBytes+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > maxJournalBytes {
		return nil, nil, fmt.Errorf("longer than %d bytes", maxJournalBytes)
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if whole == 0 {
		if !bytes.HasPrefix(head, data[:min(len(data), len(head))]) {
			return nil, nil, errors.New("not a results file: no line is complete")
		}
		log, err := disk.NewLog(f, 0)
		if err == nil {
			err = writeLine(log, head)
		}
		return log, nil, err
	}
	if last := bytes.LastIndexByte(data[:whole-1], '\n') + 1; bytes.IndexByte(data[last:whole], 0) >= 0 {
		whole = last
	}
	results, err := readResults(data[:whole], head)
	if err != nil {
		return nil, nil, err
	}
	log, err := disk.NewLog(f, int64(whole))
	return log, results, err
}

// readResults returns the results in the complete lines of a file; head is the expected first line.
func readResults(data, head []byte) ([]Result, error) {
	lines := bytes.Split(bytes.TrimSuffix(data, []byte{'\n'}), []byte{'\n'})
	if !bytes.Equal(lines[0], head) {
		var object map[string]any // nil for null
		if json.Unmarshal(lines[0], &object); object == nil {
			return nil, errors.New("line 1: not a results file")
		}
		return nil, &OtherRunError{lines[0]}
	}
	var results []Result
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		var r Result
		var back takenBack
		if json.Unmarshal(line, &back) == nil && back.ID != "" {
			delete(seen, back.ID)
			results = slices.DeleteFunc(results, func(r Result) bool { return r.ID == back.ID })
			continue
		}
		if err := json.Unmarshal(line, &r); err != nil || r.ID == "" {
			return nil, fmt.Errorf("line %d: not a result", i+2)
		}
		if !seen[r.ID] {
			seen[r.ID] = true
			results = append(results, r)
		}
	}
	return results, nil
}

type takenBack struct {
	ID string `json:"taken_back"`
}

// Append writes a result and returns when the result is on the disk, or an error. After a failed
// write or sync, every call returns an error. Append may be called concurrently.
func (j *Journal) Append(r Result) error { return j.appendJSON(r) }

// TakeBack removes the result of the game with the given ID. It returns when the line is on the
// disk, or an error.
func (j *Journal) TakeBack(id string) error { return j.appendJSON(takenBack{id}) }

func (j *Journal) appendJSON(v any) error {
	if j == nil {
		return nil
	}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := writeLine(j.log, line); err != nil {
		return fmt.Errorf("results %s: %w", j.path, err)
	}
	return nil
}

// writeLine appends a line feed to line, and the line to log, and syncs it.
func writeLine(log *disk.Log, line []byte) error {
	if _, err := log.Write(append(line, '\n')); err != nil {
		return err
	}
	return log.Sync()
}

// Close closes the file. j must not be nil.
func (j *Journal) Close() error { return j.log.Close() }

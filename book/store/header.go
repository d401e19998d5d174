package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"endwise/engine/disk"
)

const (
	tableName = "table.json" // the header, in the directory of a finished table
	specName  = "spec.json"  // the specification, in a building directory
)

// BuildingSuffix is the suffix of the directory in which a table is being built.
const BuildingSuffix = ".building"

// changedFiles returns the differences of the files in dir from their checksums, and an error for each
// Badger file that is not listed. If it finds any while a program has the table open for writing, it
// only returns [ErrLocked].
func changedFiles(dir string, files []Checksum) (found []error) {
	listed := map[string]bool{}
	for _, s := range files {
		listed[s.Name] = true
		difference, err := s.compare(filepath.Join(dir, s.Name))
		if err != nil {
			found = append(found, err)
		} else if difference != "" {
			found = append(found, damaged(dir, s.Name+" "+difference))
		}
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		found = append(found, err)
	}
	for _, e := range names {
		switch filepath.Ext(e.Name()) {
		case ".mem", ".sst", ".vlog":
			if !listed[e.Name()] {
				found = append(found, damaged(dir, e.Name()+" was not there when the table was finished"))
			}
		}
	}
	if len(found) > 0 && openForWritingElsewhere(dir) {
		return []error{locked(dir)}
	}
	return found
}

// compare returns the difference of the file at path from its checksum, "" if there is none, or an
// error if the system cannot read the file.
func (s Checksum) compare(path string) (difference string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is missing", nil
	case err != nil:
		return "", err
	case info.Size() != s.Size:
		return fmt.Sprintf("has %d bytes, want %d", info.Size(), s.Size), nil
	case s.From < 0 || s.From > s.Size:
		return fmt.Sprintf("has %d bytes, but its checksum begins at byte %d", s.Size, s.From), nil
	}
	crc, err := fileCRC(path, s.From, s.Size)
	if err == nil && crc != s.CRC {
		difference = fmt.Sprintf("differs: checksum of bytes %d to %d is %08x, want %08x", s.From, s.Size, crc, s.CRC)
	}
	return difference, err
}

func writeHeader(dir string, h *Header) error {
	data, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	return disk.WriteFile(filepath.Join(dir, tableName), 0o644, disk.Bytes(append(data, checkLine(data)...)))
}

// checkLine returns the last line of table.json; data is everything before this line.
func checkLine(data []byte) string {
	return fmt.Sprintf("crc32c %08x\n", crc32.Checksum(data, castagnoli))
}

// ReadHeader reads the header of the finished table at path. It returns [ErrMissing], [ErrDamaged], the
// error of reading, or [ErrForeign] for another format or a Badger database of another program.
func ReadHeader(path string) (*Header, error) {
	data, err := os.ReadFile(filepath.Join(path, tableName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(path)
	}
	if err != nil {
		return nil, err
	}
	i := strings.LastIndex(strings.TrimSuffix(string(data), "\n"), "\n") + 1
	if string(data[i:]) != checkLine(data[:i]) {
		return nil, damaged(path, "wrong checksum of "+tableName)
	}
	var h Header
	err = json.Unmarshal(data[:i], &h)
	// The fields of another format may not fit Header, so check the format before err.
	if h.Format != Format {
		return nil, fmt.Errorf("%s: %w: format %d, this program reads %d: delete the table and solve it again",
			path, ErrForeign, h.Format, Format)
	}
	if err != nil {
		return nil, damaged(path, tableName+": "+err.Error())
	}
	return &h, nil
}

func damaged(path, damage string) error {
	return fmt.Errorf("%s: %w: %s: delete the table and solve it again", path, ErrDamaged, damage)
}

func locked(path string) error {
	return fmt.Errorf("%s: %w: a program has it open for writing: end it first", path, ErrLocked)
}

// unsound returns the error for a part of the table at path that could not be read: cause if the
// operating system returned it, otherwise [ErrDamaged].
func unsound(path, damage string, cause error) error {
	if disk.Unreadable(cause) {
		return fmt.Errorf("%s: %w", path, cause)
	}
	return damaged(path, firstLine(damage))
}

// missing returns the error for a path without table.json: [ErrMissing], or [ErrForeign] if the
// directory contains a Badger database.
func missing(path string) error {
	if _, err := os.Stat(path + BuildingSuffix); err == nil {
		return fmt.Errorf("%s: %w: it is unfinished: run the same solve command to resume it", path, ErrMissing)
	}
	if _, err := os.Stat(filepath.Join(path, "MANIFEST")); err == nil {
		return fmt.Errorf("%s: %w: a Badger directory without %s: it was not made by this program", path, ErrForeign, tableName)
	}
	return fmt.Errorf("%s: %w: solve it first", path, ErrMissing)
}

package opening

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"endwise/engine"
	"endwise/engine/disk"
)

// A working book is a directory:
//
// 	book.journal   frames: the header, then records; a later record of a key
// 	               replaces an earlier one
// 	lock           locked by the process that writes; contains the name of the process
//
// A frame is
//
// 	4 bytes  the mark e5 45 57 b0
// 	uint32   length of the payload, little-endian
// 	uint32   CRC-32C of the payload, little-endian
// 	payload  a kind byte: 'H' for the header, JSON of [Header];
// 	         'N' for a record (record.go)
//
// A killed process leaves at most one incomplete frame, at the end of the file. Readers ignore it, and
// the next writer removes it. Any number of processes may read while one writes.
//
// A broken frame before sound ones is damage; readers find the next sound frame by its mark. An
// exception is a broken frame with a sector of zeros: a power cut lost a write before it reached the
// disk. Readers ignore it. The next writer rewrites a file with such a frame, or with more than half
// of its records replaced by later ones.

const (
	journalName = "book.journal"
	lockName    = "lock"

	maxFrame     = 1 << 20 // maximum length of a payload, in bytes
	kindHeader   = 'H'
	kindRecord   = 'N'
	syncInterval = time.Second // a write syncs if the last sync is older
)

var frames = disk.Frames{Mark: "\xe5EW\xb0", Order: binary.LittleEndian, Max: maxFrame}

type journal struct {
	dir    string
	log    *disk.Log
	unlock func()
}

// Exists reports whether dir contains a working book.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, journalName))
	return err == nil
}

// Problem describes damage or an inconsistency in a book.
type Problem struct {
	Where string // file and offset, node or game
	What  string
}

func (p Problem) String() string { return p.Where + ": " + p.What }

// load reads the journal at path and returns a book with its records, without links. report is called
// for broken frames and records that cannot be decoded. end is the offset after the last sound frame.
// board is the expected board, "" for any. load returns [ErrMissing], [ErrForeign], or [ErrDamaged] if
// there is no valid header.
func load(path string, game engine.Game, board string, report func(Problem)) (b *Book, end int64, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%s: %w", filepath.Dir(path), ErrMissing)
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	end, broken, err := frames.Scan(f, func(offset int64, payload []byte) (err error) {
		if b == nil {
			h, err := parseHeader(path, payload)
			if err == nil {
				b, err = bookFor(h, path, game, board)
			}
			return err
		}
		r, err := recordIn(payload)
		if err != nil {
			report(Problem{fmt.Sprintf("%s at %d", path, offset), err.Error()})
			return nil
		}
		nodes := len(b.nodes)
		b.replace(r)
		if len(b.nodes) == nodes {
			b.replaced++
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if b == nil {
		return nil, 0, fmt.Errorf("%s: %w: no sound frame", path, ErrDamaged)
	}
	for _, gap := range broken {
		from, to := gap[0], gap[1]
		lost, err := hasLostSector(f, from, to)
		if err != nil {
			return nil, 0, err
		}
		if lost {
			b.torn = true
		} else {
			report(Problem{fmt.Sprintf("%s at %d", path, from), fmt.Sprintf("%d bytes are damaged", to-from)})
		}
	}
	return b, end, nil
}

// recordIn decodes the record in a frame after the header.
func recordIn(payload []byte) (record, error) {
	if kind := payload[0]; kind != kindRecord {
		return record{}, fmt.Errorf("frame of unknown kind %q", kind)
	}
	return decodeRecord(payload[1:])
}

// hasLostSector reports whether the bytes from..to-1 of a file contain a sector of zeros, or begin
// with zeros up to the end of a sector: a power cut lost a write, and later ones reached the disk.
func hasLostSector(f *os.File, from, to int64) (bool, error) {
	const sector = 512
	b := make([]byte, to-from)
	if _, err := f.ReadAt(b, from); err != nil {
		return false, err
	}
	for at := int64(0); at < int64(len(b)); {
		end := at + sector - (from+at)%sector
		if end <= int64(len(b)) && len(bytes.Trim(b[at:end], "\x00")) == 0 {
			return true, nil
		}
		at = end
	}
	return false, nil
}

// bookFor returns an empty book for the header h of the journal at path. It returns [ErrForeign] if h
// is of another format, game, version of the rules, or board (board is "" for any), [ErrDamaged] if the
// board in h does not exist, and the error of Start if board does not exist.
func bookFor(h Header, path string, game engine.Game, board string) (*Book, error) {
	switch {
	case h.Format != Format:
		return nil, fmt.Errorf("%s: %w: format %d, this program reads format %d", path, ErrForeign, h.Format, Format)
	case h.Game != game.Name():
		return nil, fmt.Errorf("%s: %w: it is for %s, not %s", path, ErrForeign, h.Game, game.Name())
	case h.Rules != game.RulesVersion():
		return nil, fmt.Errorf("%s: %w: version %d of the rules of %s, this program plays version %d",
			path, ErrForeign, h.Rules, h.Game, game.RulesVersion())
	}
	if board != "" {
		start, err := game.Start(board)
		if err != nil {
			return nil, err
		}
		if start.BoardName() != h.Board {
			return nil, fmt.Errorf("%s: %w: it is for a %s board, not %s", path, ErrForeign, h.Board, start.BoardName())
		}
	}
	b, err := New(game, h.Board)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: board %q: %v", path, ErrDamaged, h.Board, err)
	}
	return b, nil
}

// ReadHeader returns the header of the working book in a directory. It returns [ErrMissing] or
// [ErrDamaged] if there is no header.
func ReadHeader(dir string) (Header, error) {
	path := filepath.Join(dir, journalName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Header{}, fmt.Errorf("%s: %w", dir, ErrMissing)
	}
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	if disk.Unreadable(err) {
		return Header{}, err
	}
	payload, length := frames.First(head[:n])
	if length == 0 {
		return Header{}, fmt.Errorf("%s: %w: no header", path, ErrDamaged)
	}
	return parseHeader(path, payload)
}

func parseHeader(path string, payload []byte) (h Header, err error) {
	if payload[0] != kindHeader {
		return h, fmt.Errorf("%s: %w: the first frame is not a header", path, ErrDamaged)
	}
	if err := json.Unmarshal(payload[1:], &h); err != nil {
		return h, fmt.Errorf("%s: %w: header: %v", path, ErrDamaged, err)
	}
	return h, nil
}

type problemList []Problem

func (all *problemList) report(p Problem) { *all = append(*all, p) }

// err returns [ErrDamaged] with the first problem, or nil if there is none.
func (all problemList) err() error {
	if len(all) == 0 {
		return nil
	}
	more := ""
	if len(all) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(all)-1)
	}
	return fmt.Errorf("%s: %w: %s%s: book check --fix repairs it", all[0].Where, ErrDamaged, all[0].What, more)
}

// Read reads the working book in dir into memory; another process may be writing to it. The book must be
// of the given game and board ("" for any). Read returns [ErrMissing], [ErrForeign] or [ErrDamaged].
func Read(dir string, game engine.Game, board string) (*Book, error) {
	var p problemList
	b, _, err := load(filepath.Join(dir, journalName), game, board, p.report)
	if err != nil {
		return nil, err
	}
	b.linkAll(p.report)
	return b, p.err()
}

// lockDir creates dir if it is missing, and locks it. It returns [ErrLocked] with the holder's name.
func lockDir(dir string) (unlock func(), err error) {
	if err := disk.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("book: %w", err)
	}
	unlock, err = disk.Lock(filepath.Join(dir, lockName))
	if held := new(disk.HeldError); errors.As(err, &held) {
		err = fmt.Errorf("%w: %s", ErrLocked, held.Holder)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return unlock, nil
}

// Open opens the working book in dir for writing, or creates it. It returns [ErrForeign] if the book is
// of another game or board, [ErrDamaged], or [ErrLocked] with the name of the process that has it open.
func Open(dir string, game engine.Game, board string) (*Book, error) {
	return openOrCreate(dir, game, board, func(*Book) error { return nil })
}

// OpenFrom opens a book like [Open]. A book that it creates starts with the positions of a published
// book of the same board.
func OpenFrom(ctx context.Context, dir string, game engine.Game, board string, published *Published) (*Book, error) {
	return openOrCreate(dir, game, board, func(b *Book) error { return b.adopt(ctx, published) })
}

// openOrCreate implements [Open]. fill adds records to a new book, which is then written.
func openOrCreate(dir string, game engine.Game, board string, fill func(*Book) error) (b *Book, err error) {
	unlock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	var p problemList
	b, end, err := load(filepath.Join(dir, journalName), game, board, p.report)
	created := errors.Is(err, ErrMissing)
	if created {
		if b, err = New(game, board); err == nil {
			err = fill(b)
		}
	}
	if err != nil {
		return nil, err
	}
	b.linkAll(p.report)
	if err := p.err(); err != nil {
		return nil, err
	}
	if created || b.torn || b.replaced > len(b.nodes) {
		if end, err = b.writeTo(dir); err != nil {
			return nil, err
		}
	}
	b.journal = &journal{dir: dir, unlock: unlock}
	return b, b.journal.openAt(end)
}

// openAt opens the journal for appending at the offset end.
func (j *journal) openAt(end int64) error {
	f, err := os.OpenFile(filepath.Join(j.dir, journalName), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if j.log, err = disk.NewLog(f, end); err != nil {
		f.Close()
	}
	return err
}

// writeTo replaces the journal in dir. The caller holds the book's lock.
func (b *Book) writeTo(dir string) (size int64, err error) {
	path := filepath.Join(dir, journalName)
	if err := disk.RemoveUnfinished(path); err != nil {
		return 0, err
	}
	err = disk.WriteFile(path, 0o644, func(w io.Writer) (err error) {
		size, err = b.writeRecords(w)
		return err
	})
	return size, err
}

// writeRecords writes a journal with the book's header and records, and returns its size.
func (b *Book) writeRecords(out io.Writer) (size int64, err error) {
	head, err := json.Marshal(b.header)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(out, 1<<18)
	write := func(payload []byte) error {
		n, err := w.Write(frames.Append(nil, payload))
		size += int64(n)
		return err
	}
	if err := write(append([]byte{kindHeader}, head...)); err != nil {
		return 0, err
	}
	for id := range b.nodes {
		if err := write(b.nodes[id].record.appendTo([]byte{kindRecord})); err != nil {
			return 0, err
		}
	}
	return size, w.Flush()
}

func (j *journal) write(r *record) error {
	payload := r.appendTo([]byte{kindRecord})
	if len(payload) > maxFrame {
		return fmt.Errorf("record of %d bytes: at most %d", len(payload), maxFrame)
	}
	_, err := j.log.Write(frames.Append(nil, payload))
	if err == nil {
		err = j.log.SyncEvery(syncInterval)
	}
	return j.named(err)
}

func (j *journal) sync() error { return j.named(j.log.Sync()) }

func (j *journal) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("book %s: %w", j.dir, err)
}

// save writes a record to the journal, if the book has one.
func (b *Book) save(r *record) error {
	if b.journal == nil {
		return nil
	}
	return b.journal.write(r)
}

// Close closes the journal, if the book has one, and unlocks the book.
func (b *Book) Close() error {
	j := b.journal
	if j == nil {
		return nil
	}
	b.journal = nil
	defer j.unlock()
	return j.named(j.log.Close())
}

package opening

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"endwise/engine"
	"endwise/engine/disk"
)

// The working store is a directory with one file that only grows, the journal:
//
//	book.journal   frames: the header, then records; a later record of a key
//	               replaces an earlier one
//	lock           held by the writer; says who that is
//
// A frame is
//
//	4 bytes  frameMark
//	uint32   length of the payload, little-endian
//	uint32   CRC-32C of the payload
//	payload  a kind byte and the rest
//
// A record is written by one append, so a process that is killed leaves at most
// one frame in pieces, at the end; the next writer cuts it off and readers pass
// it over. Any number of processes may read while one writes. A frame that is
// broken with sound ones behind it is damage: the mark finds the next sound one.
//
// Why not Badger, which keeps the tables: it writes through memory maps, and a
// full disk then kills the process with SIGBUS inside Badger, so that it can't
// say so (measured with v4.9.6: "unexpected fault address" in CreateTable); and
// nobody can read while one process writes. An append reports a full disk as
// an error, and cutting the file back to its last frame is all there is to undo.

const (
	journalName = "book.journal"
	lockName    = "lock"

	frameHead    = 12
	maxFrame     = 1 << 20
	kindHeader   = 'H'
	kindRecord   = 'N'
	syncInterval = time.Second
)

var frameMark = [4]byte{0xe5, 'E', 'W', 0xb0}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendFrame(dst []byte, kind byte, fill func([]byte) []byte) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, frameHead)...)
	dst = fill(append(dst, kind))
	payload := dst[at+frameHead:]
	copy(dst[at:], frameMark[:])
	binary.LittleEndian.PutUint32(dst[at+4:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(dst[at+8:], crc32.Checksum(payload, castagnoli))
	return dst
}

// frameAt says how long the sound frame at the start of b is, 0 if none is.
func frameAt(b []byte) int {
	if len(b) < frameHead+1 || !bytes.Equal(b[:4], frameMark[:]) {
		return 0
	}
	n := binary.LittleEndian.Uint32(b[4:])
	if n < 1 || n > maxFrame || int(n) > len(b)-frameHead {
		return 0
	}
	end := frameHead + int(n)
	if crc32.Checksum(b[frameHead:end], castagnoli) != binary.LittleEndian.Uint32(b[8:]) {
		return 0
	}
	return end
}

// scan calls f with the payload of every sound frame. It returns the end of
// the last one, and where broken bytes lie between sound frames.
func scan(data []byte, f func(offset int, payload []byte) error) (end int, broken [][2]int, err error) {
	for at := 0; at < len(data); {
		n := frameAt(data[at:])
		if n == 0 {
			at++
			if next := bytes.Index(data[at:], frameMark[:]); next >= 0 {
				at += next
				continue
			}
			break
		}
		if at > end {
			broken = append(broken, [2]int{end, at})
		}
		if err := f(at, data[at+frameHead:at+n]); err != nil {
			return end, broken, err
		}
		at += n
		end = at
	}
	return end, broken, nil
}

// journal is the open file of a book that is being written.
type journal struct {
	dir    string
	f      *os.File
	size   int64 // of sound frames
	dirty  bool
	synced time.Time
	unlock func()
	buf    []byte
	failed error
}

// Exists says whether dir holds a book.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, journalName))
	return err == nil
}

// Problem is one thing that is wrong with a book.
type Problem struct {
	Where string // file and offset, or the node's position
	What  string
}

func (p Problem) String() string { return p.Where + ": " + p.What }

// load reads a journal into a book without linking it. Broken frames, records
// that don't decode are reported; end is where the sound frames end, live the
// bytes of the records that count.
func load(path string, game engine.Game, board string, report func(Problem)) (b *Book, end int, live int64, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, 0, fmt.Errorf("%s: %w", filepath.Dir(path), ErrMissing)
	}
	if err != nil {
		return nil, 0, 0, err
	}
	sizes := map[int32]int64{}
	end, broken, err := scan(data, func(offset int, payload []byte) error {
		where := fmt.Sprintf("%s at %d", path, offset)
		kind, body := payload[0], payload[1:]
		if b == nil {
			if kind != kindHeader {
				return fmt.Errorf("%s: %w: the first frame is no header", path, ErrDamaged)
			}
			h := Header{}
			if err := json.Unmarshal(body, &h); err != nil {
				return fmt.Errorf("%s: %w: header: %v", path, ErrDamaged, err)
			}
			if b, err = newFor(h, path, game, board); err != nil {
				return err
			}
			return nil
		}
		switch kind {
		case kindRecord:
			r, err := decodeRecord(body)
			if err != nil {
				report(Problem{where, err.Error()})
				return nil
			}
			id, known := b.find(r.key)
			if known {
				b.nodes[id].record = r
			} else {
				id = b.insert(r)
			}
			sizes[id] = int64(len(payload) + frameHead)
		default:
			report(Problem{where, fmt.Sprintf("frame of unknown kind %q", kind)})
		}
		return nil
	})
	if err != nil {
		return nil, 0, 0, err
	}
	if b == nil {
		return nil, 0, 0, fmt.Errorf("%s: %w: no sound frame", path, ErrDamaged)
	}
	for _, r := range broken {
		report(Problem{fmt.Sprintf("%s at %d", path, r[0]), fmt.Sprintf("%d bytes are damaged", r[1]-r[0])})
	}
	for _, n := range sizes {
		live += n
	}
	return b, end, live, nil
}

// newFor makes the book that a header describes, and refuses one that the game
// given (nil for any) or the board given ("" for any) does not fit.
func newFor(h Header, path string, game engine.Game, board string) (*Book, error) {
	switch {
	case h.Format != Format:
		return nil, fmt.Errorf("%s: %w: format %d, this program reads format %d", path, ErrForeign, h.Format, Format)
	case h.Game != game.Name():
		return nil, fmt.Errorf("%s: %w: it is for %s, not %s", path, ErrForeign, h.Game, game.Name())
	case h.Rules != game.RulesVersion():
		return nil, fmt.Errorf("%s: %w: version %d of the rules of %s, this program plays version %d", path, ErrForeign, h.Rules, h.Game, game.RulesVersion())
	}
	if board != "" {
		start, err := game.Start(board)
		if err != nil {
			return nil, err
		}
		if c, err := canonicalOf(start); err != nil {
			return nil, err
		} else if c.BoardName() != h.Board {
			return nil, fmt.Errorf("%s: %w: it is for a %s board, not %s", path, ErrForeign, h.Board, c.BoardName())
		}
	}
	b, err := New(game, h.Board)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: board %q: %v", path, ErrDamaged, h.Board, err)
	}
	return b, nil
}

// ReadHeader says what the book in a directory is about.
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
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Header{}, fmt.Errorf("%s: %w: no header", path, ErrDamaged)
	}
	end := frameAt(head[:n])
	if end == 0 || head[frameHead] != kindHeader {
		return Header{}, fmt.Errorf("%s: %w: no header", path, ErrDamaged)
	}
	h := Header{}
	if err := json.Unmarshal(head[frameHead+1:end], &h); err != nil {
		return Header{}, fmt.Errorf("%s: %w: header: %v", path, ErrDamaged, err)
	}
	return h, nil
}

// firstProblem collects problems into one error.
type firstProblem struct {
	first Problem
	n     int
}

func (f *firstProblem) report(p Problem) {
	if f.n == 0 {
		f.first = p
	}
	f.n++
}

func (f *firstProblem) err() error {
	if f.n == 0 {
		return nil
	}
	more := ""
	if f.n > 1 {
		more = fmt.Sprintf(" (and %d more)", f.n-1)
	}
	return fmt.Errorf("%s: %w: %s%s: repair it with book fix", f.first.Where, ErrDamaged, f.first.What, more)
}

// finish links and works out a loaded book.
func (b *Book) finish(report func(Problem)) {
	b.linkAll(func(err error) { report(Problem{b.header.Game, err.Error()}) })
	b.propagateAll()
}

// Read opens the book in a directory for reading; another process may be
// writing to it. game must be the book's; board may be "" for any. It returns
// ErrMissing, ErrForeign or ErrDamaged.
func Read(dir string, game engine.Game, board string) (*Book, error) {
	var p firstProblem
	b, _, _, err := load(filepath.Join(dir, journalName), game, board, p.report)
	if err != nil {
		return nil, err
	}
	b.finish(p.report)
	return b, p.err()
}

// hold makes a directory for a book and locks it for writing.
func hold(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
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

// saveTo writes a book in memory into a directory, in place of what is there.
func (b *Book) saveTo(dir string) error {
	unlock, err := hold(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := b.rewrite(dir); err != nil {
		return err
	}
	err = b.journal.f.Close()
	b.journal = nil
	return err
}

// Open opens the book in a directory for writing, or creates it. It returns
// ErrForeign, ErrDamaged, or ErrLocked with the holder.
func Open(dir string, game engine.Game, board string) (*Book, error) {
	unlock, err := hold(dir)
	if err != nil {
		return nil, err
	}
	b, err := openLocked(dir, game, board)
	if err != nil {
		unlock()
		return nil, err
	}
	b.journal.unlock = unlock
	return b, nil
}

func openLocked(dir string, game engine.Game, board string) (*Book, error) {
	path := filepath.Join(dir, journalName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		b, err := New(game, board)
		if err != nil {
			return nil, err
		}
		return b, b.rewrite(dir)
	}
	var p firstProblem
	b, end, live, err := load(path, game, board, p.report)
	if err != nil {
		return nil, err
	}
	b.finish(p.report)
	if err := p.err(); err != nil {
		return nil, err
	}
	if live < int64(end)/2 && end > 1<<20 {
		return b, b.rewrite(dir)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	b.journal = &journal{dir: dir, f: f, size: int64(end), synced: time.Now()}
	if err := b.journal.cut(); err != nil {
		f.Close()
		return nil, err
	}
	return b, nil
}

// rewrite writes all records to a new journal that takes the place of the old
// one. The book is locked.
func (b *Book) rewrite(dir string) error {
	path := filepath.Join(dir, journalName)
	if err := disk.RemoveUnfinished(path); err != nil {
		return err
	}
	var size int64
	err := disk.WriteFile(path, 0o644, func(w io.Writer) (err error) {
		size, err = b.writeRecords(w)
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if b.journal == nil {
		b.journal = &journal{dir: dir}
	} else if b.journal.f != nil {
		b.journal.f.Close()
	}
	b.journal.f, b.journal.size, b.journal.dirty, b.journal.synced = f, size, false, time.Now()
	return nil
}

// writeRecords writes a journal of all records and returns its size in bytes.
func (b *Book) writeRecords(out io.Writer) (size int64, err error) {
	head, err := json.Marshal(b.header)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriterSize(out, 1<<18)
	buf := appendFrame(nil, kindHeader, func(d []byte) []byte { return append(d, head...) })
	size = int64(len(buf))
	if _, err := w.Write(buf); err != nil {
		return 0, err
	}
	for id := range b.nodes {
		buf = appendFrame(buf[:0], kindRecord, b.nodes[id].record.append)
		size += int64(len(buf))
		if _, err := w.Write(buf); err != nil {
			return 0, err
		}
	}
	return size, w.Flush()
}

// write appends one frame. After a failure the file is cut back to the last
// sound frame and nothing more is written: what was saved stays.
func (j *journal) write(kind byte, fill func([]byte) []byte) error {
	if j.failed != nil {
		return j.failed
	}
	j.buf = appendFrame(j.buf[:0], kind, fill)
	if len(j.buf) > frameHead+maxFrame {
		return fmt.Errorf("record of %d bytes: at most %d", len(j.buf), maxFrame)
	}
	if _, err := j.f.WriteAt(j.buf, j.size); err != nil {
		j.failed = fmt.Errorf("book %s: nothing is saved from here on, all before is: %w", j.dir, err)
		j.cut()
		return j.failed
	}
	j.size += int64(len(j.buf))
	j.dirty = true
	if time.Since(j.synced) >= syncInterval {
		return j.sync()
	}
	return nil
}

// sync brings what was written to the disk. A killed process loses nothing
// without it; a power cut loses at most what was written since.
func (j *journal) sync() error {
	j.synced = time.Now()
	if !j.dirty {
		return nil
	}
	if err := j.f.Sync(); err != nil {
		return fmt.Errorf("book %s: %w", j.dir, err)
	}
	j.dirty = false
	return nil
}

// cut removes what lies behind the last sound frame.
func (j *journal) cut() error {
	if st, err := j.f.Stat(); err != nil || st.Size() == j.size {
		return err
	}
	return j.f.Truncate(j.size)
}

// save writes a node's record to the journal, if the book has one.
func (b *Book) save(r *record) error {
	if b.journal == nil {
		return nil
	}
	return b.journal.write(kindRecord, r.append)
}

// Close brings everything to the disk and gives the book free.
func (b *Book) Close() error {
	j := b.journal
	if j == nil {
		return nil
	}
	b.journal = nil
	err := j.sync()
	if cerr := j.f.Close(); err == nil {
		err = cerr
	}
	if j.unlock != nil {
		j.unlock()
	}
	return err
}

package disk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// Frames is a format for records of varying length in one file. A frame is
//
//	Mark     verbatim; may be ""
//	uint32   length of the record in Order, 1 to Max
//	uint32   CRC-32C of the record in Order
//	record
//
// With a mark, Scan also finds intact frames after damaged ones.
type Frames struct {
	Mark  string
	Order binary.ByteOrder
	Max   int
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (f Frames) Head() int { return len(f.Mark) + 8 }

// Append appends a record's frame to dst. The record must have 1 to Max bytes.
func (f Frames) Append(dst, record []byte) []byte {
	dst = append(dst, f.Mark...)
	var head [8]byte
	f.Order.PutUint32(head[:], uint32(len(record)))
	f.Order.PutUint32(head[4:], crc32.Checksum(record, castagnoli))
	return append(append(dst, head[:]...), record...)
}

// length returns the length n and the checksum of the record whose frame begins at b. ok is
// false if b does not begin with the head of a frame, or if n is not 1 to Max.
func (f Frames) length(b []byte) (n int, sum uint32, ok bool) {
	if len(b) < f.Head() || string(b[:len(f.Mark)]) != f.Mark {
		return 0, 0, false
	}
	b = b[len(f.Mark):]
	size := f.Order.Uint32(b)
	return int(size), f.Order.Uint32(b[4:]), size >= 1 && uint64(size) <= uint64(f.Max)
}

// First returns the record in the frame at the start of b, whose memory it shares, and the
// length of the frame. The length is 0 if there is no intact frame.
func (f Frames) First(b []byte) (record []byte, length int) {
	n, sum, ok := f.length(b)
	if !ok || n > len(b)-f.Head() {
		return nil, 0
	}
	end := f.Head() + n
	if record = b[f.Head():end:end]; crc32.Checksum(record, castagnoli) != sum {
		return nil, 0
	}
	return record, end
}

// Scan calls visit with every intact record of r, in order, and the offset of its frame; the record
// is valid only during the call. end is the offset after the last intact frame. An error of r or of
// visit ends Scan.
//
// With a mark, broken contains the start and end of every damaged range before an intact frame;
// without a mark, Scan stops at the first damaged frame. Damaged bytes at the end are not an error.
func (f Frames) Scan(r io.Reader, visit func(offset int64, record []byte) error) (end int64, broken [][2]int64, err error) {
	in := bufio.NewReaderSize(r, f.Head()+f.Max)
	for at := int64(0); ; {
		b, err := in.Peek(f.Head())
		if n, _, ok := f.length(b); ok {
			b, err = in.Peek(f.Head() + n)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return end, broken, err
		}
		record, length := f.First(b)
		switch {
		case length > 0:
			if at > end {
				broken = append(broken, [2]int64{end, at})
			}
			if err := visit(at, record); err != nil {
				return end, broken, err
			}
			at += int64(length)
			end = at
		case f.Mark == "" || len(b) < f.Head():
			return end, broken, nil
		default: // continue at the next mark, which may begin with the last bytes of b
			length = bytes.Index(b[1:], []byte(f.Mark)) + 1
			if length == 0 {
				length = max(1, len(b)-len(f.Mark)+1)
			}
			at += int64(length)
		}
		if _, err := in.Discard(length); err != nil {
			return end, broken, err
		}
	}
}

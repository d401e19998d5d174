package disk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// Frames is how records of any length lie in a file one after the other, so
// that a reader knows which of them are whole. A frame is
//
//	Mark     as it is, none if ""
//	uint32   length of the record in Order, 1 to Max
//	uint32   CRC-32C of the record in Order
//	record
//
// With a mark, sound frames are found again behind broken ones.
type Frames struct {
	Mark  string
	Order binary.ByteOrder
	Max   int
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Head is how many bytes of a frame come before its record.
func (f Frames) Head() int { return len(f.Mark) + 8 }

// Append appends a record's frame to dst. The record must not be empty or
// longer than Max.
func (f Frames) Append(dst, record []byte) []byte {
	dst = append(dst, f.Mark...)
	var head [8]byte
	f.Order.PutUint32(head[:], uint32(len(record)))
	f.Order.PutUint32(head[4:], crc32.Checksum(record, castagnoli))
	return append(append(dst, head[:]...), record...)
}

// length reads the head of a frame; ok is false where b holds none, or one of a
// record that is too long.
func (f Frames) length(b []byte) (n int, sum uint32, ok bool) {
	if len(b) < f.Head() || string(b[:len(f.Mark)]) != f.Mark {
		return 0, 0, false
	}
	b = b[len(f.Mark):]
	size := f.Order.Uint32(b)
	return int(size), f.Order.Uint32(b[4:]), size >= 1 && uint64(size) <= uint64(f.Max)
}

// First is the record in the frame at the start of b, which it shares, and the
// frame's length. It is 0 where no sound frame stands there.
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

// Scan calls each with every sound record of r and the offset of its frame; the
// record is valid during the call only. It returns where the last sound frame
// ends and, with a mark, where bytes between sound frames are broken, each from
// and to. Without a mark it stops at the first that is not sound. Broken bytes
// at the end are what a killed writer leaves, and no error; errors are those of
// r and of each.
func (f Frames) Scan(r io.Reader, each func(at int64, record []byte) error) (end int64, broken [][2]int64, err error) {
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
			if err := each(at, record); err != nil {
				return end, broken, err
			}
			at += int64(length)
			end = at
		case f.Mark == "" || len(b) < f.Head():
			return end, broken, nil
		default: // on to the next mark; its beginning may be the end of b
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

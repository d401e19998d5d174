// Package facts is what the evaluation of one position says, which is all that an
// opening book stores of it: read from a decision, in bytes, as text, checked against the
// rules and joined with that of another evaluation.
package facts

import (
	"encoding/binary"
	"errors"

	"endwise/book/opening/value"
)

// ErrDamaged is returned when bytes are not what was written.
var ErrDamaged = errors.New("book is damaged")

// Class is a class of legal moves: those that lead to one canonical position.
type Class struct {
	// Hash is the position's Hash; it finds candidates, the key decides.
	Hash uint32
	// Move is the class's first legal move in the canonical position.
	Move uint16
	// Ends says that the move ends the game: Leaf is exact.
	Ends bool
	// Leaf is what the evaluation said about the class.
	Leaf value.Value
}

// Record is the facts about one node: what is stored.
type Record struct {
	Key     string
	Own     value.Value // proofs about the position itself; Est is not used
	Depth   uint16
	Millis  uint32
	Visits  uint32
	Classes []Class
}

// Append appends a record's bytes. They are varints unless said otherwise: the
// key's length and bytes; visits; depth; milliseconds; the own proofs, a value;
// the number of classes; and for each of them the difference of its move to the
// one before, the hash as 4 bytes little-endian and the leaf, a value that is
// marked where the move ends the game.
func (r *Record) Append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.Key)))
	b = append(b, r.Key...)
	b = binary.AppendUvarint(b, uint64(r.Visits))
	b = binary.AppendUvarint(b, uint64(r.Depth))
	b = binary.AppendUvarint(b, uint64(r.Millis))
	b = value.Append(b, r.Own, false)
	b = binary.AppendUvarint(b, uint64(len(r.Classes)))
	last := 0
	for i := range r.Classes {
		c := &r.Classes[i]
		b = binary.AppendUvarint(b, uint64(int(c.Move)-last))
		last = int(c.Move)
		b = binary.LittleEndian.AppendUint32(b, c.Hash)
		b = value.Append(b, c.Leaf, c.Ends)
	}
	return b
}

const maxClasses = 4096

var errRecord = errors.New("record is malformed")

// Decode reads what Append writes. The key is copied.
func Decode(b []byte) (Record, error) {
	r := value.NewReader(b)
	out := Record{Key: string(r.Bytes(int(r.Uvarint(value.MaxKeyBytes))))}
	out.Visits = uint32(r.Uvarint(1<<32 - 1))
	out.Depth = uint16(r.Uvarint(1<<16 - 1))
	out.Millis = uint32(r.Uvarint(1<<32 - 1))
	out.Own, _ = r.Value()
	n := int(r.Uvarint(maxClasses))
	if r.Bad() || n == 0 {
		return Record{}, errRecord
	}
	out.Classes = make([]Class, n)
	last := uint64(0)
	for i := range out.Classes {
		c := &out.Classes[i]
		d := r.Uvarint(1 << 16)
		if last += d; last >= 1<<16 || i > 0 && d == 0 {
			return Record{}, errRecord
		}
		c.Move = uint16(last)
		c.Hash = binary.LittleEndian.Uint32(r.Bytes(4))
		c.Leaf, c.Ends = r.Value()
		if c.Ends && !c.Leaf.Exact() {
			return Record{}, errRecord
		}
	}
	if r.Bad() || r.Len() != 0 {
		return Record{}, errRecord
	}
	return out, nil
}

// Hash is the hash by which the positions behind moves are found.
func Hash(key string) uint32 { return uint32(value.Hash(key) >> 32) }

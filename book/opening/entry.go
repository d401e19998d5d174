package opening

import (
	"encoding/binary"

	"endwise/engine"
)

// Entry is a book's summary of a position. Its moves are those of the canonical position.
type Entry struct {
	Value  Value
	Behind Behind
	Visits int
	// Best is the move with the best estimate, or with the value if that is proved.
	// BestLinked reports whether the position after it is in the book.
	Best       engine.Move
	BestLinked bool
	// Safe is a move that is proved to be worth at least Value.Lo: Best if Best is such a
	// move. HasSafe is false if there is no lower bound, or if it is proved for the
	// position but for no move.
	Safe    engine.Move
	HasSafe bool
	// Rest is the best of the moves whose positions are not in the book.
	Rest      engine.Move
	RestValue Value
	HasRest   bool
}

// Flags of an encoded entry (publish.go).
const (
	withBehind = 1 << iota
	withVisits
	withSafe
	withRest
	bestLinked // the position after the best move is a node
	bestSafe   // the best move is the safe one
)

// append appends the encoded entry.
func (e *Entry) append(b []byte) []byte {
	var flags byte
	if e.Behind != (Behind{}) {
		flags |= withBehind
	}
	if e.Visits > 0 {
		flags |= withVisits
	}
	if e.HasSafe && e.Safe != e.Best {
		flags |= withSafe
	}
	if e.HasRest {
		flags |= withRest
	}
	if e.BestLinked {
		flags |= bestLinked
	}
	if e.HasSafe && e.Safe == e.Best {
		flags |= bestSafe
	}
	b = appendValue(append(b, flags), e.Value, false)
	if flags&withBehind != 0 {
		b = binary.AppendUvarint(b, uint64(e.Behind.Depth))
		b = binary.AppendUvarint(b, uint64(e.Behind.Millis))
		b = binary.AppendUvarint(b, uint64(e.Behind.Plies))
	}
	if flags&withVisits != 0 {
		b = binary.AppendUvarint(b, uint64(e.Visits))
	}
	b = binary.AppendUvarint(b, uint64(e.Best))
	if flags&withSafe != 0 {
		b = binary.AppendUvarint(b, uint64(e.Safe))
	}
	if flags&withRest != 0 {
		b = binary.AppendUvarint(b, uint64(e.Rest))
		b = appendValue(b, e.RestValue, false)
	}
	return b
}

// readEntry is the inverse of Entry.append.
func readEntry(r *reader) (e Entry) {
	flags := r.bytes(1)[0]
	e.Value, _ = r.value()
	if flags&withBehind != 0 {
		e.Behind = Behind{Depth: uint16(r.uvarint(1<<16 - 1)), Millis: uint32(r.uvarint(1<<32 - 1)), Plies: uint16(r.uvarint(1<<16 - 1))}
	}
	if flags&withVisits != 0 {
		e.Visits = int(r.uvarint(1<<32 - 1))
	}
	e.Best = engine.Move(r.uvarint(1<<16 - 1))
	e.BestLinked = flags&bestLinked != 0
	if flags&bestSafe != 0 {
		e.Safe, e.HasSafe = e.Best, true
	}
	if flags&withSafe != 0 {
		e.Safe, e.HasSafe = engine.Move(r.uvarint(1<<16-1)), true
	}
	if flags&withRest != 0 {
		e.Rest, e.HasRest = engine.Move(r.uvarint(1<<16-1)), true
		e.RestValue, _ = r.value()
	}
	return e
}

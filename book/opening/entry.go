package opening

import (
	"encoding/binary"

	"endwise/engine"
)

// Entry is a book's summary of a node. Its moves are moves of the canonical position; each represents
// all moves equivalent to it.
type Entry struct {
	Value  Value
	Origin Origin // of the estimate; zero if Value is exact or Best ends the game
	// Visits is the greatest number of recorded games in a run of Grow that reached the position.
	Visits int
	// Best is the move with the greatest estimate, then lower bound. Estimates above Value.Hi count as
	// Value.Hi. BestLinked reports whether the position after Best is in the book.
	Best       engine.Move
	BestLinked bool
	// Safe is a move that is proved to be worth at least Value.Lo, Best if possible. HasSafe is false
	// if there is no such move or no lower bound.
	Safe    engine.Move
	HasSafe bool
	// Unlinked is the best of the moves that end the game or lead to positions outside the book.
	// HasUnlinked is false if there is no such move.
	Unlinked      engine.Move
	UnlinkedValue Value
	HasUnlinked   bool
}

// Flags of an encoded entry; publish.go describes the encoding.
const (
	withOrigin = 1 << iota
	withVisits
	withSafe     // Safe follows; it differs from Best
	withUnlinked // Unlinked and UnlinkedValue follow
	bestLinked
	bestSafe // Safe is Best
)

func (e *Entry) append(b []byte) []byte {
	var flags byte
	set := func(flag byte, on bool) {
		if on {
			flags |= flag
		}
	}
	set(withOrigin, e.Origin != (Origin{}))
	set(withVisits, e.Visits > 0)
	set(withSafe, e.HasSafe && e.Safe != e.Best)
	set(withUnlinked, e.HasUnlinked)
	set(bestLinked, e.BestLinked)
	set(bestSafe, e.HasSafe && e.Safe == e.Best)
	b = appendValue(append(b, flags), e.Value, false)
	if flags&withOrigin != 0 {
		b = binary.AppendUvarint(b, uint64(e.Origin.Depth))
		b = binary.AppendUvarint(b, uint64(e.Origin.Millis))
		b = binary.AppendUvarint(b, uint64(e.Origin.Plies))
	}
	if flags&withVisits != 0 {
		b = binary.AppendUvarint(b, uint64(e.Visits))
	}
	b = binary.AppendUvarint(b, uint64(e.Best))
	if flags&withSafe != 0 {
		b = binary.AppendUvarint(b, uint64(e.Safe))
	}
	if flags&withUnlinked != 0 {
		b = binary.AppendUvarint(b, uint64(e.Unlinked))
		b = appendValue(b, e.UnlinkedValue, false)
	}
	return b
}

func readEntry(r *reader) (e Entry) {
	flags := r.bytes(1)[0]
	e.Value, _ = r.value()
	if flags&withOrigin != 0 {
		e.Origin = Origin{
			Depth:  uint16(r.uvarint(1<<16 - 1)),
			Millis: uint32(r.uvarint(1<<32 - 1)),
			Plies:  uint16(r.uvarint(1<<16 - 1)),
		}
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
	if flags&withUnlinked != 0 {
		e.Unlinked, e.HasUnlinked = engine.Move(r.uvarint(1<<16-1)), true
		e.UnlinkedValue, _ = r.value()
	}
	return e
}

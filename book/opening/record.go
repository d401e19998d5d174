package opening

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"endwise/engine"
)

// storedMove is a legal move of a node. It represents all moves equivalent to it.
type storedMove struct {
	Hash uint32 // childHash of the position after the move, 0 if the game is over
	Move uint16 // of the canonical position
	Ends bool   // the move ends the game; then Eval is exact
	Eval Value
}

type record struct {
	Key    string
	Own    Value        // bounds proved for the position itself; Est is not used
	Depth  uint16       // of the evaluation, in plies
	Millis uint32       // time of the evaluation
	Visits uint32       // as in Entry
	Moves  []storedMove // ascending by Move
}

// appendTo appends the encoded record to b:
//
//	uvarint  length of the key
//	bytes    key
//	uvarints visits, depth, milliseconds
//	value    bounds of the position itself (bytes.go)
//	uvarint  number of moves
//	for each move:
//	uvarint  the number of the move minus that of the previous one, if there is one
//	uint32   hash, little-endian
//	value    evaluation of the move, marked if the move ends the game
func (r *record) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.Key)))
	b = append(b, r.Key...)
	b = binary.AppendUvarint(b, uint64(r.Visits))
	b = binary.AppendUvarint(b, uint64(r.Depth))
	b = binary.AppendUvarint(b, uint64(r.Millis))
	b = appendValue(b, r.Own, false)
	b = binary.AppendUvarint(b, uint64(len(r.Moves)))
	last := 0
	for i := range r.Moves {
		c := &r.Moves[i]
		b = binary.AppendUvarint(b, uint64(int(c.Move)-last))
		last = int(c.Move)
		b = binary.LittleEndian.AppendUint32(b, c.Hash)
		b = appendValue(b, c.Eval, c.Ends)
	}
	return b
}

const maxMoves = 4096

var errRecord = errors.New("record is malformed")

// decodeRecord decodes what appendTo appended, or returns errRecord.
func decodeRecord(b []byte) (record, error) {
	r := &reader{b: b}
	out := record{Key: string(r.bytes(int(r.uvarint(maxKeyBytes))))}
	out.Visits = uint32(r.uvarint(1<<32 - 1))
	out.Depth = uint16(r.uvarint(1<<16 - 1))
	out.Millis = uint32(r.uvarint(1<<32 - 1))
	out.Own, _ = r.value()
	n := int(r.uvarint(maxMoves))
	if r.bad || n == 0 {
		return record{}, errRecord
	}
	out.Moves = make([]storedMove, n)
	last := uint64(0)
	for i := range out.Moves {
		c := &out.Moves[i]
		d := r.uvarint(1 << 16)
		if last += d; last >= 1<<16 || i > 0 && d == 0 {
			return record{}, errRecord
		}
		c.Move = uint16(last)
		c.Hash = binary.LittleEndian.Uint32(r.bytes(4))
		c.Eval, c.Ends = r.value()
		if c.Ends && !c.Eval.Exact() {
			return record{}, errRecord
		}
	}
	if r.bad || len(r.b) != 0 {
		return record{}, errRecord
	}
	return out, nil
}

func childHash(key string) uint32 { return uint32(keyHash(key) >> 32) }

// mergeRecords combines two records of the same node. The result has the tighter bounds, the estimates
// of the record that is greater by compareEstimates, and the larger number of visits. It returns
// [ErrContradiction] if bounds exclude each other, and [ErrDamaged] if the moves differ.
func mergeRecords(x, y record) (record, error) {
	better, other := x, y
	if x.compareEstimates(&y) < 0 {
		better, other = y, x
	}
	if len(better.Moves) != len(other.Moves) {
		return record{}, fmt.Errorf("node %x: %w: %d moves in one record, %d in the other",
			x.Key, ErrDamaged, len(better.Moves), len(other.Moves))
	}
	out := better
	out.Visits = max(x.Visits, y.Visits)
	own, consistent := better.Own.Within(other.Own)
	out.Own = own.boundsOnly()
	out.Moves = slices.Clone(better.Moves)
	for i := range out.Moves {
		c, o := &out.Moves[i], &other.Moves[i]
		if c.Move != o.Move || c.Hash != o.Hash {
			return record{}, fmt.Errorf("node %x: %w: different moves", x.Key, ErrDamaged)
		}
		eval, ok := c.Eval.Within(o.Eval)
		c.Eval, consistent = eval, consistent && ok
	}
	if !consistent {
		return record{}, fmt.Errorf("node %x: %w", x.Key, ErrContradiction)
	}
	return out, nil
}

// compareEstimates compares two records of a node by time, then by depth, then by their estimates.
func (r *record) compareEstimates(o *record) int {
	return cmp.Or(cmp.Compare(r.Millis, o.Millis), cmp.Compare(r.Depth, o.Depth),
		slices.CompareFunc(r.Moves, o.Moves, func(c, d storedMove) int { return cmp.Compare(c.Eval.Est, d.Eval.Est) }))
}

func (r *record) equal(o *record) bool {
	return r.Key == o.Key && r.Own == o.Own && r.Depth == o.Depth && r.Millis == o.Millis && r.Visits == o.Visits &&
		slices.Equal(r.Moves, o.Moves)
}

// appendText appends a line of the text form (export.go).
func (r *record) appendText(dst []byte, p engine.Position, v Value) []byte {
	dst = fmt.Appendf(dst, "%x %s visits=%d depth=%d ms=%d", r.Key, v, r.Visits, r.Depth, r.Millis)
	if s := r.Own.Bounds(); s != "" {
		dst = fmt.Appendf(dst, " proved=%s", s)
	}
	for i := range r.Moves {
		c := &r.Moves[i]
		dst = fmt.Appendf(dst, " %s=%s", p.MoveString(engine.Move(c.Move)), c.Eval)
	}
	return append(dst, '\n')
}

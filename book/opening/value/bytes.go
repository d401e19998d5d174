package value

import "encoding/binary"

// A value's bytes are a byte of flags and the numbers that it announces, as zig-zag
// varints: the estimate, then the bounds.
const (
	hasLo    = 1 << iota // Lo is bounded
	hasHi                // Hi is bounded
	hasEst               // Est follows; without it, Est is Lo (or 0)
	oneExact             // Lo = Hi = Est: a single number follows
	marked               // says what Append's caller wants
)

// Append appends a value, which may bear a mark.
func Append(b []byte, v Value, mark bool) []byte {
	var f byte
	if mark {
		f = marked
	}
	switch {
	case v.Exact():
		return binary.AppendVarint(append(b, f|oneExact), int64(v.Lo))
	case v.Lo > -Unbounded && v.Hi < Unbounded:
		f |= hasLo | hasHi
	case v.Lo > -Unbounded:
		f |= hasLo
	case v.Hi < Unbounded:
		f |= hasHi
	}
	b = binary.AppendVarint(append(b, f|hasEst), int64(v.Est))
	if f&hasLo != 0 {
		b = binary.AppendVarint(b, int64(v.Lo))
	}
	if f&hasHi != 0 {
		b = binary.AppendVarint(b, int64(v.Hi))
	}
	return b
}

// Reader reads bytes, varints and values and remembers the first failure.
type Reader struct {
	b   []byte
	bad bool
}

// NewReader returns a reader of b, to which what it reads goes on belonging.
func NewReader(b []byte) *Reader { return &Reader{b: b} }

// Bad says whether anything that was read was not there or out of its range.
func (r *Reader) Bad() bool { return r.bad }

// Len is the number of bytes that are left, 0 after a failure.
func (r *Reader) Len() int { return len(r.b) }

// Uvarint reads a number from 0 to limit.
func (r *Reader) Uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// score reads a score within ±Max.
func (r *Reader) score() int16 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v > Max || v < -Max {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int16(v)
}

// Bytes reads n bytes; after a failure they are zero.
func (r *Reader) Bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// Value reads what Append writes.
func (r *Reader) Value() (v Value, mark bool) {
	flags := r.Bytes(1)[0]
	mark = flags&marked != 0
	if flags&oneExact != 0 {
		return Exactly(r.score()), mark
	}
	v = Unknown(0)
	if flags&hasEst != 0 {
		v.Est = r.score()
	}
	if flags&hasLo != 0 {
		v.Lo = r.score()
	}
	if flags&hasHi != 0 {
		v.Hi = r.score()
	}
	if v.Lo > v.Hi {
		r.bad = true
	}
	return v, mark
}

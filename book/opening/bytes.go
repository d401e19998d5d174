package opening

import "encoding/binary"

// An encoded value is a byte of flags, followed by the estimate, the lower bound and the upper
// bound as zig-zag varints, as far as the flags report them.
const (
	hasLo = 1 << iota
	hasHi
	hasEst
	oneExact // Lo = Hi = Est: a single number follows
	marked   // meaning defined by the caller of appendValue
)

// appendValue appends the encoded value v to b; mark sets the flag marked.
func appendValue(b []byte, v Value, mark bool) []byte {
	var f byte
	if mark {
		f = marked
	}
	if v.Exact() {
		return binary.AppendVarint(append(b, f|oneExact), int64(v.Lo))
	}
	f |= hasEst
	if v.Lo > -Unbounded {
		f |= hasLo
	}
	if v.Hi < Unbounded {
		f |= hasHi
	}
	b = binary.AppendVarint(append(b, f), int64(v.Est))
	if f&hasLo != 0 {
		b = binary.AppendVarint(b, int64(v.Lo))
	}
	if f&hasHi != 0 {
		b = binary.AppendVarint(b, int64(v.Hi))
	}
	return b
}

type reader struct {
	b   []byte // unread bytes
	bad bool   // a read failed
}

// uvarint reads a number from 0 to limit. After a failure, the reader's methods return zeros.
func (r *reader) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// score reads a number within ±maxScore.
func (r *reader) score() int16 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v > maxScore || v < -maxScore {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return int16(v)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

// value reads what appendValue wrote. A lower bound above the upper bound is a failure.
func (r *reader) value() (v Value, mark bool) {
	flags := r.bytes(1)[0]
	mark = flags&marked != 0
	if flags&oneExact != 0 {
		return exactly(r.score()), mark
	}
	v = unknown(0)
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

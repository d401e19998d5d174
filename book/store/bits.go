package store

// bitWriter appends numbers of 0 to 64 bits, low bits first. A negative length counts as 0.
type bitWriter struct {
	out  []byte
	acc  uint64
	have int // number of bits in acc, below 8 between calls
}

func (w *bitWriter) put(v uint64, n int) {
	for n > 0 {
		take := min(n, 56)
		w.acc |= (v & (1<<take - 1)) << w.have
		w.have += take
		v >>= take
		n -= take
		for w.have >= 8 {
			w.out = append(w.out, byte(w.acc))
			w.acc >>= 8
			w.have -= 8
		}
	}
}

// bytes fills the last byte with zero bits and returns all bytes.
func (w *bitWriter) bytes() []byte {
	if w.have > 0 {
		w.out = append(w.out, byte(w.acc))
		w.acc, w.have = 0, 0
	}
	return w.out
}

// bitsAt returns n bits of b, at most 64, that begin at bit pos, in the order of [bitWriter]. A
// negative n counts as 0. Bits beyond the end of b are zero.
func bitsAt(b []byte, pos, n int) uint64 {
	var v uint64
	for got := 0; got < n; {
		i := pos >> 3
		if i >= len(b) {
			break
		}
		take := min(8-pos&7, n-got)
		v |= uint64(b[i]>>(pos&7)) & (1<<take - 1) << got
		got += take
		pos += take
	}
	return v
}

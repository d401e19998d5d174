package store

import "testing"

func TestUnpack(t *testing.T) {
	for _, bits := range []int{1, 2, 4, 8} {
		block := make([]byte, 77)
		value := func(i int) uint8 { return uint8(i*37) & (1<<bits - 1) }
		for i := range 77 {
			block[i*bits/8] |= value(i) << (i * bits % 8)
		}
		for i := range 77 {
			if got := unpack(block, i, bits); got != value(i) {
				t.Errorf("%d bits, value %d: %d, want %d", bits, i, got, value(i))
			}
		}
	}
}

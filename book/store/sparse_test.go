package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"endwise/engine/testenv"
)

func TestSparseBlockCoding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		keyBits := 8 * (2 + r.IntN(15))
		prefix := r.IntN(min(keyBits-subBits, 40) + 1)
		valueBits := 1 + r.IntN(32)
		coding := blockCoding{PrefixBits: prefix, KeyBits: keyBits, ValueBits: valueBits}
		block := r.Uint64N(1 << prefix)
		want := map[Key]uint32{}
		var list []entry
		for range r.IntN(61) {
			k := Key{r.Uint64(), r.Uint64()}
			if prefix > 0 {
				k.Hi = k.Hi<<prefix>>prefix | block<<(64-prefix)
			}
			k = k.truncate(keyBits)
			if _, ok := want[k]; ok {
				continue
			}
			want[k] = uint32(r.Uint64N(1 << valueBits))
			list = append(list, entry{k, want[k]})
		}
		sortEntries(list)
		code, err := coding.encode(list)
		testenv.OK(t, err)
		v, err := coding.view(code)
		testenv.OK(t, err)
		var back []entry
		testenv.OK(t, v.each(block, func(k Key, x uint32) error { back = append(back, entry{k, x}); return nil }))
		if !slices.Equal(back, list) {
			t.Fatalf("entries %v, want %v", back, list)
		}
		for _, e := range list {
			if x, ok := v.find(e.Key); !ok || x != e.Value {
				t.Fatalf("find %x: %d, %v; want %d", e.Key, x, ok, e.Value)
			}
			// Keys that differ in a single bit after the prefix.
			for bit := prefix; bit < keyBits; bit++ {
				miss := e.Key
				if bit < 64 {
					miss.Hi ^= 1 << (63 - bit)
				} else {
					miss.Lo ^= 1 << (127 - bit)
				}
				if _, there := want[miss]; there {
					continue
				}
				if x, ok := v.find(miss); ok {
					t.Fatalf("find %x: there is no such key, and it has the value %d", miss, x)
				}
			}
		}
	}
}

// For any bytes as a sparse block, view or each returns an error, or find finds every entry
// that each lists.
func FuzzSparseBlock(f *testing.F) {
	coding := blockCoding{KeyBits: 64, ValueBits: 8}
	var list []entry
	for i := range uint64(20) {
		list = append(list, entry{Key{Hi: i * 0x0123456789abcdef >> 12}, uint32(i)})
	}
	sortEntries(list)
	block, err := coding.encode(list)
	testenv.OK(f, err)
	f.Add(block, uint64(1))
	f.Add(block[:len(block)/2], uint64(2))
	f.Add(make([]byte, countBytes+1), uint64(3))
	f.Fuzz(func(t *testing.T, block []byte, hi uint64) {
		v, err := coding.view(block)
		if err != nil {
			return
		}
		v.find(Key{Hi: hi})
		listed := map[Key][]uint32{}
		n := 0
		err = v.each(0, func(k Key, value uint32) error {
			n++
			listed[k] = append(listed[k], value)
			return nil
		})
		if n > v.n || err == nil && n != v.n {
			t.Fatalf("%d entries listed of %d, %v", n, v.n, err)
		}
		if err != nil {
			return
		}
		for k, values := range listed {
			if x, ok := v.find(k); !ok || x != values[0] {
				t.Fatalf("find %x: %d, %v; listed are %v", k, x, ok, values)
			}
		}
	})
}

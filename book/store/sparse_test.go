package store

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"endwise/engine/testenv"
)

func TestSparseBlockCoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keyBits := 8 * rapid.IntRange(2, 16).Draw(t, "key bytes")
		prefix := rapid.IntRange(0, min(keyBits-subBits, 40)).Draw(t, "prefix bits")
		valueBits := rapid.IntRange(1, 32).Draw(t, "value bits")
		coding := blockCoding{PrefixBits: prefix, KeyBits: keyBits, ValueBits: valueBits}
		block := rapid.Uint64Range(0, 1<<prefix-1).Draw(t, "block")
		want := map[Key]uint32{}
		var list []entry
		for range rapid.IntRange(0, 60).Draw(t, "entries") {
			k := Key{rapid.Uint64().Draw(t, "hi"), rapid.Uint64().Draw(t, "lo")}
			if prefix > 0 {
				k.Hi = k.Hi<<prefix>>prefix | block<<(64-prefix)
			}
			k = k.truncate(keyBits)
			if _, ok := want[k]; ok {
				continue
			}
			want[k] = uint32(rapid.Uint64Range(0, 1<<valueBits-1).Draw(t, "value"))
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
			// Keys that differ in a single bit behind the prefix.
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
	})
}

// A sparse block of any bytes is refused, or its entries can be listed, and what
// is listed is found.
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
	f.Add(make([]byte, fixed+1), uint64(3))
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

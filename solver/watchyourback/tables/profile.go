package tables

import (
	"encoding/binary"
	"fmt"
)

// Profile contains the value of a position for every number of turns left: bit r-1 of Win
// and Loss is for r turns.
type Profile struct{ Win, Loss uint64 }

const oddTurns = 0x5555555555555555 // bits 0, 2, 4, … are for 1, 3, 5, … turns

// halves divides a profile by the parity of the turns left. Each half is one word, with wins
// on the even bits and losses on the odd bits.
func (p Profile) halves() (odd, even uint64) {
	return p.Win&oddTurns | p.Loss&oddTurns<<1, p.Win&^oddTurns>>1 | p.Loss&^oddTurns
}

// profileOf is the inverse of halves.
func profileOf(odd, even uint64) Profile {
	return Profile{Win: odd&oddTurns | even&oddTurns<<1, Loss: odd&^oddTurns>>1 | even&^oddTurns}
}

// Value returns the value with r turns left (1..64): 1, 0 or -1.
func (p Profile) Value(r int) int {
	return int(p.Win>>(r-1)&1) - int(p.Loss>>(r-1)&1)
}

// dictionary numbers profiles in the order of their first occurrence.
type dictionary struct {
	number map[Profile]uint32
	list   []Profile
}

// encode returns the dictionary: the odd halves and then the even halves, in the order of
// their first occurrence, as eight little-endian bytes each; then the profiles as pairs of
// uvarint indexes of halves. Each of the three lists begins with its uvarint length.
func (d *dictionary) encode() []byte {
	var numbers [2]map[uint64]uint64
	var lists [2][]uint64
	var pairs []byte
	for i := range numbers {
		numbers[i] = map[uint64]uint64{}
	}
	for _, p := range d.list {
		var h [2]uint64
		h[0], h[1] = p.halves()
		for i, half := range h {
			n, ok := numbers[i][half]
			if !ok {
				n = uint64(len(lists[i]))
				numbers[i][half] = n
				lists[i] = append(lists[i], half)
			}
			pairs = binary.AppendUvarint(pairs, n)
		}
	}
	var data []byte
	for _, l := range lists {
		data = binary.AppendUvarint(data, uint64(len(l)))
		for _, half := range l {
			data = binary.LittleEndian.AppendUint64(data, half)
		}
	}
	data = binary.AppendUvarint(data, uint64(len(d.list)))
	return append(data, pairs...)
}

// decodeDictionary is the inverse of encode.
func decodeDictionary(data []byte) ([]Profile, error) {
	bad := fmt.Errorf("dictionary of %d bytes contradicts itself", len(data))
	uvarint := func() (uint64, bool) {
		v, n := binary.Uvarint(data)
		if n <= 0 || v > 1<<28 {
			return 0, false
		}
		data = data[n:]
		return v, true
	}
	var lists [2][]uint64
	for i := range lists {
		n, ok := uvarint()
		if !ok || n > uint64(len(data))/8 {
			return nil, bad
		}
		for range n {
			lists[i] = append(lists[i], binary.LittleEndian.Uint64(data))
			data = data[8:]
		}
	}
	n, ok := uvarint()
	if !ok || n > uint64(len(data))/2 {
		return nil, bad
	}
	list := make([]Profile, n)
	for k := range list {
		i, ok1 := uvarint()
		j, ok2 := uvarint()
		if !ok1 || !ok2 || i >= uint64(len(lists[0])) || j >= uint64(len(lists[1])) {
			return nil, bad
		}
		list[k] = profileOf(lists[0][i], lists[1][j])
		if list[k].Win&list[k].Loss != 0 {
			return nil, bad
		}
	}
	return list, nil
}

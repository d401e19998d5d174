package tables

import (
	"encoding/binary"
	"fmt"
)

// Profile contains the values of a position. Bit r-1 of Win is set if the side to move wins with r
// turns left before the second shrink, 1..64; bit r-1 of Loss if it loses.
type Profile struct{ Win, Loss uint64 }

const oddTurns = 0x5555555555555555

// halves returns the values of a profile for odd and for even numbers of turns left, 32 pairs of
// bits each: the lower bit of a pair for a win, the upper one for a loss.
func (p Profile) halves() (odd, even uint64) {
	return p.Win&oddTurns | p.Loss&oddTurns<<1, p.Win&^oddTurns>>1 | p.Loss&^oddTurns
}

func profileOf(odd, even uint64) Profile {
	return Profile{Win: odd&oddTurns | even&oddTurns<<1, Loss: odd&^oddTurns>>1 | even&^oddTurns}
}

// Value returns the value with r turns left (1..64): 1, 0 or -1.
func (p Profile) Value(r int) int {
	return int(p.Win>>(r-1)&1) - int(p.Loss>>(r-1)&1)
}

type dictionary struct {
	number map[Profile]uint32 // index in list
	list   []Profile
}

// encode returns the encoded dictionary: three lists, each preceded by its length as a uvarint:
//
//	the distinct odd halves, in the order of their first occurrence, as uint64, little-endian
//	the distinct even halves, likewise
//	the profiles: the indexes of their odd and even halves, as two uvarints
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

// decodeDictionary returns the profiles of an encoded dictionary. Its error means damaged data.
func decodeDictionary(data []byte) ([]Profile, error) {
	bad := fmt.Errorf("damaged dictionary of %d bytes", len(data))
	uvarint := func() (v uint64, ok bool) { // removes a number from data
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

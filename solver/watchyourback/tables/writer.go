package tables

import (
	"fmt"
	"math/bits"
)

// Stats is what packing counted. Index 0 holds losses, 1 ties, 2 wins.
type Stats struct {
	Positions uint64 // that games can reach: disjoint and nobody surrounded
	// Values counts the values of all planes, FullClock those with 64 turns
	// left alone.
	Values, FullClock [3]uint64
	Profiles          int // in the dictionary
}

// Unreachable stands for a position that no game reaches.
var Unreachable = Profile{^uint64(0), ^uint64(0)}

// seenBits is the logarithm of how many profiles are found without the map.
const seenBits = 16

// Writer turns the profiles of a table's positions, in the order of their ranks, into
// its blocks, in ascending order.
type Writer struct {
	layout Layout
	dict   dictionary
	counts []uint64                // positions of each profile
	seen   [1 << seenBits]struct { // profiles of late and their numbers, by hash
		profile Profile
		number  uint32
	}
	lastID  uint32
	encoder blockEncoder
	ids     []uint32
	next    uint64
	emit    func(block uint64, payload []byte) error
}

// NewWriter returns a writer of the table of so many pieces.
func NewWriter(pieces int, emit func(block uint64, payload []byte) error) *Writer {
	p := &Writer{layout: LayoutOf(pieces), dict: dictionary{number: map[Profile]uint32{}}, emit: emit}
	for i := range p.seen {
		p.seen[i].profile = Unreachable
	}
	return p
}

// Add takes the profiles of the next positions.
func (p *Writer) Add(list []Profile) error {
	for _, v := range list {
		if v != Unreachable {
			at := &p.seen[(v.Win*0x9e3779b97f4a7c15^v.Loss*0xc2b2ae3d27d4eb4f)>>(64-seenBits)]
			if at.profile != v {
				at.profile, at.number = v, p.number(v)
			}
			p.lastID = at.number
			p.counts[p.lastID]++
		}
		if p.ids = append(p.ids, p.lastID); len(p.ids) == BlockPositions {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// number is the number of a profile in the dictionary.
func (p *Writer) number(v Profile) uint32 {
	id, ok := p.dict.number[v]
	if !ok {
		id = uint32(len(p.dict.list))
		p.dict.number[v] = id
		p.dict.list = append(p.dict.list, v)
		p.counts = append(p.counts, 0)
	}
	return id
}

func (p *Writer) flush() error {
	if len(p.ids) == 0 {
		return nil
	}
	err := p.emit(p.next, p.encoder.encode(p.ids, len(p.dict.list)))
	p.ids = p.ids[:0]
	p.next++
	return err
}

// Finish writes the rest and sums up.
func (p *Writer) Finish() (Stats, error) {
	if err := p.flush(); err != nil {
		return Stats{}, err
	}
	l := p.layout
	data := p.dict.encode()
	if room := l.dictionaryBlocks() * dictionaryBytes; uint64(len(data)) > room {
		return Stats{}, fmt.Errorf("dictionary of %d bytes: the table has room for %d", len(data), room)
	}
	for range l.dictionaryBlocks() {
		n := min(len(data), dictionaryBytes)
		if err := p.emit(p.next, data[:n:n]); err != nil {
			return Stats{}, err
		}
		data = data[n:]
		p.next++
	}
	if p.next != l.Blocks() {
		return Stats{}, fmt.Errorf("%d blocks written, the layout has %d", p.next, l.Blocks())
	}
	st := Stats{Profiles: len(p.dict.list)}
	for id, n := range p.counts {
		v := p.dict.list[id]
		wins, losses := uint64(bits.OnesCount64(v.Win)), uint64(bits.OnesCount64(v.Loss))
		st.Positions += n
		st.Values[2] += n * wins
		st.Values[0] += n * losses
		st.Values[1] += n * (Planes - wins - losses)
		st.FullClock[1+v.Value(Planes)] += n
	}
	return st, nil
}

package tables

import (
	"fmt"
	"math/bits"
)

// Stats contains counts of the reachable positions of a table.
type Stats struct {
	Positions uint64
	// Values counts losses, ties and wins for the mover with 1..64 turns left, FullClock with 64.
	Values, FullClock [3]uint64
	Profiles          int
}

// Unreachable is passed to [Writer.Add] for a position in which a piece is surrounded.
var Unreachable = Profile{^uint64(0), ^uint64(0)}

const seenBits = 16 // logarithm of the size of Writer.seen

// Writer encodes a table. All profiles must be added in the order of the positions.
type Writer struct {
	layout Layout
	dict   dictionary
	counts []uint64                // number of positions, by profile number
	seen   [1 << seenBits]struct { // a cache of dict.number
		profile Profile // Unreachable: an empty entry
		number  uint32
	}
	lastID  uint32 // of the last reachable position
	encoder blockEncoder
	ids     []uint32 // of the current block
	next    uint64   // the current block
	emit    func(block uint64, payload []byte) error
}

// NewWriter returns a writer of the table for 4 to [MaxTablePieces] pieces. The writer calls emit
// with each block, in ascending order.
func NewWriter(pieces int, emit func(block uint64, payload []byte) error) *Writer {
	p := &Writer{layout: LayoutOf(pieces), dict: dictionary{number: map[Profile]uint32{}}, emit: emit}
	for i := range p.seen {
		p.seen[i].profile = Unreachable
	}
	return p
}

// Add adds the profiles of the next positions. It returns the error of emit.
func (p *Writer) Add(list []Profile) error {
	for _, v := range list {
		if v != Unreachable {
			hash := v.Win*0x9e3779b97f4a7c15 ^ v.Loss*0xc2b2ae3d27d4eb4f
			at := &p.seen[hash>>(64-seenBits)]
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

// number returns the number of a profile in the dictionary, and adds it if necessary.
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

// flush emits the current block, unless it is empty, and begins the next one.
func (p *Writer) flush() error {
	if len(p.ids) == 0 {
		return nil
	}
	err := p.emit(p.next, p.encoder.encode(p.ids, len(p.dict.list)))
	p.ids = p.ids[:0]
	p.next++
	return err
}

// Finish emits the remaining blocks and returns the counts. It returns an error if the number of
// blocks is wrong, the dictionary is too large for its blocks, or emit fails.
func (p *Writer) Finish() (Stats, error) {
	if err := p.flush(); err != nil {
		return Stats{}, err
	}
	l := p.layout
	data := p.dict.encode()
	if limit := l.dictionaryBlocks() * dictionaryBytes; uint64(len(data)) > limit {
		return Stats{}, fmt.Errorf("dictionary of %d bytes: the table can store %d", len(data), limit)
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
		st.Values[1] += n * (Layers - wins - losses)
		st.FullClock[1+v.Value(Layers)] += n
	}
	return st, nil
}

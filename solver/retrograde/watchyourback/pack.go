package watchyourback

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A packed table holds all materials with one total number of pieces. Its
// positions are ranked material by material (fewer own pieces first); within
// a material the rank is rank(own)*C(32-own, opp) + rank of the opponent's
// squares among those that own leaves free.
//
// A profile is the value of a position for all 64 turns. There are few: the
// values with an odd number of turns left settle, those with an even number
// settle, and each half takes a few thousand forms in two million positions.
// So a table has a dictionary of halves, a dictionary of profiles as pairs of
// halves, numbered in the order in which they appear, and blocks of
// BlockPositions positions:
//
//	uvarint n; n ascending profile numbers, the first as it is and the
//	others as uvarint differences; one byte a position, the lower half of
//	its index into that list; if n > 256, one byte a position with the
//	upper half
//
// Positions that no game reaches take the profile of the one before them.
// Position blocks come first, then as many blocks as Layout sets apart for
// the dictionary, cut into equal pieces, the last ones empty. The blocks are
// meant to be stored compressed.

// BlockPositions is the number of positions in a block.
const BlockPositions = 4096

// dictionaryBytes is how much of the dictionary a block takes.
const dictionaryBytes = 512 << 10

// Layout says where the positions of a table lie.
type Layout struct {
	Pieces    int
	materials []Material
	first     []uint64 // rank of each material's first position
	positions uint64
}

// LayoutOf is the layout of the table of all materials with exactly pieces
// pieces.
func LayoutOf(pieces int) Layout {
	l := Layout{Pieces: pieces}
	for _, m := range Materials(pieces) {
		if m.Own+m.Opp == pieces {
			l.materials = append(l.materials, m)
			l.first = append(l.first, l.positions)
			l.positions += uint64(m.Positions())
		}
	}
	return l
}

// Positions is the number of positions, reachable or not.
func (l Layout) Positions() uint64 { return l.positions }

// Blocks is the number of blocks, those of the dictionary included.
func (l Layout) Blocks() uint64 { return l.positionBlocks() + l.dictionaryBlocks() }

// dictionaryBlocks is the room for the dictionary: some 6 bytes a profile;
// there are 24 thousand profiles of 4 pieces, 46 thousand of 5 and 1.2
// million of 6.
func (l Layout) dictionaryBlocks() uint64 { return 1 << (3 * (l.Pieces - 4)) }

func (l Layout) positionBlocks() uint64 { return (l.positions + BlockPositions - 1) / BlockPositions }

// rankOf is the rank of a position whose material the table holds.
func (l Layout) rankOf(own, opp uint32) uint64 {
	a, b := bits.OnesCount32(own), bits.OnesCount32(opp)
	var r uint64
	k := 1
	for w := opp; w != 0; w &= w - 1 {
		s := bits.TrailingZeros32(w)
		free := s - bits.OnesCount32(own&(1<<s-1))
		r += uint64(binomial[free][k])
		k++
	}
	// Materials with the same total are ordered by own pieces, from two.
	return l.first[a-2] + uint64(rank(own))*uint64(binomial[squares-a][b]) + r
}

// profile is the value of a position for every number of turns left: bit r-1
// of win and of loss stands for r turns.
type profile struct{ win, loss uint64 }

const oddTurns = 0x5555555555555555 // bits 0, 2, 4, … stand for 1, 3, 5, … turns

// halves cuts a profile by the parity of the turns left. Win and loss exclude
// each other, so that each half fits one word: wins on the even bits, losses
// on the odd ones.
func (p profile) halves() (odd, even uint64) {
	return p.win&oddTurns | p.loss&oddTurns<<1, p.win&^oddTurns>>1 | p.loss&^oddTurns
}

func profileOf(odd, even uint64) profile {
	return profile{win: odd&oddTurns | even&oddTurns<<1, loss: odd&^oddTurns>>1 | even&^oddTurns}
}

// Value returns 1, 0 or -1 with r turns left, 1..64.
func (p profile) value(r int) int {
	return int(p.win>>(r-1)&1) - int(p.loss>>(r-1)&1)
}

// Stats is what packing counted. Index 0 holds losses, 1 ties, 2 wins.
type Stats struct {
	Positions uint64 // that games can reach: disjoint and nobody surrounded
	// Values counts the values of all planes, FullClock those with 64 turns
	// left alone.
	Values, FullClock [3]uint64
	Profiles, Odd     int // entries of the dictionary: whole profiles, odd halves,
	Even              int // even halves
}

// dictionary numbers profiles in the order in which they appear.
type dictionary struct {
	number map[profile]uint32
	list   []profile
}

// encode writes the halves in the order in which they appear in the list,
// odd ones and then even ones as eight little-endian bytes, and the profiles
// as pairs of their numbers, each part after its uvarint length.
func (d *dictionary) encode() (data []byte, odd, even int) {
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
	for _, l := range lists {
		data = binary.AppendUvarint(data, uint64(len(l)))
		for _, half := range l {
			data = binary.LittleEndian.AppendUint64(data, half)
		}
	}
	data = binary.AppendUvarint(data, uint64(len(d.list)))
	return append(data, pairs...), len(lists[0]), len(lists[1])
}

// decodeDictionary is the inverse of encode.
func decodeDictionary(data []byte) ([]profile, error) {
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
	list := make([]profile, n)
	for k := range list {
		i, ok1 := uvarint()
		j, ok2 := uvarint()
		if !ok1 || !ok2 || i >= uint64(len(lists[0])) || j >= uint64(len(lists[1])) {
			return nil, bad
		}
		list[k] = profileOf(lists[0][i], lists[1][j])
		if list[k].win&list[k].loss != 0 {
			return nil, bad
		}
	}
	return list, nil
}

// encodeBlock packs the profile numbers of a block's positions.
func encodeBlock(ids []uint32) []byte {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	index := make(map[uint32]int, len(sorted))
	out := binary.AppendUvarint(nil, uint64(len(sorted)))
	last := uint32(0)
	for i, id := range sorted {
		out = binary.AppendUvarint(out, uint64(id-last))
		last = id
		index[id] = i
	}
	low := len(out)
	out = append(out, make([]byte, len(ids))...)
	if len(sorted) > 256 {
		out = append(out, make([]byte, len(ids))...)
	}
	for i, id := range ids {
		n := index[id]
		out[low+i] = byte(n)
		if len(sorted) > 256 {
			out[low+len(ids)+i] = byte(n >> 8)
		}
	}
	return out
}

// block is a decoded block: position i has profile number
// ids[low[i] | high[i]<<8], high being nil where one byte is enough.
type block struct {
	ids       []uint32
	low, high []byte
}

// decodeBlock is the inverse of encodeBlock; n is the number of positions. The
// payload is kept.
func decodeBlock(payload []byte, n, profiles int) (*block, error) {
	bad := fmt.Errorf("block of %d bytes contradicts itself", len(payload))
	count, k := binary.Uvarint(payload)
	if k <= 0 || count == 0 || count > uint64(n) {
		return nil, bad
	}
	payload = payload[k:]
	b := &block{ids: make([]uint32, count)}
	var id uint64
	for i := range b.ids {
		d, k := binary.Uvarint(payload)
		if id += d; k <= 0 || d > 1<<28 || id >= uint64(profiles) {
			return nil, bad
		}
		b.ids[i] = uint32(id)
		payload = payload[k:]
	}
	want := n
	if count > 256 {
		want = 2 * n
	}
	if len(payload) != want {
		return nil, bad
	}
	b.low = payload[:n:n]
	if count > 256 {
		b.high = payload[n:]
	}
	for i := range n {
		if b.index(i) >= len(b.ids) {
			return nil, bad
		}
	}
	return b, nil
}

func (b *block) index(i int) int {
	k := int(b.low[i])
	if b.high != nil {
		k |= int(b.high[i]) << 8
	}
	return k
}

// unreachable marks positions without a value in the stream below.
var unreachable = profile{^uint64(0), ^uint64(0)}

// packer turns a stream of profiles into blocks.
type packer struct {
	dict   dictionary
	counts []uint64 // positions of each profile
	last   profile
	lastID uint32
	ids    []uint32
	next   uint64
	emit   func(block uint64, payload []byte) error
}

func (p *packer) add(list []profile) error {
	for _, v := range list {
		switch {
		case v == unreachable:
		case v == p.last && len(p.dict.list) > 0:
			p.counts[p.lastID]++
		default:
			id, ok := p.dict.number[v]
			if !ok {
				id = uint32(len(p.dict.list))
				p.dict.number[v] = id
				p.dict.list = append(p.dict.list, v)
				p.counts = append(p.counts, 0)
			}
			p.counts[id]++
			p.last, p.lastID = v, id
		}
		if p.ids = append(p.ids, p.lastID); len(p.ids) == BlockPositions {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *packer) flush() error {
	if len(p.ids) == 0 {
		return nil
	}
	err := p.emit(p.next, encodeBlock(p.ids))
	p.ids = p.ids[:0]
	p.next++
	return err
}

// Pack writes the table of the positions with exactly pieces pieces, block
// after block in ascending order.
func (s *Solved) Pack(ctx context.Context, pieces int, emit func(block uint64, payload []byte) error) (Stats, error) {
	layout := LayoutOf(pieces)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &packer{dict: dictionary{number: map[profile]uint32{}}, emit: emit}

	type job struct {
		c      chunk
		data   [Planes][]byte
		result chan []profile
		err    chan error
	}
	jobs := make(chan *job)
	ordered := make(chan *job, 2*runtime.GOMAXPROCS(0))
	readErr := make(chan error, 1)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			u := newUnpacker()
			defer u.dec.Close()
			for j := range jobs {
				list, err := u.profiles(s, j.c, &j.data)
				if err != nil {
					j.err <- err
				} else {
					j.result <- list
				}
			}
		})
	}
	wg.Go(func() {
		defer close(ordered)
		defer close(jobs)
		readErr <- s.readChunks(pieces, func(c chunk, data *[Planes][]byte) bool {
			j := &job{c, *data, make(chan []profile, 1), make(chan error, 1)}
			select {
			case ordered <- j:
			case <-ctx.Done():
				return false
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return false
			}
			return true
		})
	})
	for j := range ordered {
		select {
		case list := <-j.result:
			if err := p.add(list); err != nil {
				return Stats{}, err
			}
		case err := <-j.err:
			return Stats{}, err
		case <-ctx.Done():
			return Stats{}, ctx.Err()
		}
	}
	if err := <-readErr; err != nil {
		return Stats{}, err
	}
	if err := ctx.Err(); err != nil {
		return Stats{}, err
	}
	if err := p.flush(); err != nil {
		return Stats{}, err
	}
	return p.finish(layout)
}

// finish writes the dictionary and sums up.
func (p *packer) finish(l Layout) (Stats, error) {
	data, odd, even := p.dict.encode()
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
	st := Stats{Profiles: len(p.dict.list), Odd: odd, Even: even}
	for id, n := range p.counts {
		v := p.dict.list[id]
		wins, losses := uint64(bits.OnesCount64(v.win)), uint64(bits.OnesCount64(v.loss))
		st.Positions += n
		st.Values[2] += n * wins
		st.Values[0] += n * losses
		st.Values[1] += n * (Planes - wins - losses)
		st.FullClock[1+v.value(Planes)] += n
	}
	return st, nil
}

// readChunks reads the chunks of all planes in step and calls f for those of
// the wanted materials until it returns false.
func (s *Solved) readChunks(pieces int, f func(c chunk, data *[Planes][]byte) bool) error {
	var files [Planes]*planeReader
	for i := range files {
		var err error
		if files[i], err = openPlane(s.dir, i+1); err != nil {
			return err
		}
		defer files[i].Close()
	}
	for _, c := range s.chunks {
		var data [Planes][]byte
		for i := range files {
			var err error
			if data[i], err = files[i].next(); err != nil {
				return err
			}
		}
		if c.material.Own+c.material.Opp == pieces && !f(c, &data) {
			return nil
		}
	}
	return nil
}

// unpacker turns chunks of planes into profiles.
type unpacker struct {
	dec       *zstd.Decoder
	buf       []byte
	win, loss [Planes][]uint64
	now       [2][2][]uint64 // by parity: win and loss
}

func newUnpacker() *unpacker {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return &unpacker{dec: dec}
}

// profiles lists the profiles of a chunk's positions in the order of their
// ranks.
func (u *unpacker) profiles(s *Solved, c chunk, data *[Planes][]byte) ([]profile, error) {
	n := c.b - c.a
	for i := range u.now {
		u.now[i] = [2][]uint64{make([]uint64, n), make([]uint64, n)}
	}
	for i, d := range data {
		now := &u.now[i&1]
		var err error
		if u.buf, err = applyChunk(u.dec, u.buf, d, now[0], now[1]); err != nil {
			return nil, fmt.Errorf("plane %d: %w", i+1, err)
		}
		u.win[i] = append(u.win[i][:0], now[0]...)
		u.loss[i] = append(u.loss[i][:0], now[1]...)
	}
	fam := s.families[c.material.Opp]
	disjoint, stable := make(bitset, fam.words), make(bitset, fam.words)
	out := make([]profile, 0, (c.end-c.row)*int(binomial[squares-c.material.Own][c.material.Opp]))
	for row := c.row; row < c.end; row++ {
		own := s.families[c.material.Own].sets[row]
		fam.without(own, disjoint)
		fam.stableRow(own, stable)
		for w, d := range disjoint {
			if d == 0 {
				continue
			}
			var win, loss [64]uint64
			at := (row-c.row)*fam.words + w
			for r := range Planes {
				win[r], loss[r] = u.win[r][at], u.loss[r][at]
			}
			transpose64(&win)
			transpose64(&loss)
			for ; d != 0; d &= d - 1 {
				i := bits.TrailingZeros64(d)
				v := unreachable
				if stable[w]>>i&1 != 0 {
					v = profile{win[i], loss[i]}
				}
				out = append(out, v)
			}
		}
	}
	return out, nil
}

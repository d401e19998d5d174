package tables

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
)

// Stats is what packing counted. Index 0 holds losses, 1 ties, 2 wins.
type Stats struct {
	Positions uint64 // that games can reach: disjoint and nobody surrounded
	// Values counts the values of all planes, FullClock those with 64 turns
	// left alone.
	Values, FullClock [3]uint64
	Profiles          int // in the dictionary
}

// unreachable marks positions without a value in the stream below.
var unreachable = profile{^uint64(0), ^uint64(0)}

// seenBits is the logarithm of how many profiles are found without the map.
const seenBits = 16

// blockWriter turns a stream of profiles into blocks.
type blockWriter struct {
	dict   dictionary
	counts []uint64                // positions of each profile
	seen   [1 << seenBits]struct { // profiles of late and their numbers, by hash
		profile profile
		number  uint32
	}
	lastID  uint32
	encoder blockEncoder
	ids     []uint32
	next    uint64
	emit    func(block uint64, payload []byte) error
}

func (p *blockWriter) add(list []profile) error {
	for _, v := range list {
		if v != unreachable {
			at := &p.seen[(v.win*0x9e3779b97f4a7c15^v.loss*0xc2b2ae3d27d4eb4f)>>(64-seenBits)]
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
func (p *blockWriter) number(v profile) uint32 {
	id, ok := p.dict.number[v]
	if !ok {
		id = uint32(len(p.dict.list))
		p.dict.number[v] = id
		p.dict.list = append(p.dict.list, v)
		p.counts = append(p.counts, 0)
	}
	return id
}

func (p *blockWriter) flush() error {
	if len(p.ids) == 0 {
		return nil
	}
	err := p.emit(p.next, p.encoder.encode(p.ids, len(p.dict.list)))
	p.ids = p.ids[:0]
	p.next++
	return err
}

// Pack writes the table of the positions with exactly pieces pieces, block
// after block in ascending order.
func (s *Solved) Pack(ctx context.Context, pieces int, emit func(block uint64, payload []byte) error) (Stats, error) {
	layout := LayoutOf(pieces)
	ctx, cancel := context.WithCancel(ctx)
	p := &blockWriter{dict: dictionary{number: map[profile]uint32{}}, emit: emit}
	for i := range p.seen {
		p.seen[i].profile = unreachable
	}

	// Chunks are read and added in order; a goroutine for each turns it into profiles.
	type result struct {
		profiles []profile
		err      error
	}
	ordered := make(chan chan result, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	var readErr error
	group.Go(func() {
		defer close(ordered)
		readErr = s.readChunks(pieces, func(c chunk, data *[Planes][]byte) error {
			done := make(chan result, 1)
			select {
			case ordered <- done:
			case <-ctx.Done():
				return ctx.Err()
			}
			group.Go(func() {
				u := profilers.Get().(*profiler)
				defer profilers.Put(u)
				list, err := u.profiles(s, c, data)
				done <- result{list, err}
			})
			return nil
		})
	})
	for done := range ordered {
		r := <-done
		if r.err == nil {
			r.err = p.add(r.profiles)
		}
		if r.err != nil {
			return Stats{}, r.err
		}
	}
	if err := cmp.Or(readErr, ctx.Err()); err != nil {
		return Stats{}, err
	}
	if err := p.flush(); err != nil {
		return Stats{}, err
	}
	return p.finish(layout)
}

// finish writes the dictionary and sums up.
func (p *blockWriter) finish(l Layout) (Stats, error) {
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
// the wanted materials until it returns an error.
func (s *Solved) readChunks(pieces int, f func(c chunk, data *[Planes][]byte) error) error {
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
		if c.material.Own+c.material.Opp == pieces {
			if err := f(c, &data); err != nil {
				return err
			}
		}
	}
	return nil
}

// profiler turns chunks of planes into profiles.
type profiler struct {
	buf []byte
	// win and loss are the words of a chunk in all planes: first what changes in
	// each, which lies together for a word.
	win, loss [][Planes]uint64
}

// profilers have memory that was used before.
var profilers = sync.Pool{New: func() any { return new(profiler) }}

// profiles lists the profiles of a chunk's positions in the order of their
// ranks.
func (u *profiler) profiles(s *Solved, c chunk, data *[Planes][]byte) ([]profile, error) {
	u.win = append(u.win[:0], make([][Planes]uint64, c.b-c.a)...)
	u.loss = append(u.loss[:0], make([][Planes]uint64, c.b-c.a)...)
	for r, d := range data {
		var err error
		if u.buf, err = eachChange(u.buf, d, len(u.win), func(i int, x uint64) {
			if i < len(u.win) {
				u.win[i][r] = x
			} else {
				u.loss[i-len(u.win)][r] = x
			}
		}); err != nil {
			return nil, fmt.Errorf("plane %d: %w", r+1, err)
		}
	}
	fam := s.families[c.material.Opp]
	disjoint, stable := make(bitset, fam.words), make(bitset, fam.words)
	out := make([]profile, 0, (c.end-c.row)*int(binomial[squares-c.material.Own][c.material.Opp]))
	for row := c.row; row < c.end; row++ {
		own := s.families[c.material.Own].sets[row]
		fam.without(own, 0, disjoint)
		fam.stableRow(own, stable)
		for w, d := range disjoint {
			if d == 0 {
				continue
			}
			at := (row-c.row)*fam.words + w
			win, loss := &u.win[at], &u.loss[at]
			for r := 2; r < Planes; r++ {
				win[r] ^= win[r-2]
				loss[r] ^= loss[r-2]
			}
			transpose64(win)
			transpose64(loss)
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

package retrograde

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"endwise/solver/farm"
	"endwise/solver/watchyourback/tables"
)

// Pack writes the table of the positions with exactly pieces pieces, block
// after block in ascending order.
func (s *Solved) Pack(ctx context.Context, pieces int, emit func(block uint64, payload []byte) error) (tables.Stats, error) {
	p := tables.NewWriter(pieces, emit)
	each := func(send func(*column) error) error { return s.readChunks(pieces, send) }
	work := func(c *column) (err error) {
		u := profilers.Get().(*profiler)
		defer profilers.Put(u)
		c.profiles, err = u.profiles(s, c)
		return err
	}
	if err := farm.InOrder(ctx, each, work, func(c *column) error { return p.Add(c.profiles) }); err != nil {
		return tables.Stats{}, err
	}
	return p.Finish()
}

// column is a chunk of all planes: as it is in their files, then its positions'
// profiles.
type column struct {
	chunk
	data     [tables.Planes][]byte
	profiles []tables.Profile
}

// readChunks reads the chunks of all planes in step and calls f for those of
// the wanted materials until it returns an error.
func (s *Solved) readChunks(pieces int, f func(*column) error) error {
	var files [tables.Planes]*planeReader
	for i := range files {
		var err error
		if files[i], err = openPlane(s.dir, i+1); err != nil {
			return err
		}
		defer files[i].Close()
	}
	for _, c := range s.chunks {
		x := &column{chunk: c}
		for i := range files {
			var err error
			if x.data[i], err = files[i].next(); err != nil {
				return err
			}
		}
		if c.material.Own+c.material.Opp == pieces {
			if err := f(x); err != nil {
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
	win, loss [][tables.Planes]uint64
}

// profilers have memory that was used before.
var profilers = sync.Pool{New: func() any { return new(profiler) }}

// profiles lists the profiles of a chunk's positions in the order of their
// ranks.
func (u *profiler) profiles(s *Solved, c *column) ([]tables.Profile, error) {
	u.win = append(u.win[:0], make([][tables.Planes]uint64, c.b-c.a)...)
	u.loss = append(u.loss[:0], make([][tables.Planes]uint64, c.b-c.a)...)
	for r, d := range c.data {
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
	out := make([]tables.Profile, 0, (c.end-c.row)*c.material.Positions()/tables.Sets(c.material.Own))
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
			for r := 2; r < tables.Planes; r++ {
				win[r] ^= win[r-2]
				loss[r] ^= loss[r-2]
			}
			transpose64(win)
			transpose64(loss)
			for ; d != 0; d &= d - 1 {
				i := bits.TrailingZeros64(d)
				v := tables.Unreachable
				if stable[w]>>i&1 != 0 {
					v = tables.Profile{Win: win[i], Loss: loss[i]}
				}
				out = append(out, v)
			}
		}
	}
	return out, nil
}

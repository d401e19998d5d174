package retrograde

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"endwise/solver/farm"
	"endwise/solver/watchyourback/tables"
)

// Pack converts the layers to the table for a number of pieces: it calls emit with the blocks of
// the table in ascending order. An error of the layer files, of emit or of ctx ends Pack.
func (s *Solved) Pack(
	ctx context.Context, pieces int, emit func(block uint64, payload []byte) error,
) (tables.Stats, error) {
	w := tables.NewWriter(pieces, emit)
	read := func(send func(*column) error) error { return s.readChunks(pieces, send) }
	convert := func(c *column) (err error) {
		u := profilers.Get().(*profiler)
		defer profilers.Put(u)
		c.profiles, err = u.profiles(s, c)
		return err
	}
	write := func(c *column) error { return w.Add(c.profiles) }
	if err := farm.InOrder(ctx, read, convert, write); err != nil {
		return tables.Stats{}, err
	}
	return w.Finish()
}

// column is one chunk in all layers.
type column struct {
	chunk
	data     [tables.Layers][]byte // compressed
	profiles []tables.Profile      // in the order of the table
}

// readChunks reads all layer files side by side, chunk by chunk. It calls f with each column whose
// material has the given number of pieces. It stops at the first error, of the files or of f.
func (s *Solved) readChunks(pieces int, f func(*column) error) error {
	var files [tables.Layers]*layerReader
	for i := range files {
		var err error
		if files[i], err = openLayer(s.dir, i+1); err != nil {
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

type profiler struct {
	buf []byte
	// win[i] and loss[i] are the words i of the layer files, then of the layers, and then,
	// transposed, one word per position.
	win, loss [][tables.Layers]uint64
}

var profilers = sync.Pool{New: func() any { return new(profiler) }}

// load sets win and loss to the words of the layer files of a column.
func (u *profiler) load(c *column) error {
	u.win = append(u.win[:0], make([][tables.Layers]uint64, c.b-c.a)...)
	u.loss = append(u.loss[:0], make([][tables.Layers]uint64, c.b-c.a)...)
	for r, d := range c.data {
		var err error
		if u.buf, err = eachChange(u.buf, d, len(u.win), func(i int, x uint64) {
			if i < len(u.win) {
				u.win[i][r] = x
			} else {
				u.loss[i-len(u.win)][r] = x
			}
		}); err != nil {
			return fmt.Errorf("layer %d: %w", r+1, err)
		}
	}
	return nil
}

// profiles returns the profiles of a column in the table's order. Errors wrap errDamagedLayer.
func (u *profiler) profiles(s *Solved, c *column) ([]tables.Profile, error) {
	if err := u.load(c); err != nil {
		return nil, err
	}
	fam := s.families[c.material.Opp]
	disjoint, stable := make(bitset, fam.words), make(bitset, fam.words)
	out := make([]tables.Profile, 0, (c.end-c.row)*c.material.Positions()/tables.Sets(c.material.Own))
	for row := c.row; row < c.end; row++ {
		own := s.families[c.material.Own].sets[row]
		fam.disjoint(own, 0, disjoint)
		fam.stableRow(own, stable)
		for w, d := range disjoint {
			if d == 0 {
				continue
			}
			at := (row-c.row)*fam.words + w
			win, loss := &u.win[at], &u.loss[at]
			for r := 2; r < tables.Layers; r++ { // from differences to layers
				win[r] ^= win[r-2]
				loss[r] ^= loss[r-2]
			}
			transpose64(win) // from layers to positions
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

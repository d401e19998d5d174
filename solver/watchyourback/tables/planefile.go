package tables

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"endwise/engine/disk"
)

// A plane on disk is what changed against the plane two turns before it
// (planes 1 and 2: against nothing), because values settle with the parity of
// the turns left: after some thirty turns a plane of five pieces takes 300
// bytes. The file is a sequence of chunks, material by material and rows in
// order, each
//
//	uint32 length of the data, uint32 CRC-32C of the data, data
//
// little-endian; the data are the exclusive ors of the win words and of the
// loss words, packed with zstd. A file gets its name only when it is complete
// and on disk, so a plane is either there or not.

// chunkWords is the number of words of a chunk in each of win and loss.
const chunkWords = 4096

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunk is a range of rows of one material.
type chunk struct {
	material Material
	row, end int // rows
	a, b     int // words
}

// chunksOf lists the chunks of a plane of at most pieces pieces in order.
func chunksOf(pieces int) []chunk {
	var out []chunk
	for _, m := range Materials(pieces) {
		rows, words := int(binomial[squares][m.Own]), (int(binomial[squares][m.Opp])+63)/64
		step := max(1, chunkWords/words)
		for row := 0; row < rows; row += step {
			end := min(row+step, rows)
			out = append(out, chunk{m, row, end, row * words, end * words})
		}
	}
	return out
}

func planePath(dir string, r int) string { return filepath.Join(dir, fmt.Sprintf("plane-%02d", r)) }

// deltas packs the changes from old to now, chunk by chunk.
func (s *sweep) deltas(list []chunk, old, now *matrices) ([][]byte, error) {
	out := make([][]byte, len(list))
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	parallel(len(list), func(lo, hi int) {
		var raw []byte
		for i := lo; i < hi; i++ {
			c := list[i]
			raw = raw[:0]
			for _, pair := range [2][2][]uint64{
				{old.of(c.material).win, now.of(c.material).win},
				{old.of(c.material).loss, now.of(c.material).loss},
			} {
				for w := c.a; w < c.b; w++ {
					raw = binary.LittleEndian.AppendUint64(raw, pair[0][w]^pair[1][w])
				}
			}
			out[i] = enc.EncodeAll(raw, nil)
		}
	})
	return out, nil
}

// writePlane writes the packed chunks of plane r.
func writePlane(dir string, r int, data [][]byte) error {
	return disk.WriteFile(planePath(dir, r), 0o644, func(out io.Writer) error {
		w := bufio.NewWriterSize(out, 1<<20)
		for _, d := range data {
			var head [8]byte
			binary.LittleEndian.PutUint32(head[:4], uint32(len(d)))
			binary.LittleEndian.PutUint32(head[4:], crc32.Checksum(d, castagnoli))
			if _, err := w.Write(head[:]); err != nil {
				return err
			}
			if _, err := w.Write(d); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

// errDamagedPlane marks a plane file that has to be computed again.
var errDamagedPlane = errors.New("damaged plane file")

// planeReader reads the chunks of one plane file in order.
type planeReader struct {
	f    *os.File
	r    *bufio.Reader
	path string
}

func openPlane(dir string, r int) (*planeReader, error) {
	f, err := os.Open(planePath(dir, r))
	if err != nil {
		return nil, err
	}
	return &planeReader{f, bufio.NewReaderSize(f, 64<<10), f.Name()}, nil
}

func (p *planeReader) Close() error { return p.f.Close() }

// next returns the packed data of the next chunk.
func (p *planeReader) next() ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", p.path, errDamagedPlane, err)
	}
	n := binary.LittleEndian.Uint32(head[:4])
	if n > 32*chunkWords {
		return nil, fmt.Errorf("%s: %w: a chunk of %d bytes", p.path, errDamagedPlane, n)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(p.r, data); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", p.path, errDamagedPlane, err)
	}
	if crc32.Checksum(data, castagnoli) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, fmt.Errorf("%s: %w: checksum", p.path, errDamagedPlane)
	}
	return data, nil
}

// unpackChunk unpacks a chunk into buf: so many win words and as many loss
// words.
func unpackChunk(dec *zstd.Decoder, buf, data []byte, words int) ([]byte, error) {
	raw, err := dec.DecodeAll(data, buf[:0])
	if err != nil || len(raw) != 2*8*words {
		return raw, fmt.Errorf("%w: chunk of %d bytes, want %d: %v", errDamagedPlane, len(raw), 2*8*words, err)
	}
	return raw, nil
}

// applyChunk unpacks a chunk and changes win and loss, the chunk's words, by
// it.
func applyChunk(dec *zstd.Decoder, buf, data []byte, win, loss []uint64) ([]byte, error) {
	raw, err := unpackChunk(dec, buf, data, len(win))
	if err != nil {
		return raw, err
	}
	for i := range win {
		win[i] ^= binary.LittleEndian.Uint64(raw[8*i:])
	}
	rest := raw[8*len(win):]
	for i := range loss {
		loss[i] ^= binary.LittleEndian.Uint64(rest[8*i:])
	}
	return raw, nil
}

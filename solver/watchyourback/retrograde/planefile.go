package retrograde

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"

	"endwise/engine/disk"
	"endwise/solver/watchyourback/tables"
)

// A plane on disk is what changed against the plane two turns before it
// (planes 1 and 2: against nothing), because values settle with the parity of
// the turns left: after some thirty turns a plane of five pieces takes 300
// bytes. The file is a sequence of chunks, material by material and rows in
// order, each a frame packed with zstd: a bit for each win word and each loss word
// that has changed, then the exclusive ors of those words, all little-endian. A
// file gets its name only when it is complete and on disk, so a plane is either
// there or not.

// chunkWords is the number of words of a chunk in each of win and loss.
const chunkWords = 4096

// frames are how the chunks lie in a plane file.
var frames = disk.Frames{Order: binary.LittleEndian, Max: 32 * chunkWords}

// chunk is a range of rows of one material.
type chunk struct {
	material tables.Material
	row, end int // rows
	a, b     int // words
}

// chunksOf lists the chunks of a plane of at most pieces pieces in order.
func chunksOf(pieces int) []chunk {
	var out []chunk
	for _, m := range tables.Materials(pieces) {
		rows, words := tables.Sets(m.Own), (tables.Sets(m.Opp)+63)/64
		step := max(1, chunkWords/words)
		for row := 0; row < rows; row += step {
			end := min(row+step, rows)
			out = append(out, chunk{m, row, end, row * words, end * words})
		}
	}
	return out
}

func planePath(dir string, r int) string { return filepath.Join(dir, fmt.Sprintf("plane-%02d", r)) }

// PlaneFile is the bytes of a plane file in dir.
func PlaneFile(dir string, r int) ([]byte, error) { return os.ReadFile(planePath(dir, r)) }

// errDamagedPlane marks a plane file that has to be computed again.
var errDamagedPlane = errors.New("damaged plane file")

// splitChunks cuts a plane file, or a part of one, into its chunks.
func splitChunks(file []byte, want int) ([][]byte, error) {
	var out [][]byte
	for len(file) > 0 {
		data, n := frames.First(file)
		if n == 0 {
			return nil, fmt.Errorf("%w: chunk %d is not whole", errDamagedPlane, len(out))
		}
		out, file = append(out, data), file[n:]
	}
	if len(out) != want {
		return nil, fmt.Errorf("%w: %d chunks, want %d", errDamagedPlane, len(out), want)
	}
	return out, nil
}

// planeReader reads the chunks of one plane file in order.
type planeReader struct {
	f *os.File
	r *bufio.Reader
}

func openPlane(dir string, r int) (*planeReader, error) {
	f, err := os.Open(planePath(dir, r))
	if err != nil {
		return nil, err
	}
	return &planeReader{f, bufio.NewReaderSize(f, 2*(frames.Head()+frames.Max))}, nil
}

func (p *planeReader) Close() error { return p.f.Close() }

// next returns the packed data of the next chunk.
func (p *planeReader) next() ([]byte, error) {
	b, err := p.r.Peek(frames.Head() + frames.Max)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	data, n := frames.First(b)
	if n == 0 {
		return nil, fmt.Errorf("%s: %w: a chunk is not whole", p.f.Name(), errDamagedPlane)
	}
	data = bytes.Clone(data)
	_, err = p.r.Discard(n)
	return data, err
}

// packing packs chunks; several goroutines may use them at once.
var packing struct {
	once     sync.Once // no variable's initial value, which a program that only reads tables would contain
	packer   *zstd.Encoder
	unpacker *zstd.Decoder
}

func readyToPack() {
	packing.once.Do(func() {
		var err, err2 error
		packing.packer, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false)) // frames have a sum
		packing.unpacker, err2 = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxRaw))
		if err != nil || err2 != nil {
			panic(errors.Join(err, err2)) // the options are constants
		}
	})
}

// maxRaw is the length of an unpacked chunk of which every word has changed.
const maxRaw = 2 * (chunkWords/8 + 8*chunkWords)

// appendChanges appends to raw how win and loss differ from the words before.
func appendChanges(raw []byte, before, now [2][]uint64) []byte {
	n := len(now[0])
	first := len(raw)
	raw = append(raw, make([]byte, marksOf(n))...)
	for k := range now {
		for i, x := range now[k] {
			if x ^= before[k][i]; x != 0 {
				at := k*n + i
				raw[first+at>>3] |= 1 << (at & 7)
				raw = binary.LittleEndian.AppendUint64(raw, x)
			}
		}
	}
	return raw
}

// marksOf is how many bytes say which of so many win and loss words have changed.
func marksOf(words int) int { return (2*words + 7) / 8 }

// eachChange unpacks a chunk of n win and n loss words into buf and calls f for each
// word that changes, with its place, wins first, and the exclusive or. It calls f for
// none where the chunk is damaged.
func eachChange(buf, data []byte, n int, f func(i int, x uint64)) (raw []byte, err error) {
	readyToPack()
	raw, err = packing.unpacker.DecodeAll(data, buf[:0])
	if err == nil && len(raw) < marksOf(n) {
		err = fmt.Errorf("%d bytes, want at least %d", len(raw), marksOf(n))
	}
	if err != nil {
		return raw, fmt.Errorf("%w: chunk of %d words: %v", errDamagedPlane, n, err)
	}
	marks, words := raw[:marksOf(n)], raw[marksOf(n):] // which have changed, and how
	changed := 0
	for _, m := range marks {
		changed += bits.OnesCount8(m)
	}
	if changed*8 != len(words) || 2*n%8 != 0 && marks[len(marks)-1]>>(2*n%8) != 0 {
		return raw, fmt.Errorf("%w: chunk of %d words: %d have changed, and there are %d bytes for them", errDamagedPlane, n, changed, len(words))
	}
	for k, m := range marks {
		for ; m != 0; m &= m - 1 {
			f(8*k+bits.TrailingZeros8(m), binary.LittleEndian.Uint64(words))
			words = words[8:]
		}
	}
	return raw, nil
}

// checkChunks says whether a plane file, or a part of one, is made of the
// chunks of a list, each of which unpacks to its rows.
func checkChunks(file []byte, list []chunk) error {
	chunks, err := splitChunks(file, len(list))
	var buf []byte
	for i := 0; i < len(list) && err == nil; i++ {
		buf, err = eachChange(buf, chunks[i], list[i].b-list[i].a, func(int, uint64) {})
	}
	return err
}

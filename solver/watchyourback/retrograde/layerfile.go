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

// A layer file contains the words of the matrices of a layer that differ from the layer two turns
// earlier; for layers 1 and 2, the words that are not 0.
//
// The file is a sequence of chunks, by material and then by row. Each chunk is a frame
// ([disk.Frames]) whose payload is compressed with zstd. Uncompressed, it contains
//
//	bits    for each word of win, then for each word of loss: 1 if it differs, else 0;
//	        padded with 0 to whole bytes
//	uint64  for each word that differs: its exclusive or with the earlier one, little-endian
//
// A file gets its name when it is complete and synced.

const chunkWords = 4096 // maximum number of words of win (and of loss) in a chunk

var frames = disk.Frames{Order: binary.LittleEndian, Max: 32 * chunkWords}

// chunk is a range of rows of the matrix of one material.
type chunk struct {
	material tables.Material
	row, end int // end is exclusive
	a, b     int // win[a:b] and loss[a:b] are the words of these rows
}

// chunksOf returns the chunks of a layer file with all materials of up to pieces pieces, in order.
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

func layerPath(dir string, r int) string { return filepath.Join(dir, fmt.Sprintf("plane-%02d", r)) }

// ReadLayerFile returns the contents of the file of layer r in dir.
func ReadLayerFile(dir string, r int) ([]byte, error) { return os.ReadFile(layerPath(dir, r)) }

var errDamagedLayer = errors.New("damaged layer file")

// splitChunks returns the compressed chunks of a layer file or part. Errors wrap errDamagedLayer.
func splitChunks(file []byte, want int) ([][]byte, error) {
	var out [][]byte
	for len(file) > 0 {
		data, n := frames.First(file)
		if n == 0 {
			return nil, fmt.Errorf("%w: chunk %d is incomplete", errDamagedLayer, len(out))
		}
		out, file = append(out, data), file[n:]
	}
	if len(out) != want {
		return nil, fmt.Errorf("%w: %d chunks, want %d", errDamagedLayer, len(out), want)
	}
	return out, nil
}

type layerReader struct {
	*os.File
	r *bufio.Reader
}

// openLayer opens the file of layer r in dir. The caller must close it.
func openLayer(dir string, r int) (*layerReader, error) {
	f, err := os.Open(layerPath(dir, r))
	if err != nil {
		return nil, err
	}
	return &layerReader{f, bufio.NewReaderSize(f, 2*(frames.Head()+frames.Max))}, nil
}

// next returns the compressed data of the next chunk, or an error that wraps errDamagedLayer.
func (p *layerReader) next() ([]byte, error) {
	b, err := p.r.Peek(frames.Head() + frames.Max)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	data, n := frames.First(b)
	if n == 0 {
		return nil, fmt.Errorf("%s: %w: a chunk is incomplete", p.Name(), errDamagedLayer)
	}
	data = bytes.Clone(data)
	_, err = p.r.Discard(n)
	return data, err
}

// coders is set by codec. With an initial value, the linker would include zstd in every program.
var coders struct {
	once   sync.Once
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}

// codec returns the coders of chunks, which are safe for concurrent use.
func codec() (*zstd.Encoder, *zstd.Decoder) {
	coders.once.Do(func() {
		var err, err2 error
		coders.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithEncoderCRC(false))
		coders.unpack, err2 = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
			zstd.WithDecoderMaxMemory(maxRaw))
		if err != nil || err2 != nil {
			panic(errors.Join(err, err2)) // the options are constant
		}
	})
	return coders.pack, coders.unpack
}

const maxRaw = 2 * (chunkWords/8 + 8*chunkWords) // maximum size of an uncompressed chunk

// appendChanges appends an uncompressed chunk. before and now are {win, loss} of its rows.
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

func marksOf(words int) int { return (2*words + 7) / 8 }

// eachChange decompresses data, a chunk of n words of win and n words of loss. It calls f with the
// index and the exclusive or x of each word that differs; the words of loss have the indexes
// n..2n-1. If the chunk is damaged, eachChange does not call f, and the error wraps
// errDamagedLayer. raw is the uncompressed chunk, in the memory of buf if it is large enough.
func eachChange(buf, data []byte, n int, f func(i int, x uint64)) (raw []byte, err error) {
	_, decoder := codec()
	raw, err = decoder.DecodeAll(data, buf[:0])
	if err == nil && len(raw) < marksOf(n) {
		err = fmt.Errorf("%d bytes, want at least %d", len(raw), marksOf(n))
	}
	if err != nil {
		return raw, fmt.Errorf("%w: chunk of %d words: %v", errDamagedLayer, n, err)
	}
	marks, words := raw[:marksOf(n)], raw[marksOf(n):]
	changed := 0
	for _, m := range marks {
		changed += bits.OnesCount8(m)
	}
	padded := 2*n%8 == 0 || marks[len(marks)-1]>>(2*n%8) == 0
	if changed*8 != len(words) || !padded {
		return raw, fmt.Errorf("%w: chunk of %d words: %d changed words in %d bytes",
			errDamagedLayer, n, changed, len(words))
	}
	for k, m := range marks {
		for ; m != 0; m &= m - 1 {
			f(8*k+bits.TrailingZeros8(m), binary.LittleEndian.Uint64(words))
			words = words[8:]
		}
	}
	return raw, nil
}

// checkChunks returns an error that wraps errDamagedLayer unless file contains the chunks of list.
func checkChunks(file []byte, list []chunk) error {
	chunks, err := splitChunks(file, len(list))
	var buf []byte
	for i := 0; i < len(list) && err == nil; i++ {
		buf, err = eachChange(buf, chunks[i], list[i].b-list[i].a, func(int, uint64) {})
	}
	return err
}

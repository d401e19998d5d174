package circuitwars

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Results and shared bytes are packed to the same bytes everywhere, because every process
// uses the same library with the same options. A library that packs differently requires
// another version of the kinds.
var packing struct {
	once   sync.Once // not an initial value, which programs without jobs would link
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}

// readyToPack creates the packer and the unpacker, at the first call.
func readyToPack() {
	packing.once.Do(func() {
		var err, err2 error
		packing.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(true))
		packing.unpack, err2 = zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxUnpacked))
		if err != nil || err2 != nil {
			panic(errors.Join(err, err2)) // the options are constants
		}
	})
}

// maxUnpacked limits the size of an unpacked result.
const maxUnpacked = 1 << 30

// pack packs bytes; it is safe for concurrent use.
func pack(data []byte) []byte {
	readyToPack()
	return packing.pack.EncodeAll(data, nil)
}

// unpack is the inverse of pack for data from another process.
func unpack(data []byte) ([]byte, error) {
	readyToPack()
	out, err := packing.unpack.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return out, nil
}

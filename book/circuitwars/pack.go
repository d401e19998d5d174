package circuitwars

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Results of jobs are compressed with zstd. All processes must compress to the same bytes, because
// results are identified by their digests: a library or options that compress differently require
// another version of the job kinds.
var packing struct {
	once   sync.Once // created on first use, so that programs without jobs do not link zstd
	pack   *zstd.Encoder
	unpack *zstd.Decoder
}

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

const maxUnpacked = 1 << 30

func pack(data []byte) []byte {
	readyToPack()
	return packing.pack.EncodeAll(data, nil)
}

func unpack(data []byte) ([]byte, error) {
	readyToPack()
	out, err := packing.unpack.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return out, nil
}

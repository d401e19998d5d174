package solving

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A solve hands its shards to a farm.Farm, of this process or of others. Any
// process can carry the jobs out that knows Games.JobKinds; none needs a store.

// JobVersion writes all that a result depends on into one text.
func JobVersion(rules, solver, form int) string {
	return fmt.Sprintf("rules %d, solver %d, form %d", rules, solver, form)
}

// ReadPayload decodes a job's payload.
func ReadPayload(payload []byte, into any) error {
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	return nil
}

// WritePayload encodes a job's payload.
func WritePayload(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // payloads are plain structs
	}
	return data
}

// Results and shared bytes are packed: the same bytes come out everywhere,
// because every process packs with the same library in the same way. A library
// that packs differently is another version of the kinds.
var packing struct {
	once   sync.Once // no variable's initial value, which a program without jobs would contain
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

// maxUnpacked bounds what a packed result may become.
const maxUnpacked = 1 << 30

// Pack packs bytes; it may be called from several goroutines.
func Pack(data []byte) []byte {
	readyToPack()
	return packing.pack.EncodeAll(data, nil)
}

// Unpack is the inverse of pack for data from another process.
func Unpack(data []byte) ([]byte, error) {
	readyToPack()
	out, err := packing.unpack.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return out, nil
}

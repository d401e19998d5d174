package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"os"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/klauspost/compress/zstd"
)

// badgerOptions are what reading and writing have in common. Compression is
// off because the blocks are packed, metrics and conflict detection because
// nobody asks; the caches are off because uncompressed blocks are read from
// the mapped file.
func badgerOptions(dir string) badger.Options {
	o := badger.DefaultOptions(dir).
		WithLogger(nil).
		WithCompression(options.None).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithMetricsEnabled(false).
		WithDetectConflicts(false).
		WithNumVersionsToKeep(1).
		WithNumCompactors(0).
		WithBloomFalsePositive(0).
		WithBlockSize(16 << 10).
		WithBaseTableSize(1 << 20). // files of 32 MB at the last level
		WithMemTableSize(8 << 20).
		WithValueThreshold(1 << 20).
		WithValueLogFileSize(1 << 20).
		WithChecksumVerificationMode(options.NoVerification)
	return o
}

// tableSink streams blocks in order into Badger and into the digest.
type tableSink struct {
	h    *Header
	w    *badger.StreamWriter
	buf  *z.Buffer
	zstd *zstd.Encoder
	sum  hash.Hash
	next uint64
}

func (b *Builder) writeBadger(ctx context.Context, dir string, h *Header, o FinishOptions) (err error) {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	// Badger panics where a file can't be made while it opens or closes.
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("write %s: %v", dir, r)
		}
	}()
	db, err := badger.Open(badgerOptions(dir))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}()
	s := &tableSink{h: h, w: db.NewStreamWriter(), buf: z.NewBuffer(5<<20, "store"), sum: sha256.New()}
	defer func() { s.buf.Release() }()
	if b.spec.Compress {
		if s.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderCRC(false)); err != nil {
			return err
		}
	}
	if err := s.w.Prepare(); err != nil {
		return err
	}
	progress := o.Progress
	if progress == nil {
		progress = func(int, int) {}
	}
	if b.spec.Kind == Dense {
		err = b.streamDense(ctx, s, o.Transform, progress)
	} else {
		err = b.streamSparse(ctx, s, progress)
	}
	if err == nil {
		err = s.flush()
	}
	if err != nil {
		s.w.Cancel()
		return err
	}
	h.SHA256 = hex.EncodeToString(s.sum.Sum(nil))
	return s.w.Flush()
}

// A stored block is its bytes and the CRC-32C of number and bytes. In a table
// with Compress the bytes are preceded by one that says whether they are
// packed with zstd.
const (
	storedPlain = 0
	storedZstd  = 1
)

// encode is the stored form of a block.
func (s *tableSink) encode(block uint64, payload []byte) []byte {
	var stored []byte
	if s.zstd != nil {
		stored = s.zstd.EncodeAll(payload, []byte{storedZstd})
		if len(stored) > len(payload) {
			stored = append([]byte{storedPlain}, payload...)
		}
	} else {
		stored = append(make([]byte, 0, len(payload)+4), payload...)
	}
	return binary.LittleEndian.AppendUint32(stored, blockCRC(block, stored))
}

// put writes the next block, given its bytes and their stored form.
func (s *tableSink) put(payload, stored []byte) error {
	var head [12]byte
	binary.LittleEndian.PutUint64(head[:], s.next)
	binary.LittleEndian.PutUint32(head[8:], uint32(len(payload)))
	s.sum.Write(head[:])
	s.sum.Write(payload)
	s.h.PayloadBytes += uint64(len(payload))
	badger.KVToBuffer(&pb.KV{Key: blockKey(s.next), Value: stored, Version: 1, StreamId: 1}, s.buf)
	s.next++
	if s.buf.LenNoPadding() >= 4<<20 {
		return s.flush()
	}
	return nil
}

func (s *tableSink) flush() error {
	if s.buf.LenNoPadding() == 0 {
		return nil
	}
	err := s.w.Write(s.buf)
	s.buf.Reset()
	return err
}

func blockKey(block uint64) []byte { return binary.BigEndian.AppendUint64(nil, block) }

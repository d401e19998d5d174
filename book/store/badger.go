//go:build !js

package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/klauspost/compress/zstd"

	"endwise/engine/disk"
)

// badgerOptions returns the options for the database in dir. Badger neither compresses nor caches,
// because this package compresses blocks and [Table] caches decoded ones.
func badgerOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
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
}

type badgerWriter struct {
	dir  string
	db   *badger.DB
	w    *badger.StreamWriter
	buf  *z.Buffer // blocks that are not yet written to w
	next uint64    // number of the next block
}

func createBlocks(dir string) (blockWriter, error) {
	db, err := badger.Open(badgerOptions(dir))
	if err != nil {
		return nil, err
	}
	w := &badgerWriter{dir: dir, db: db, w: db.NewStreamWriter(), buf: z.NewBuffer(5<<20, "store")}
	if err := w.w.Prepare(); err != nil {
		w.Cancel()
		return nil, err
	}
	return w, nil
}

func (w *badgerWriter) Put(stored []byte) error {
	badger.KVToBuffer(&pb.KV{Key: blockKey(w.next), Value: stored, Version: 1, StreamId: 1}, w.buf)
	w.next++
	if w.buf.LenNoPadding() >= 4<<20 {
		return w.flush()
	}
	return nil
}

func (w *badgerWriter) flush() error {
	if w.buf.LenNoPadding() == 0 {
		return nil
	}
	err := w.w.Write(w.buf)
	w.buf.Reset()
	return err
}

func (w *badgerWriter) Cancel() {
	w.w.Cancel()
	w.buf.Release()
	w.db.Close()
}

func (w *badgerWriter) Finish() ([]Checksum, error) {
	if err := w.flush(); err != nil {
		w.Cancel()
		return nil, err
	}
	err := w.w.Flush()
	w.buf.Release()
	if err = errors.Join(err, w.db.Close()); err != nil {
		return nil, err
	}
	if err := tidy(w.dir); err != nil {
		return nil, err
	}
	if err := disk.SyncFiles(w.dir); err != nil { // Badger does not sync all files
		return nil, err
	}
	return checksumFiles(w.dir)
}

func blockKey(block uint64) []byte { return binary.BigEndian.AppendUint64(nil, block) }

// tidy removes the files of a closed database that readers do not need: the empty value log, and the
// file DISCARD of 1 MB. It makes the other files readable for every user.
func tidy(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range names {
		path := filepath.Join(dir, e.Name())
		if strings.HasSuffix(path, ".vlog") || e.Name() == "DISCARD" {
			err = os.Remove(path)
		} else {
			err = os.Chmod(path, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o755)
}

// checksumFiles returns the checksums of the files of a closed database.
func checksumFiles(dir string) ([]Checksum, error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []Checksum
	for _, e := range names {
		if e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		s := Checksum{Name: e.Name(), Size: info.Size()}
		if strings.HasSuffix(e.Name(), ".sst") {
			if s.From, err = openingPart(path, info.Size()); err != nil {
				return nil, fmt.Errorf("checksum of %s: %w", path, err)
			}
		}
		if s.CRC, err = fileCRC(path, s.From, s.Size); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// openingPart returns the offset of the part of an .sst file that Badger reads when it opens the file:
//
//	the last block, which contains the greatest key
//	index     n bytes
//	uint32    n
//	checksum  m bytes
//	uint32    m
func openingPart(path string, size int64) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	readUint32 := func(offset int64) (int64, error) {
		var b [4]byte
		_, err := f.ReadAt(b[:], offset)
		return int64(binary.BigEndian.Uint32(b[:])), err
	}
	checksumLen, err := readUint32(size - 4)
	if err != nil {
		return 0, err
	}
	indexEnd := size - 4 - checksumLen - 4
	indexLen, err := readUint32(indexEnd)
	if err != nil {
		return 0, err
	}
	start := indexEnd - indexLen
	if start < 0 {
		return 0, errors.New("no index")
	}
	data := make([]byte, indexLen)
	if _, err := f.ReadAt(data, start); err != nil {
		return 0, err
	}
	t := fb.GetRootAsTableIndex(data, 0)
	var last fb.BlockOffset
	if n := t.OffsetsLength(); n == 0 || !t.Offsets(&last, n-1) {
		return 0, errors.New("no blocks")
	}
	return int64(last.Offset()), nil
}

func newZstdDecoder() (zstdDecoder, error) {
	return zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(0), // a decoder per processor
		zstd.WithDecoderMaxMemory(maxBlockBytes),
		zstd.WithDecoderLowmem(true))
}

type badgerBlocks struct {
	db      *badger.DB
	txns    sync.Pool // read transactions; they need no cleanup
	decoder decoder
}

// openBadger opens the database at path for reading. It uses Badger's managed mode, in which concurrent
// reads do not wait for each other.
func openBadger(path string, h *Header, d decoder) (blockReader, error) {
	db, err := badger.OpenManaged(badgerOptions(path).WithReadOnly(true))
	switch {
	case err == nil:
		newTxn := func() any { return db.NewTransactionAt(math.MaxUint64, false) }
		return &badgerBlocks{db: db, txns: sync.Pool{New: newTxn}, decoder: d}, nil
	case strings.Contains(err.Error(), "directory lock"):
		return nil, locked(path)
	}
	return nil, notOpened(path, h, err.Error())
}

func (b *badgerBlocks) Read(block uint64) ([]byte, error) {
	txn := b.txns.Get().(*badger.Txn)
	defer b.txns.Put(txn)
	item, err := txn.Get(blockKey(block))
	if err != nil {
		return nil, err
	}
	var payload []byte
	err = item.Value(func(stored []byte) error {
		payload, err = b.decoder.decode(block, stored)
		return err
	})
	return payload, err
}

func (b *badgerBlocks) Check() error { return b.db.VerifyChecksum() }

func (b *badgerBlocks) Close() error {
	b.decoder.close()
	return b.db.Close()
}

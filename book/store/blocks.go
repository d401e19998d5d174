package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// maxBlockBytes is the maximum size of a block before and after compression. Badger stores values
// of 1 MB and more in its value log, which tidy removes.
const maxBlockBytes = 512 << 10

// blockReader reads the blocks of a table. It may panic on damaged files. Read and Check are safe for
// concurrent use; Close is not.
type blockReader interface {
	// Read returns the decoded bytes of a block.
	Read(block uint64) ([]byte, error)
	// Check verifies the checksums that belong to the format of the files, which Read ignores.
	Check() error
	Close() error
}

// openBlocks opens the blocks of the table in dir, which are in either form. Panics become errors.
func openBlocks(dir string, h *Header) (r blockReader, err error) {
	var d decoder
	if h.Compress {
		if d.zstd, err = newZstdDecoder(); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = notOpened(dir, h, fmt.Sprint(p))
		}
	}()
	if len(h.Files) == 1 && h.Files[0].Name == oneFileName {
		r, err = openOneFile(dir, h.Files[0], h.Blocks, d)
	} else {
		r, err = openBadger(dir, h, d)
	}
	if err != nil {
		d.close()
	}
	return r, err
}

// notOpened returns the error for a table in dir whose blocks cannot be opened: [ErrDamaged] if a file
// is missing or does not match its checksum.
func notOpened(dir string, h *Header, reason string) error {
	for _, err := range changedFiles(dir, h.Files) {
		if errors.Is(err, ErrDamaged) {
			return damaged(dir, firstLine(reason))
		}
	}
	return fmt.Errorf("%s: cannot be opened: %s", dir, firstLine(reason))
}

// blockWriter writes the blocks of a new table. The caller must call Finish or Cancel.
type blockWriter interface {
	// Put writes the next block in its stored form.
	Put(stored []byte) error
	// Finish closes the files and returns their checksums.
	Finish() ([]Checksum, error)
	// Cancel closes the files of an incomplete table.
	Cancel()
}

// Checksum describes one file of a table: its size, and the CRC-32C of its bytes from offset From to
// the end. The bytes before From are blocks, each of which has its own checksum. Badger reads the
// other bytes when it opens the file, and ends the process (log.Fatal) if they contain a wrong length.
type Checksum struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	From int64  `json:"from"`
	CRC  uint32 `json:"crc32c"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileCRC returns the CRC-32C of the bytes from..size-1 of a file.
func fileCRC(path string, from, size int64) (uint32, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	if _, err := io.Copy(h, io.NewSectionReader(f, from, size-from)); err != nil {
		return 0, err
	}
	return h.Sum32(), nil
}

func blockCRC(number uint64, payload []byte) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], number)
	return crc32.Update(crc32.Update(0, castagnoli, b[:]), castagnoli, payload)
}

// A stored block is
//
//	1 byte   only in compressed tables: 1 if the next field is compressed with zstd, else 0
//	bytes    the block
//	uint32   CRC-32C of the block's number (uint64) and of the fields above
//
// Both numbers are little-endian.
const (
	storedPlain = 0
	storedZstd  = 1
)

// encoder converts blocks to their stored form, compressed if zstd is set. It may be used concurrently.
type encoder struct{ zstd *zstd.Encoder }

func newEncoder(compress bool) (e encoder, err error) {
	if compress {
		e.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
	}
	return e, err
}

func (e encoder) encode(block uint64, payload []byte) []byte {
	var stored []byte
	if e.zstd != nil {
		stored = e.zstd.EncodeAll(payload, []byte{storedZstd})
		if len(stored) > len(payload) {
			stored = append([]byte{storedPlain}, payload...)
		}
	} else {
		stored = append(make([]byte, 0, len(payload)+4), payload...)
	}
	return binary.LittleEndian.AppendUint32(stored, blockCRC(block, stored))
}

// decoder converts stored blocks back; zstd is set for compressed tables. It is safe for concurrent use.
type decoder struct{ zstd zstdDecoder }

type zstdDecoder interface {
	DecodeAll(compressed, onto []byte) ([]byte, error)
	Close()
}

func (d decoder) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}

// decode returns a block from its stored form, in new memory.
func (d decoder) decode(block uint64, stored []byte) ([]byte, error) {
	n := len(stored) - 4
	if n < 0 {
		return nil, fmt.Errorf("%d bytes, want at least 4", len(stored))
	}
	if binary.LittleEndian.Uint32(stored[n:]) != blockCRC(block, stored[:n]) {
		return nil, errors.New("wrong checksum")
	}
	stored = stored[:n]
	if d.zstd != nil {
		if n < 1 {
			return nil, errors.New("no coding byte")
		}
		coding := stored[0]
		stored = stored[1:]
		if coding == storedZstd {
			return d.zstd.DecodeAll(stored, nil)
		}
		if coding != storedPlain {
			return nil, fmt.Errorf("unknown coding %d", coding)
		}
	}
	return append(make([]byte, 0, len(stored)), stored...), nil
}

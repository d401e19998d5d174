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

// maxBlockBytes is the maximum size of a block: Badger moves larger values to its value
// log, which these tables do not have.
const maxBlockBytes = 512 << 10

// blockReader reads blocks. It is safe for concurrent use, and may panic on damaged files.
type blockReader interface {
	// Read returns the bytes of a block as they were before encode.
	Read(block uint64) ([]byte, error)
	// Check finds damage that the checksums of blocks do not show.
	Check() error
	Close() error
}

// openBlocks opens the blocks of the table in dir with the header h.
func openBlocks(dir string, h *Header) (r blockReader, err error) {
	var d decoder
	if h.Compress {
		if d.unzip, err = newUnzipper(); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = notOpened(dir, h, fmt.Sprintf("open: %v", p))
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

// notOpened returns the error for blocks that cannot be opened. They are damaged if a
// checksum is wrong: the checksums cover everything that is read on opening.
func notOpened(dir string, h *Header, why string) error {
	err := fmt.Errorf("%s: cannot be opened: %s", dir, firstLine(why))
	verifyChecksums(dir, h.Files, func(problem error) {
		if errors.Is(problem, ErrDamaged) {
			err = damaged(dir, firstLine(why))
		}
	})
	return err
}

// blockWriter writes blocks in their stored form, in order.
type blockWriter interface {
	Put(stored []byte) error
	// Finish closes the files and returns their checksums.
	Finish() ([]Checksum, error)
	// Cancel closes the files if Finish is not reached.
	Cancel()
}

// Checksum contains the size of one of the table's files and the CRC-32C of its tail from
// byte From. Badger reads and trusts the tail when it opens a table: a wrong length there
// ends the process (log.Fatal in a goroutine of Badger), so the tail is checked before
// Badger reads it. The rest of the file consists of blocks, each with its own checksum.
type Checksum struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	From int64  `json:"from"`
	CRC  uint32 `json:"crc32c"`
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileCRC returns the CRC-32C of a file's bytes from offset from to size.
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

// blockCRC returns the CRC-32C of a block's number and bytes.
func blockCRC(number uint64, payload []byte) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], number)
	return crc32.Update(crc32.Update(0, castagnoli, b[:]), castagnoli, payload)
}

// A stored block is
//
//	1 byte   in compressed tables only: 1 if the bytes are packed with zstd, else 0
//	bytes    the block
//	uint32   CRC-32C of the block's number (uint64) and the bytes before it
//
// Both numbers are little-endian.
const (
	storedPlain = 0
	storedZstd  = 1
)

// encoder encodes blocks to their stored form. It is safe for concurrent use.
type encoder struct{ zstd *zstd.Encoder }

// newEncoder returns an encoder for compressed or uncompressed tables.
func newEncoder(compress bool) (e encoder, err error) {
	if compress {
		e.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
	}
	return e, err
}

// encode returns the stored form of a block.
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

// decoder is the inverse of encoder. It is safe for concurrent use.
type decoder struct{ unzip unzipper }

// unzipper unpacks blocks. It is safe for concurrent use.
type unzipper interface {
	DecodeAll(packed, onto []byte) ([]byte, error)
	Close()
}

// close releases the unzipper.
func (d decoder) close() {
	if d.unzip != nil {
		d.unzip.Close()
	}
}

// decode checks a stored block and returns a copy of its bytes without spare capacity,
// because caches keep it.
func (d decoder) decode(block uint64, stored []byte) ([]byte, error) {
	n := len(stored) - 4
	if n < 0 {
		return nil, fmt.Errorf("%d bytes", len(stored))
	}
	if binary.LittleEndian.Uint32(stored[n:]) != blockCRC(block, stored[:n]) {
		return nil, errors.New("checksum")
	}
	stored = stored[:n]
	if d.unzip != nil {
		if n < 1 {
			return nil, errors.New("no coding byte")
		}
		coding := stored[0]
		stored = stored[1:]
		if coding == storedZstd {
			return d.unzip.DecodeAll(stored, nil)
		}
		if coding != storedPlain {
			return nil, fmt.Errorf("coding %d", coding)
		}
	}
	return append(make([]byte, 0, len(stored)), stored...), nil
}

package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// oneFileName is the file with all blocks of a table in one-file form, which programs without Badger
// can read. It contains the stored blocks in order, followed by the offset of the end of each block as
// uint64, little-endian. The [Checksum] of the file covers these offsets.
const oneFileName = "blocks"

type oneFile struct {
	file    *os.File
	ends    []byte // the offsets at the end of the file
	decoder decoder
}

// openOneFile opens the file of the blocks in dir; sum is its checksum.
func openOneFile(dir string, sum Checksum, blocks uint64, d decoder) (blockReader, error) {
	if sum.From < 0 || sum.Size < 0 || uint64(sum.Size-sum.From) != 8*blocks {
		return nil, damaged(dir, "wrong number of block offsets")
	}
	f, err := os.Open(filepath.Join(dir, oneFileName))
	if err != nil {
		return nil, err
	}
	p := &oneFile{f, make([]byte, 8*blocks), d}
	if _, err := f.ReadAt(p.ends, sum.From); err != nil {
		f.Close()
		return nil, unsound(dir, err.Error(), err)
	}
	return p, nil
}

func (p *oneFile) Read(block uint64) ([]byte, error) {
	from, to := uint64(0), binary.LittleEndian.Uint64(p.ends[8*block:])
	if block > 0 {
		from = binary.LittleEndian.Uint64(p.ends[8*block-8:])
	}
	if to < from || to-from > maxBlockBytes+5 {
		return nil, fmt.Errorf("bad offsets: from %d to %d", from, to)
	}
	stored := make([]byte, to-from)
	if _, err := p.file.ReadAt(stored, int64(from)); err != nil {
		return nil, err
	}
	return p.decoder.decode(block, stored)
}

func (*oneFile) Check() error { return nil } // checksums of the blocks and the file cover every byte

func (p *oneFile) Close() error {
	p.decoder.close()
	return p.file.Close()
}

type oneFileWriter struct {
	file *os.File
	buf  *bufio.Writer
	sum  Checksum // From is the offset of the end of the last block
	ends []byte
}

// createOneFile returns a writer for the blocks of a table in the new directory dir.
func createOneFile(dir string) (blockWriter, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, oneFileName))
	if err != nil {
		return nil, err
	}
	return &oneFileWriter{file: f, buf: bufio.NewWriter(f), sum: Checksum{Name: oneFileName}}, nil
}

func (w *oneFileWriter) Put(stored []byte) error {
	w.sum.From += int64(len(stored))
	w.ends = binary.LittleEndian.AppendUint64(w.ends, uint64(w.sum.From))
	_, err := w.buf.Write(stored)
	return err
}

func (w *oneFileWriter) Cancel() { w.file.Close() }

func (w *oneFileWriter) Finish() ([]Checksum, error) {
	w.sum.Size, w.sum.CRC = w.sum.From+int64(len(w.ends)), crc32.Checksum(w.ends, castagnoli)
	_, err := w.buf.Write(w.ends)
	return []Checksum{w.sum}, errors.Join(err, w.buf.Flush(), w.file.Sync(), w.file.Close())
}

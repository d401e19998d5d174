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

// oneFileName is the file that holds the blocks of a table without Badger: the stored
// blocks one behind the other, then for each of them uint64, little-endian, where it
// ends. Its seal covers those ends.
const oneFileName = "blocks"

// oneFile reads it.
type oneFile struct {
	file *os.File
	ends []byte
	decoder
}

func openOneFile(dir string, seal Seal, blocks uint64, d decoder) (blockReader, error) {
	if seal.From < 0 || seal.Size < 0 || uint64(seal.Size-seal.From) != 8*blocks {
		return nil, damaged(dir, "the ends of its blocks")
	}
	f, err := os.Open(filepath.Join(dir, oneFileName))
	if err != nil {
		return nil, err
	}
	p := &oneFile{f, make([]byte, 8*blocks), d}
	if _, err := f.ReadAt(p.ends, seal.From); err != nil {
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
		return nil, fmt.Errorf("lies from %d to %d", from, to)
	}
	stored := make([]byte, to-from)
	if _, err := p.file.ReadAt(stored, int64(from)); err != nil {
		return nil, err
	}
	return p.decode(block, stored)
}

func (*oneFile) Check() error { return nil } // the checksums cover every byte

// Close closes the file.
func (p *oneFile) Close() error {
	p.close()
	return p.file.Close()
}

// oneFileWriter writes it.
type oneFileWriter struct {
	file *os.File
	buf  *bufio.Writer
	seal Seal
	ends []byte
}

// createOneFile makes the file in a new directory.
func createOneFile(dir string) (blockWriter, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, oneFileName))
	if err != nil {
		return nil, err
	}
	return &oneFileWriter{file: f, buf: bufio.NewWriter(f), seal: Seal{Name: oneFileName}}, nil
}

func (w *oneFileWriter) Put(stored []byte) error {
	w.seal.From += int64(len(stored))
	w.ends = binary.LittleEndian.AppendUint64(w.ends, uint64(w.seal.From))
	_, err := w.buf.Write(stored)
	return err
}

func (w *oneFileWriter) Cancel() { w.file.Close() }

func (w *oneFileWriter) Finish() ([]Seal, error) {
	w.seal.Size, w.seal.CRC = w.seal.From+int64(len(w.ends)), crc32.Checksum(w.ends, castagnoli)
	_, err := w.buf.Write(w.ends)
	return []Seal{w.seal}, errors.Join(err, w.buf.Flush(), w.file.Sync(), w.file.Close())
}

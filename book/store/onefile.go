package store

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// A packed table has the file packedName instead of Badger's: the stored blocks
// one behind the other, none compressed, then for each of them uint64, little-endian, where it
// ends. Its seal covers those ends. Such a table is read where Badger can't be,
// in a browser.
const packedName = "blocks"

// PackedFiles are the names of a packed table's files.
var PackedFiles = []string{tableName, packedName}

// packed says whether the table is a packed one.
func (h *Header) packed() bool { return len(h.Files) == 1 && h.Files[0].Name == packedName }

// packedBlocks reads a packed table.
type packedBlocks struct {
	file   *os.File
	ends   []byte
	decode decoder
}

func openPacked(path string, h *Header, decode decoder) (blocks, error) {
	seal := h.Files[0]
	if seal.From < 0 || seal.Size < 0 || uint64(seal.Size-seal.From) != 8*h.Blocks {
		return nil, damaged(path, "the ends of its blocks")
	}
	f, err := os.Open(filepath.Join(path, packedName))
	if err != nil {
		return nil, err
	}
	p := &packedBlocks{f, make([]byte, 8*h.Blocks), decode}
	if _, err := f.ReadAt(p.ends, seal.From); err != nil {
		f.Close()
		return nil, damaged(path, err.Error())
	}
	return p, nil
}

func (p *packedBlocks) read(block uint64) ([]byte, error) {
	from, to := uint64(0), binary.LittleEndian.Uint64(p.ends[8*block:])
	if block > 0 {
		from = binary.LittleEndian.Uint64(p.ends[8*block-8:])
	}
	if to < from || to-from > MaxBlockBytes+5 {
		return nil, fmt.Errorf("lies from %d to %d", from, to)
	}
	stored := make([]byte, to-from)
	if _, err := p.file.ReadAt(stored, int64(from)); err != nil {
		return nil, err
	}
	return p.decode(block, stored)
}

func (*packedBlocks) check() error { return nil } // the checksums cover every byte

// Close closes the file.
func (p *packedBlocks) Close() error { return p.file.Close() }

// packedWriter writes a packed table.
type packedWriter struct {
	file *os.File
	buf  *bufio.Writer
	seal FileSeal
	ends []byte
}

func createPacked(dir string) (blockWriter, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(filepath.Join(dir, packedName))
	if err != nil {
		return nil, err
	}
	return &packedWriter{file: f, buf: bufio.NewWriter(f), seal: FileSeal{Name: packedName}}, nil
}

func (w *packedWriter) put(stored []byte) error {
	w.seal.From += int64(len(stored))
	w.ends = binary.LittleEndian.AppendUint64(w.ends, uint64(w.seal.From))
	_, err := w.buf.Write(stored)
	return err
}

func (w *packedWriter) cancel() { w.file.Close() }

func (w *packedWriter) finish() ([]FileSeal, error) {
	w.seal.Size, w.seal.CRC = w.seal.From+int64(len(w.ends)), crc32.Checksum(w.ends, castagnoli)
	_, err := w.buf.Write(w.ends)
	return []FileSeal{w.seal}, errors.Join(err, w.buf.Flush(), w.file.Sync(), w.file.Close())
}

// Pack writes the table as a packed one into a directory, which must not be there.
func (t *Table) Pack(ctx context.Context, dir string) error {
	w, err := createPacked(dir)
	if err != nil {
		return err
	}
	for n := range t.header.Blocks {
		err := ctx.Err()
		if err == nil {
			var payload []byte
			if payload, err = t.read(n); err == nil {
				err = w.put((&tableSink{}).encode(n, payload))
			}
		}
		if err != nil {
			w.cancel()
			return fmt.Errorf("pack: %w", err)
		}
	}
	h := t.header
	h.Compress = false
	if h.Files, err = w.finish(); err != nil {
		return err
	}
	return writeHeader(dir, &h)
}

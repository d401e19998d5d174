package store

import (
	"encoding/binary"
	"errors"
	"fmt"
)

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

// decode checks a stored block and returns a copy of its bytes.
func (t *Table) decode(block uint64, stored []byte) ([]byte, error) {
	n := len(stored) - 4
	if n < 0 {
		return nil, fmt.Errorf("%d bytes", len(stored))
	}
	if binary.LittleEndian.Uint32(stored[n:]) != blockCRC(block, stored[:n]) {
		return nil, errors.New("checksum")
	}
	stored = stored[:n]
	if t.header.Compress {
		if n < 1 {
			return nil, errors.New("no coding byte")
		}
		coding := stored[0]
		stored = stored[1:]
		if coding == storedZstd {
			payload, err := t.unzip.DecodeAll(stored, nil)
			if err != nil {
				return nil, err
			}
			return t.sized(block, payload)
		}
		if coding != storedPlain {
			return nil, fmt.Errorf("coding %d", coding)
		}
	}
	return t.sized(block, append(make([]byte, 0, len(stored)), stored...))
}

// sized makes sure that a packed block holds all its values.
func (t *Table) sized(block uint64, payload []byte) ([]byte, error) {
	if t.header.Kind == Dense && t.header.Bits != 0 && len(payload) != t.header.packedLen(block) {
		return nil, fmt.Errorf("%d bytes, want %d", len(payload), t.header.packedLen(block))
	}
	return payload, nil
}

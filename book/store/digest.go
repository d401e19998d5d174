package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// digest computes the digest of a table: the SHA-256 of its blocks in order. Each block contributes
// its number (uint64) and its length (uint32), little-endian, and its uncompressed bytes.
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) Add(block uint64, payload []byte) {
	head := binary.LittleEndian.AppendUint64(nil, block)
	d.Write(binary.LittleEndian.AppendUint32(head, uint32(len(payload))))
	d.Write(payload)
}

func (d digest) String() string { return hex.EncodeToString(d.Sum(nil)) }

package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// digest is the SHA-256 of a table's blocks: the number, the length and the bytes before
// compression of each block, in order.
type digest struct{ hash.Hash }

// newDigest returns the digest of no blocks.
func newDigest() digest { return digest{sha256.New()} }

// Add adds the next block.
func (d digest) Add(block uint64, payload []byte) {
	head := binary.LittleEndian.AppendUint64(nil, block)
	d.Write(binary.LittleEndian.AppendUint32(head, uint32(len(payload))))
	d.Write(payload)
}

// String returns the digest in hexadecimal.
func (d digest) String() string { return hex.EncodeToString(d.Sum(nil)) }

package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// digest is the SHA-256 of a table in the making: of every block its number, its
// length and its bytes, in order. Writing makes it (write.go), Verify makes it
// again and compares (verify.go).
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

// add takes the next block.
func (d digest) add(block uint64, payload []byte) {
	head := binary.LittleEndian.AppendUint64(nil, block)
	d.Write(binary.LittleEndian.AppendUint32(head, uint32(len(payload))))
	d.Write(payload)
}

func (d digest) String() string { return hex.EncodeToString(d.Sum(nil)) }

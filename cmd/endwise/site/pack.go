package site

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/kjk/lzma"
)

// dataSection is the number of a WebAssembly module's section of memory contents.
const dataSection = 11

var errModule = errors.New("the compiled program is not a WebAssembly module as the Go linker writes it")

// lzmaLevel has a dictionary of 4 MB; larger ones pack the program no smaller.
const lzmaLevel = 4

// pack makes web.ProgramFile of a compiled program: a .lzma file, which
// unpack.js reads. Go's linker cuts the contents of memory at every few zeros,
// into 100,000 pieces that each need an address; joined, with the zeros, they are
// larger and pack a tenth smaller.
func pack(module []byte) ([]byte, error) {
	if len(module) < 8 || string(module[:4]) != "\x00asm" {
		return nil, errModule
	}
	joined, rest := bytes.Clone(module[:8]), module[8:]
	for len(rest) > 0 {
		n, used := binary.Uvarint(rest[1:])
		if used <= 0 || n > uint64(len(rest)-1-used) {
			return nil, errModule
		}
		end := 1 + used + int(n)
		section := rest[:end]
		if section[0] == dataSection {
			memory, err := memoryOf(section[1+used:])
			if err != nil {
				return nil, err
			}
			piece := append([]byte{1, 0, 0x41, 0, 0x0b}, binary.AppendUvarint(nil, uint64(len(memory)))...) // one piece, at i32.const 0
			section = binary.AppendUvarint([]byte{dataSection}, uint64(len(piece)+len(memory)))
			section = append(append(section, piece...), memory...)
		}
		joined, rest = append(joined, section...), rest[end:]
	}
	var packed bytes.Buffer
	w := lzma.NewWriterSizeLevel(&packed, int64(len(joined)), lzmaLevel)
	_, err := w.Write(joined)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// memoryOf is the memory from address 0 on that the pieces of a data section
// fill: a 0, i32.const ADDRESS, end, the length and the bytes of each.
func memoryOf(section []byte) ([]byte, error) {
	next := func() uint64 {
		n, used := binary.Uvarint(section)
		if used <= 0 || n > 1<<30 {
			section = nil
			return 0
		}
		section = section[used:]
		return n
	}
	var memory []byte
	for pieces := next(); pieces > 0; pieces-- {
		if len(section) < 2 || section[0] != 0 || section[1] != 0x41 {
			return nil, errModule
		}
		section = section[2:]
		at := next()
		if len(section) == 0 || section[0] != 0x0b {
			return nil, errModule
		}
		section = section[1:]
		n := next()
		if n > uint64(len(section)) {
			return nil, errModule
		}
		if end := int(at + n); end > len(memory) {
			memory = append(memory, make([]byte, end-len(memory))...)
		}
		copy(memory[at:], section[:n])
		section = section[n:]
	}
	return memory, nil
}

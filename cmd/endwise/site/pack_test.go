package site

import (
	"bytes"
	"io"
	"testing"

	"github.com/kjk/lzma"
)

// Memory is what it was: pieces lie at their addresses, zeros between them, and
// all other sections stay as they are.
func TestPackedProgramFillsTheSameMemory(t *testing.T) {
	const head, other = "\x00asm\x01\x00\x00\x00", "\x05\x03\x01\x00\x01"
	module := head + other + "\x0b\x11\x02" + "\x00\x41\x84\x00\x0b\x02ab" + "\x00\x41\x02\x0b\x03cd\x00"
	want := head + other + "\x0b\x0c\x01\x00\x41\x00\x0b\x06" + "\x00\x00cd\x00b"
	packed, err := pack([]byte(module))
	if err != nil {
		t.Fatal(err)
	}
	r := lzma.NewReader(bytes.NewReader(packed))
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != want {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
	for cut := range len(module) {
		if _, err := pack([]byte(module[:cut])); err == nil && cut != len(head) && cut != len(head+other) {
			t.Errorf("no error for the first %d bytes alone", cut)
		}
	}
}

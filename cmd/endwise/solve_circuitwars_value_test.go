package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/solver/alphabeta"
	"endwise/solver/canon"
)

// TestReadFacts reads a file whose last line a crash cut off.
func TestReadFacts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.facts")
	if facts, whole, err := readFacts(file); err != nil || whole != 0 || facts != nil {
		t.Errorf("no file: %v, %d, %v", facts, whole, err)
	}
	want := []alphabeta.Proved{
		{Key: canon.Key{Hi: 1, Lo: 2}, Lower: -3, Upper: 5, Nodes: 70},
		{Key: canon.Key{Hi: 1 << 63, Lo: 3}, Lower: 1, Upper: 1, Nodes: 8},
	}
	text := want[0].String() + "\n" + want[1].String() + "\n"
	if err := os.WriteFile(file, []byte(text+"0123 1"), 0o666); err != nil {
		t.Fatal(err)
	}
	facts, whole, err := readFacts(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, facts); diff != "" || whole != int64(len(text)) {
		t.Errorf("%d of %d bytes are whole\n%s", whole, len(text), diff)
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// The published journals of Dots and Boxes 4x5 give the value without a search, each and
// joined, although contradicting bounds would be an error.
func TestPublishedJournals(t *testing.T) {
	read := func(name string) []byte {
		f, err := os.Open(filepath.Join("..", "..", "data", "results", name))
		testenv.OK(t, err)
		defer f.Close()
		unzip, err := gzip.NewReader(f)
		testenv.OK(t, err)
		data, err := io.ReadAll(unzip)
		testenv.OK(t, err)
		return data
	}
	first, second := read("dotsandboxes-4x5.journal.gz"), read("dotsandboxes-4x5-again.journal.gz")
	_, records, _ := bytes.Cut(second, []byte("\n"))
	both := append(bytes.Clone(first), records...)
	for _, c := range []struct {
		journal   []byte
		positions int // 68,897 are in both
	}{
		{first, 162_571}, {second, 124_967}, {both, 218_641},
	} {
		dir := t.TempDir()
		testenv.OK(t, os.WriteFile(filepath.Join(dir, "dotsandboxes-value-4x5.journal"), c.journal, 0o644))
		var out, errs strings.Builder
		if code := run(context.Background(), []string{"solve", "dotsandboxes", "--board", "4x5", "--value", "--store", dir}, nil, &out, &errs); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &errs)
		}
		want := fmt.Sprintf("4x5: 0 for player 1, proved. A tie with best play.\nbounds of %s positions are kept\n", thousands(uint64(c.positions)))
		if out.String() != want {
			t.Errorf("the answer is %q, want %q", &out, want)
		}
		if !strings.Contains(errs.String(), " 0 positions in ") {
			t.Errorf("something was searched: %s", &errs)
		}
	}
}

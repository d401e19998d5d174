package main

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// The published journals of Dots and Boxes 4x5 give the value without a search, and
// the second agrees with the first.
func TestPublishedJournals(t *testing.T) {
	store := func(journal string) string {
		dir := t.TempDir()
		f, err := os.Open(filepath.Join("..", "..", "data", "results", journal))
		testenv.OK(t, err)
		defer f.Close()
		unzip, err := gzip.NewReader(f)
		testenv.OK(t, err)
		data, err := io.ReadAll(unzip)
		testenv.OK(t, err)
		testenv.OK(t, os.WriteFile(filepath.Join(dir, "dotsandboxes-value-4x5.journal"), data, 0o644))
		return dir
	}
	first, second := store("dotsandboxes-4x5.journal.gz"), store("dotsandboxes-4x5-again.journal.gz")
	for _, c := range []struct {
		args  []string
		wants []string
	}{
		{[]string{"--store", first}, []string{"4x5: player 1 gets +0 with best play, proved", "162571 positions"}},
		{[]string{"--store", second, "--check", first}, []string{"4x5: player 1 gets +0 with best play, proved", "124967 positions", "bounds of 68897 positions of them; none contradicts"}},
	} {
		var out, errs strings.Builder
		if code := run(context.Background(), append([]string{"solve", "dotsandboxes", "--board", "4x5", "--value"}, c.args...), nil, &out, &errs); code != exitOK {
			t.Fatalf("exit code %d: %s", code, &errs)
		}
		for _, want := range c.wants {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the answer is %q, want %q in it", &out, want)
			}
		}
		if !strings.Contains(errs.String(), " 0 answers in ") {
			t.Errorf("something was searched: %s", &errs)
		}
	}
}

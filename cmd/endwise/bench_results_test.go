package main

import (
	"os"
	"strings"
	"testing"
)

// The README's tables are what endwise bench results writes: figures that
// don't depend on the machine are worked out again here, the long ones with
// ENDWISE_DEEP=1.
func TestResultsAreUpToDate(t *testing.T) {
	var out output
	words := []string{"bench", "results", "../..", "--dry-run"}
	if os.Getenv("ENDWISE_DEEP") != "" {
		words = append(words, "--long")
	}
	if code := run(t.Context(), words, strings.NewReader(""), &out, &out); code != exitOK {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}

func TestFillBlocks(t *testing.T) {
	tables := map[string]string{"a": "new\n"}
	const page = "text\n<!-- results:a -->\nold\n<!-- /results -->\nmore\n"
	got, err := fillBlocks(page, tables)
	if want := strings.Replace(page, "old", "new", 1); err != nil || got != want {
		t.Errorf("%v: %q, want %q", err, got, want)
	}
	for name, page := range map[string]string{
		"no place":  "text\n",
		"no end":    "<!-- results:a -->\nold\n",
		"unknown":   "<!-- results:b -->\n<!-- /results -->\n",
		"twice":     page + page,
		"no marker": "<!-- results:a\n",
	} {
		if got, err := fillBlocks(page, tables); err == nil {
			t.Errorf("%s: no error, but %q", name, got)
		}
	}
}

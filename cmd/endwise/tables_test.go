package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/engine/testenv"
)

// status --clean keeps a leftover for a day after the last write to one of its files.
func TestLeftoversStayForADay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "circuitwars-board-9x9.building")
	testenv.OK(t, os.Mkdir(dir, 0o755))
	testenv.OK(t, os.WriteFile(filepath.Join(dir, "shard-0"), []byte("x"), 0o644))
	rows := []storedRow{{Name: "circuitwars-board-9x9", Path: dir, Leftover: true, Note: "1 of 3 parts solved"}}
	for _, c := range []struct {
		age     time.Duration
		removed bool
	}{{time.Hour, false}, {25 * time.Hour, true}} {
		var out bytes.Buffer
		testenv.OK(t, removeLeftovers(&out, rows, time.Now().Add(c.age)))
		_, err := os.Stat(dir)
		if os.IsNotExist(err) != c.removed || strings.Contains(out.String(), "removed "+rows[0].Name) != c.removed {
			t.Errorf("after %v: %v, printed %q", c.age, err, out.String())
		}
	}
}

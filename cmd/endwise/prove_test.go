package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/grid"
	"endwise/engine/testenv"
	"endwise/solver/certificate"
)

// A stopped run leaves its moves in a file. The same command resumes it, also after an
// incomplete last record, and writes the same certificate. Another command leaves the file
// unchanged.
func TestProveGoesOn(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "proof")
	part, err := openPart(out+".part", "dotsandboxes 2x4")
	testenv.OK(t, err)
	b, err := grid.New(2, 4)
	testenv.OK(t, err)
	stop, records := errors.New("stop"), 0
	_, err = certificate.DotsAndBoxes(t.Context(), b, certificate.Options{Record: func(moves []byte) error {
		if records++; records > 9 {
			return stop
		}
		return part.record(moves)
	}})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	testenv.OK(t, part.close(false))
	before := testenv.ReadFile(t, out+".part")
	testenv.OK(t, os.WriteFile(out+".part", append(before, before[:20]...), 0o644))
	prove := func(line string) (int, string) {
		code, out, errs := endwise(t, strings.Fields("prove "+line)...)
		return code, out + errs
	}
	if code, text := prove("dotsandboxes --board 2x3 --out " + out); code != exitBadInput || !strings.Contains(text, `is the unfinished certificate of "dotsandboxes 2x4"`) {
		t.Errorf("exit code %d: %s", code, text)
	}
	if code, text := prove("dotsandboxes --board 2x4 --out " + out); code != exitOK || !strings.Contains(text, "7dd1e4770e8eb8bdd9a88f963295e2c354c0e274622b53fc031634ce37cd97c0") {
		t.Errorf("exit code %d: %s", code, text)
	}
	if _, err := os.Stat(out + ".part"); !errors.Is(err, os.ErrNotExist) {
		t.Error("the part is still there:", err)
	}
}

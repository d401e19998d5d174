package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"endwise/engine/testenv"
)

// pictures are the drawings in data/pictures with the command that makes each; go test
// ./cmd/endwise -run TestPictures -update writes them again.
var pictures = map[string][]string{
	"circuitwars.svg":   {"query", "circuitwars", "7x7:fffb96a7fcb3ffffcf9f6b89ddb4:22-17:2:112112221111122221122.222112....111122.111112...."},
	"dotsandboxes.svg":  {"query", "dotsandboxes", "3x3 h0,1 v1,2 h3,1 v0,0"},
	"watchyourback.svg": {"query", "watchyourback", "......../......../..X-OX../..O-@-../..---@../..XO-X../......../........:moving:192"},
}

// The README's pictures are those that the commands draw, byte by byte: all their values
// are proved without a store.
func TestPictures(t *testing.T) {
	for name, command := range pictures {
		kept := filepath.Join("..", "..", "data", "pictures", name)
		drawn := filepath.Join(t.TempDir(), name)
		// Enough time to solve the positions on any machine.
		words := append(command, "--svg", drawn, "--threads", "1", "--hash", "16", "--time", "1m", "--store", t.TempDir())
		if code, _, errs := endwise(t, words...); code != exitOK {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		svg := testenv.ReadFile(t, drawn)
		for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if *update {
			testenv.OK(t, os.WriteFile(kept, svg, 0o666))
		}
		if want, err := os.ReadFile(kept); err != nil || !bytes.Equal(want, svg) {
			t.Errorf("data/pictures/%s is not what endwise query draws (%v): run go test ./cmd/endwise -run TestPictures -update and look at it", name, err)
		}
	}
}

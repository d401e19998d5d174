//go:build !js

package data_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"endwise/data"
)

// Every proof file in the directory is embedded unchanged.
func TestProofsShip(t *testing.T) {
	files, err := filepath.Glob("proofs/*-*x*")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d proofs, %v", len(files), err)
	}
	for _, file := range files {
		game, board, _ := strings.Cut(filepath.Base(file), "-")
		proof, err := os.ReadFile(file)
		if err != nil || data.Proof(game, board) != string(proof) || !slices.Contains(data.ProvedBoards(game), board) {
			t.Errorf("%s does not ship: a proof wants a line in the file of its game; %v", file, err)
		}
	}
}

package store

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"endwise/engine/testenv"
)

// Open returns an error for a directory that contains only a header, whatever its bytes.
func FuzzHeader(f *testing.F) {
	dir := f.TempDir()
	buildDense(f, dir, 1000, false)
	buildSparse(f, dir, 2, 64, 100)
	found, err := filepath.Glob(filepath.Join(dir, "*", "table.json"))
	if err != nil || len(found) != 2 {
		f.Fatal(found, err)
	}
	for _, path := range found {
		data := testenv.ReadFile(f, path)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// The checksum is corrected; otherwise only the checksum would be tested.
		dir := t.TempDir()
		testenv.OK(t, os.WriteFile(filepath.Join(dir, "table.json"), append(data, fmt.Sprintf("crc32c %08x\n", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))...), 0o600))
		tab, err := Open(dir, Options{})
		if err == nil {
			defer tab.Close()
			t.Fatalf("a table without files is opened: %s", data)
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrForeign) {
			t.Fatal(err)
		}
	})
}

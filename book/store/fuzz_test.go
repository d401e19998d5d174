package store_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"endwise/book/store"
	"endwise/book/store/storetest"
	"endwise/engine/testenv"
)

// A header of any bytes opens no table whose files are missing: it is refused in
// words.
func FuzzHeader(f *testing.F) {
	dir := f.TempDir()
	storetest.BuildDense(f, dir, 1000, false)
	storetest.BuildSparse(f, dir, 2, 64, 100)
	found, err := filepath.Glob(filepath.Join(dir, "*", "table.json"))
	if err != nil || len(found) != 2 {
		f.Fatal(found, err)
	}
	for _, path := range found {
		data := testenv.ReadFile(f, path)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		// The checksum is made right, or nothing behind it would be tried.
		dir := t.TempDir()
		testenv.OK(t, os.WriteFile(filepath.Join(dir, "table.json"), append(data, fmt.Sprintf("crc32c %08x\n", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))...), 0o600))
		tab, err := store.Open(dir, store.Options{})
		if err == nil {
			defer tab.Close()
			t.Fatalf("a table without files is opened: %s", data)
		}
		if !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrForeign) {
			t.Fatal(err)
		}
	})
}

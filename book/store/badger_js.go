package store

import "fmt"

// In a browser there is no Badger: tables are packed.

func createBlocks(dir string) (blockWriter, error) { return createPacked(dir) }

func openBadger(path string) (blocks, error) {
	return nil, fmt.Errorf("%s: %w: not a packed table, which a browser needs", path, ErrForeign)
}

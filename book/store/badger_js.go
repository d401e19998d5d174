package store

import "fmt"

// In a browser there is neither Badger nor zstd: tables are packed ones.

func createBlocks(dir string) (blockWriter, error) { return createPacked(dir) }

func newUnzipper() (unzipper, error) {
	return nil, fmt.Errorf("%w: its blocks are compressed", ErrForeign)
}

func openBadger(path string, _ decoder) (blocks, error) {
	return nil, fmt.Errorf("%s: %w: not a packed table, which a browser needs", path, ErrForeign)
}

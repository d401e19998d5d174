package store

import "fmt"

// In a browser there is neither Badger nor zstd: all blocks are in one file.

// createBlocks creates the files of a new table in a directory.
func createBlocks(dir string) (blockWriter, error) { return createOneFile(dir) }

// newUnzipper returns an error: packed tables are not compressed.
func newUnzipper() (unzipper, error) {
	return nil, fmt.Errorf("%w: its blocks are compressed", ErrForeign)
}

// openBadger returns an error: there is no Badger.
func openBadger(path string, _ *Header, _ decoder) (blockReader, error) {
	return nil, fmt.Errorf("%s: %w: not a packed table, which a browser needs", path, ErrForeign)
}

package store

import "fmt"

// In a browser Badger and zstd are not available. Tables must have the one-file form
// (onefile.go) and be uncompressed.

// createBlocks returns a writer for the blocks of a new table in dir.
func createBlocks(dir string) (blockWriter, error) { return createOneFile(dir) }

// newZstdDecoder returns an error.
func newZstdDecoder() (zstdDecoder, error) {
	return nil, fmt.Errorf("%w: its blocks are compressed", ErrForeign)
}

// openBadger returns an error.
func openBadger(path string, _ *Header, _ decoder) (blockReader, error) {
	return nil, fmt.Errorf("%s: %w: a browser needs a table with all blocks in one file", path, ErrForeign)
}

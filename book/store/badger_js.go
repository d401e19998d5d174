package store

import (
	"errors"
	"fmt"
)

// Programs for a browser contain neither Badger nor the decoder of zstd. They read tables in
// one-file form (onefile.go) that are not compressed.

func createBlocks(dir string) (blockWriter, error) { return createOneFile(dir) }

func newZstdDecoder() (zstdDecoder, error) {
	return nil, errors.New("a program in a browser cannot read compressed blocks")
}

func openBadger(path string, _ *Header, _ decoder) (blockReader, error) {
	return nil, fmt.Errorf("%s: a program in a browser cannot read a Badger database: it needs the one-file form", path)
}

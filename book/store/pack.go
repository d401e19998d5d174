package store

import (
	"context"
	"fmt"
)

// PackedFiles are the names of a packed table's files.
var PackedFiles = []string{tableName, oneFileName}

// Pack writes the table in one file and uncompressed into a new directory. Such a table can
// be read without Badger, in a browser.
func (t *Table) Pack(ctx context.Context, dir string) error {
	w, err := createOneFile(dir)
	if err != nil {
		return err
	}
	for n := range t.header.Blocks {
		err := ctx.Err()
		if err == nil {
			var payload []byte
			if payload, err = t.read(n); err == nil {
				err = w.Put(encoder{}.encode(n, payload))
			}
		}
		if err != nil {
			w.Cancel()
			return fmt.Errorf("pack: %w", err)
		}
	}
	h := t.header
	h.Compress = false
	if h.Files, err = w.Finish(); err != nil {
		return err
	}
	return writeHeader(dir, &h)
}

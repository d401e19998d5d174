package store

import (
	"context"
	"fmt"
)

// OneFileNames are the names of the files of a table in one-file form.
var OneFileNames = []string{tableName, oneFileName}

// WriteOneFile writes a copy of the table into the new directory dir, in one-file form and uncompressed.
func (t *Table) WriteOneFile(ctx context.Context, dir string) error {
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
			return fmt.Errorf("write %s: %w", dir, err)
		}
	}
	h := t.header
	h.Compress = false
	if h.Files, err = w.Finish(); err != nil {
		return err
	}
	return writeHeader(dir, &h)
}

// Package data contains the embedded data: opening books ([Books]), parts of proofs
// ([Proof]), games ([Games]), and the lists of certificates and published values.
package data

import (
	"embed"
	"io/fs"
)

// Games contains games of Circuit Wars on 7x7 that levels 2 to 4 played against each
// other after six random moves, as logs in games/circuitwars/*.log.
//
//go:embed games/circuitwars
var Games embed.FS

//go:embed books
var books embed.FS

// Books contains the starter opening books in the form of endwise book publish, one
// directory per book. README.md in books describes how they were grown.
func Books() fs.FS {
	sub, err := fs.Sub(books, "books")
	if err != nil {
		panic(err) // cannot fail: the directory is embedded
	}
	return sub
}

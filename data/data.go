// Package data is what ships inside the binary.
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

// Books are the starter opening books as endwise book publish writes them, a
// directory each. README.md in books says how they were grown.
func Books() fs.FS {
	sub, err := fs.Sub(books, "books")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	return sub
}

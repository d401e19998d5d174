// Package data is what ships inside the binary.
package data

import (
	"embed"
	"io/fs"
)

// Benchmark holds games that our own players (endwise arena, levels 2 to 4,
// six random opening moves) played on 7x7, as logs in
// benchmark/circuitwars/*.log, and benchmark/circuitwars.seeds: what it takes to
// play 200 other games again (cmd/endwise/circuitwars/bench/samplegames.go). Games of good play
// are in benchmark/GAME.games (cmd/endwise/goodplay).
//
//go:embed benchmark
var Benchmark embed.FS

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

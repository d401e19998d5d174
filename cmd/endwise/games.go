package main

import (
	"bytes"
	"hash/crc32"
	"io"
	"strings"
	"sync"

	"endwise/book/anygame"
	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/dotsandboxes"
	"endwise/cmd/endwise/watchyourback"
	"endwise/data"
	"endwise/engine/kayles"
)

// The games that the program knows, in the order in which commands and pages list
// them. A new game is a line here; cli.NewGame says what there is to be set for one.
func init() {
	cli.Games = []cli.Game{
		circuitwars.Game(),
		watchyourback.Game(),
		dotsandboxes.Game(),
		cli.NewGame(anygame.FromRules(kayles.Game{})),
	}
	for i := range cli.Games {
		g := &cli.Games[i]
		g.SearchVersion = sync.OnceValue(func() uint32 {
			sum := crc32.NewIEEE()
			for _, board := range data.ProvedBoards(g.Name()) {
				proof := data.Proof(g.Name(), board)
				io.CopyN(sum, strings.NewReader(proof), int64(len(proof))) // in pieces; a hash gives no error
			}
			for line := range bytes.Lines(keptNodes) {
				if bytes.HasPrefix(line, []byte(g.Name()+" ")) {
					sum.Write(line)
				}
			}
			return sum.Sum32()
		})
	}
}

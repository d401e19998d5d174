package answer

import (
	"embed"
	"encoding/json"
	"slices"

	"endwise/book/analysis"
)

// examples contains the analyses of the games that the page Analyse offers, so that they are the same
// on all machines. Each is the output of `endwise analyze NAME.game --json --time 20s`.
//
//go:embed examples/*.json
var examples embed.FS

// example returns the stored analysis of the game of an outline; ok is false if there is none.
func example(outline analysis.Analysis) (stored analysis.Analysis, ok bool) {
	var file struct{ Games [1]analysis.Analysis }
	data, err := examples.ReadFile("examples/" + outline.Game + ".json")
	if err != nil || json.Unmarshal(data, &file) != nil {
		return stored, false
	}
	stored = file.Games[0]
	stored.Name = outline.Name
	for i := range stored.Players {
		stored.Players[i].Name = outline.Players[i].Name
	}
	same := func(x, y analysis.Move) bool { return x.Move == y.Move }
	return stored, stored.Start == outline.Start && stored.Winner == outline.Winner && slices.EqualFunc(stored.Moves, outline.Moves, same)
}

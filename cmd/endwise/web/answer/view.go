package answer

import (
	"slices"

	"endwise/engine"
	"endwise/engine/grid"
)

// View is a position as the pages draw it.
type View struct {
	Game     string   `json:"game"`
	Position string   `json:"position"`
	Turn     int      `json:"turn"`
	Over     bool     `json:"over"`
	Winner   int      `json:"winner"`
	Score    [2]int   `json:"score"`
	Board    string   `json:"board"` // as Start reads it
	Moves    []string `json:"moves"`
	Last     string   `json:"last,omitempty"`
	// Start and Played are the game that was read, if it has moves.
	Start   string         `json:"start,omitempty"`
	Played  []string       `json:"played,omitempty"`
	Picture engine.Picture `json:"picture"`
	// Twins maps a move to the first of the equivalent moves, unless it is that one.
	Twins map[string]string `json:"twins,omitempty"`
	// Alike means that the moves in Twins have equal estimates, but perhaps different values.
	Alike bool `json:"alike,omitempty"`
	// News describes the effect of the last move, except on a score.
	News string `json:"news,omitempty"`
	// Facts is a sentence about the state of the game.
	Facts string `json:"facts,omitempty"`
	// TooEarly is a sentence if a proof of the value within a minute is unlikely.
	TooEarly string `json:"too_early,omitempty"`
}

// View describes a position. before is the position before the move last, nil if there was none.
func (g Game) View(p, before engine.Position, last engine.Move) View {
	v := View{
		Game: p.Game(), Position: p.String(), Turn: int(p.Turn()), Over: p.Over(),
		Winner: int(engine.Winner(p)), Score: p.Score(), Board: p.BoardName(), Moves: []string{}, Picture: p.Picture(before, last),
	}
	v.Facts, v.News = v.Picture.Facts, v.Picture.News
	if g.TooEarly != nil && !p.Over() {
		v.TooEarly = g.TooEarly(p)
	}
	for _, m := range p.Moves() {
		v.Moves = append(v.Moves, p.MoveString(m))
	}
	if before != nil {
		v.Last = before.MoveString(last)
	}
	switch p := p.(type) {
	case segmentPosition:
		v.Twins = twins(p)
	case twinned:
		found, exact := p.Twins()
		v.Twins, v.Alike = map[string]string{}, !exact
		for m, first := range found {
			v.Twins[p.MoveString(m)] = p.MoveString(first)
		}
	}
	return v
}

type segmentPosition interface {
	engine.Position
	Board() *grid.Board
	Free() grid.Set
}

// twinned is a position that maps moves to the first equivalent move. exact is false if only their
// estimates are equal.
type twinned interface {
	engine.Position
	Twins() (first map[engine.Move]engine.Move, exact bool)
}

// twins maps free segments to the equivalent segment with the lowest number, by the symmetries of the
// position, unless it is that one.
func twins(p segmentPosition) map[string]string {
	symmetries := slices.DeleteFunc(slices.Clone(p.Board().Symmetries()), func(y grid.Symmetry) bool { return y.Apply(p.Free()) != p.Free() })
	out := map[string]string{}
	for _, s := range p.Free().Segments() {
		first := s
		for _, y := range symmetries {
			first = min(first, y.Segment[s])
		}
		if first != s {
			out[p.MoveString(engine.Move(s))] = p.MoveString(engine.Move(first))
		}
	}
	return out
}

package web

import (
	"fmt"
	"strings"

	"endwise/engine"
)

// recordedGames are the games that the home page replays, by game: a position and the moves
// after it.
var recordedGames = map[string][2]string{
	"circuitwars": {"4x4 0,0,right 1,1,bottom 2,2,left 0,2,bottom 3,0,top 2,1,right 1,3,left 3,3,top",
		"0,1,bottom;2,2,right;2,3,right;1,1,right;1,0,top;2,3,bottom;3,0,bottom;2,0,top;0,2,right;0,2,left;3,0,right;1,2,bottom;3,3,bottom;" +
			"3,3,right;2,0,bottom;1,3,bottom;0,1,right;0,0,top;3,2,right;3,1,right;0,0,bottom;0,1,left;0,0,left;0,3,bottom;0,3,left"},
	"dotsandboxes": {"3x3 h0,1 v1,2 h3,1 v0,0 h1,0 v2,1",
		"v1,0;v0,3;h3,0;v1,3;v0,2;h3,2;v2,3;v2,0;h2,0;v1,1;h2,1;h1,1;v2,2;h2,2;v0,1;h1,2;h0,0;h0,2"},
	"watchyourback": {"X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126",
		"(2,0)->(2,2);(1,6)->(1,5);(2,1)->(3,1);(3,2)->(4,2);(2,2)->(2,1);(4,3)->(4,1);(2,3)->(2,2);(3,5)->(3,4);(5,5)->(6,5);" +
			"(4,2)->(4,3);(2,2)->(1,2);(3,4)->(3,3);(6,5)->(5,5);(3,3)->(3,2);(5,5)->(5,4);(4,1)->(4,2);(5,4)->(4,4);(3,2)->(3,3)"},
}

// replay is a game as the home page draws it: the shapes of all its pictures, each once,
// and the pictures.
type replay struct {
	Shapes []engine.Shape `json:"shapes"`
	Frames []frame        `json:"frames"`
}

// frame is a picture. Shown contains indexes into replay.Shapes.
type frame struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Shown  []int   `json:"shown"`
}

// add adds a picture, without arrows and the names of moves. numbers maps the shapes added
// before to their numbers.
func (r *replay) add(pic engine.Picture, numbers map[engine.Shape]int) {
	f := frame{Width: pic.Width, Height: pic.Height}
	for _, s := range pic.Shapes {
		if s.Kind == engine.Arrow {
			continue
		}
		s.Move, s.Name = "", ""
		n, ok := numbers[s]
		if !ok {
			n = len(r.Shapes)
			numbers[s] = n
			r.Shapes = append(r.Shapes, s)
		}
		f.Shown = append(f.Shown, n)
	}
	r.Frames = append(r.Frames, f)
}

// recorded returns the replays of the games, by name.
func (all Games) recorded() (map[string]replay, error) {
	out := map[string]replay{}
	for _, g := range all {
		r, err := replayed(g, recordedGames[g.Name()])
		if err != nil {
			return nil, fmt.Errorf("recorded game of %s: %w", g.Name(), err)
		}
		out[g.Name()] = r
	}
	return out, nil
}

// replayed returns the replay of a game: a position and the moves after it, separated by
// semicolons.
func replayed(g Game, game [2]string) (r replay, err error) {
	p, err := g.Parse(game[0])
	if err != nil {
		return r, err
	}
	numbers := map[engine.Shape]int{}
	r.add(p.Picture(nil, 0), numbers)
	for text := range strings.SplitSeq(game[1], ";") {
		before := p
		m, err := p.ParseMove(text)
		if err != nil {
			return r, err
		}
		if p, err = p.Play(m); err != nil {
			return r, err
		}
		r.add(p.Picture(before, m), numbers)
	}
	return r, nil
}

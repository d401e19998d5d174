package web

import (
	"fmt"
	"strings"

	"endwise/engine"
)

// recordings are what the home page shows, by game: the end of a game that it replays, as a position and
// the moves after it, and puzzles of the day. These are positions with one best move, which wins.
var recordings = map[string]struct {
	start, moves string
	puzzles      []string
}{
	"circuitwars": {
		start: "4x4 0,0,right 1,1,bottom 2,2,left 0,2,bottom 3,0,top 2,1,right 1,3,left 3,3,top 0,1,bottom 2,2,right " +
			"2,3,right 1,1,right 1,0,top 2,3,bottom 3,0,bottom 2,0,top 0,2,right 0,2,left 3,0,right 1,2,bottom " +
			"3,3,bottom 3,3,right",
		moves: "2,0,bottom;1,3,bottom;0,1,right;0,0,top;3,2,right;3,1,right;0,0,bottom;0,1,left;0,0,left;0,3,bottom;" +
			"0,3,left",
		puzzles: []string{
			"4x4:7d4e5ff9ce:3-5:2:.121.12..22..2..", "4x4:fd63df3ed3:5-2:1:111..21...1....2", "4x4:73befdcf36:4-2:1:...2...12...111.",
			"4x4:ef2bbf44ff:3-4:1:211.......2.2.12", "4x4:7bf5db9f97:4-5:2:..12..1121..22.2", "4x4:dfead1fbfd:5-4:1:...1121.121.22..",
			"4x4:cffdf93fb7:6-5:2:.....12222111112",
		},
	},
	"dotsandboxes": {
		start: "3x3 h0,1 v1,2 h3,1 v0,0 h1,0 v2,1 v1,0 v0,3 h3,0 v1,3 v0,2 h3,2 v2,3 v2,0 h2,0",
		moves: "v1,1;h2,1;h1,1;v2,2;h2,2;v0,1;h1,2;h0,0;h0,2",
		puzzles: []string{
			"4x4 h1111/1111/1100/1011/1101 v11111/00001/00001/11011 2-4 2 o1122/..../..../2..2",
			"4x4 h1110/1111/1111/0101/0101 v00100/11111/10011/11100 4-2 2 o..../1221/...1/.1..",
			"4x4 h1111/1001/1001/1111/0111 v11011/11011/11000/01111 1-7 2 o2..2/2..2/2.../.221",
			"4x4 h1111/1111/1101/1011/1101 v01111/00100/11011/11011 4-3 2 o.211/..../2..2/1..1",
			"4x4 h1111/1111/0111/1100/0010 v11111/01111/10001/01001 6-1 1 o1211/.111/..../....",
			"4x4 h1111/1111/0111/1010/1010 v11111/01111/10110/00001 7-1 1 o1111/.112/..1./....",
			"4x4 h1111/1111/1001/0111/1011 v11111/11011/00011/10111 6-3 1 o2211/2..1/...1/..11",
		},
	},
	"watchyourback": {
		start: "X-O----X/--O-----/---@----/--O-@---/--------/---@-O--/-@------/X------X:moving:126",
		moves: "(2,0)->(2,2);(1,6)->(1,5);(2,1)->(3,1);(3,2)->(4,2);(2,2)->(2,1);(4,3)->(4,1);(2,3)->(2,2);(3,5)->(3,4);(5,5)->(6,5);" +
			"(4,2)->(4,3);(2,2)->(1,2);(3,4)->(3,3);(6,5)->(5,5);(3,3)->(3,2);(5,5)->(5,4);(4,1)->(4,2);(5,4)->(4,4);(3,2)->(3,3)",
		puzzles: []string{
			"......../......../..X-OX../..@--@../..-O@-../..XO-X../......../........:moving:200",
			"......../......../..X-OX../..@---../..--O@../..X--X../......../........:moving:201",
			"......../......../..X@-X../..-@-O../..@O-O../..X--X../......../........:moving:200",
			"......../......../..XO-X../..O@@O../..---O../..X-@X../......../........:moving:200",
			"......../......../..X--X../..O-OO../..-@@-../..X--X../......../........:moving:201",
			"......../......../..X@-X../..---@../..-OO-../..X-@X../......../........:moving:200",
			"......../......../..X--X../..@@O-../..@-O-../..X-OX../......../........:moving:200",
		},
	},
}

// replay is what the home page draws of a game: the shapes of all pictures, each once, the pictures of a
// recorded game, and the puzzles of the day.
type replay struct {
	Shapes  []engine.Shape `json:"shapes"`
	Frames  []frame        `json:"frames"`
	Puzzles []puzzle       `json:"puzzles"`
}

// puzzle is a position and its picture.
type puzzle struct {
	Position string      `json:"position"`
	Turn     engine.Side `json:"turn"`
	frame
}

// frame is a picture. Shown contains indexes into replay.Shapes.
type frame struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Shown  []int   `json:"shown"`
}

// frame returns a picture without arrows and the names of moves, and adds its new shapes. numbers maps
// the shapes added before to their numbers.
func (r *replay) frame(pic engine.Picture, numbers map[engine.Shape]int) frame {
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
	return f
}

// recorded returns the replays of the games, by name.
func (all Games) recorded() (map[string]replay, error) {
	out := map[string]replay{}
	for _, g := range all {
		r, err := replayed(g)
		if err != nil {
			return nil, fmt.Errorf("recorded game of %s: %w", g.Name(), err)
		}
		out[g.Name()] = r
	}
	return out, nil
}

// replayed returns the replay of a game.
func replayed(g Game) (r replay, err error) {
	recording := recordings[g.Name()]
	p, err := g.Parse(recording.start)
	if err != nil {
		return r, err
	}
	numbers := map[engine.Shape]int{}
	r.Frames = append(r.Frames, r.frame(p.Picture(nil, 0), numbers))
	for text := range strings.SplitSeq(recording.moves, ";") {
		before := p
		m, err := p.ParseMove(text)
		if err != nil {
			return r, err
		}
		if p, err = p.Play(m); err != nil {
			return r, err
		}
		r.Frames = append(r.Frames, r.frame(p.Picture(before, m), numbers))
	}
	for _, text := range recording.puzzles {
		if p, err = g.Parse(text); err != nil {
			return r, err
		}
		r.Puzzles = append(r.Puzzles, puzzle{text, p.Turn(), r.frame(p.Picture(nil, 0), numbers)})
	}
	return r, nil
}

package why

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"endwise/book/booktest"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback/plain"
)

// plainMoves is a decision with the exact value of every move, by plain minimax, and one move of best
// play.
func plainMoves(ctx context.Context, p engine.Position) (d engine.Decision, err error) {
	if _, ok := p.(circuitwars.Position); ok {
		d, err = plainCircuit(ctx, p)
		d.Line = []string{d.Move}
		return d, err
	}
	for _, m := range p.Moves() {
		q, err := p.Play(m)
		if err != nil {
			return d, err
		}
		next, err := plainDots(ctx, q)
		if err != nil {
			return d, err
		}
		v := engine.MoveValue{Move: p.MoveString(m), Score: next.Score, Proof: engine.Exact}
		if q.Turn() != p.Turn() {
			v.Score = -v.Score
		}
		v.Score += engine.Gained(p, q)
		if d.Moves = append(d.Moves, v); d.Move == "" || v.Score > d.Score {
			d.Move, d.Score, d.Line = v.Move, v.Score, []string{v.Move}
		}
	}
	d.Proof = engine.Exact
	return d, nil
}

// playOut returns best play after a move, with the move.
func playOut(t *testing.T, p engine.Position, move string) []string {
	line := []string{move}
	for p = enginetest.Play(t, p, move); !p.Over(); p = enginetest.Play(t, p, line[len(line)-1]) {
		d, err := plainMoves(t.Context(), p)
		testenv.OK(t, err)
		line = append(line, d.Move)
	}
	return line
}

// opener returns the player who first lets the opponent capture at least 3 boxes when nothing can be
// captured, and the score then.
func opener(t *testing.T, at engine.Position, line []string) (side engine.Side, score [2]int) {
	p := at.(dotsandboxes.Position)
	for _, move := range line {
		q := enginetest.Play(t, p, move)
		if taken(p, afterCaptures(p)) == 0 && q.Turn() != p.Turn() && taken(q, afterCaptures(q)) >= 3 {
			return p.Turn(), p.Score()
		}
		p = q
	}
	return engine.None, score
}

// The reasons for 400 mistakes state the results that minimax finds, the player who opens the
// first long chain, or captures whose sizes add up to the loss.
func TestMistakes(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 6))
	seen := map[Kind]int{}
	for n := range 400 {
		var p engine.Position
		if n%2 == 0 {
			p = booktest.RandomCircuitWars(t, r, randomBoard(t, r, "2x3", "3x3", "2x4"), 7+r.IntN(4))
		} else if p = booktest.RandomDotsAndBoxes(t, r, randomBoard(t, r, "3x3", "3x4", "2x5"), 7+r.IntN(5)); p.Over() {
			continue
		}
		d, err := plainMoves(t.Context(), p)
		testenv.OK(t, err)
		wrong := slices.DeleteFunc(slices.Clone(d.Moves), func(m engine.MoveValue) bool { return m.Score == d.Score })
		if len(wrong) == 0 {
			continue
		}
		m := wrong[r.IntN(len(wrong))]
		played := Play{Line: playOut(t, p, m.Move), Score: m.Score, Proof: engine.Exact}
		better := Play{Line: playOut(t, p, d.Move), Score: d.Score, Proof: engine.Exact}
		lines := [2][]string{played.Line, better.Line}
		if n%3 == 0 { // solve continues the lines with the same moves
			played.Line, better.Line = played.Line[:1], better.Line[:1]
		}
		reasons, err := Mistake(t.Context(), p, played, better, plainMoves)
		testenv.OK(t, err)
		for _, r := range reasons {
			seen[r.Kind]++
			checkText(t, p, r)
			switch r.Kind {
			case Results:
				for i, name := range []string{"played", "better"} {
					end := p
					for _, move := range lines[i] {
						end = enginetest.Play(t, end, move)
					}
					same(t, p, r, name+"1", end.Score()[0])
					same(t, p, r, name+"2", end.Score()[1])
				}
			case Opener:
				for i, name := range []string{"played", "better"} {
					_, score := opener(t, p, lines[i])
					same(t, p, r, name+"1", score[0])
					same(t, p, r, name+"2", score[1])
				}
			case Differ:
				loss := 0
				for _, part := range r.Parts {
					size := part.Size
					if strings.HasPrefix(part.Kind, "played") != strings.HasSuffix(part.Kind, p.Turn().String()[len("player "):]) {
						loss += size
					} else {
						loss -= size
					}
				}
				if loss != d.Score-m.Score {
					t.Errorf("%s: the captures add up to %d, the loss is %d: %s", p, loss, d.Score-m.Score, r.Text)
				}
			}
		}
		if n%2 == 1 {
			first, _ := opener(t, p, lines[0])
			second, _ := opener(t, p, lines[1])
			if stated := slices.ContainsFunc(reasons, func(r Reason) bool { return r.Kind == Opener }); stated != (first != second && first != engine.None && second != engine.None) {
				t.Errorf("%s: %s and %s open after %v and %v: %+v", p, first, second, lines[0], lines[1], reasons)
			}
		}
		if reasons[0].Kind != Results || len(reasons) < 2 {
			t.Errorf("%s: %+v", p, reasons)
		}
	}
	for _, kind := range []Kind{Results, Opener, Differ} {
		if seen[kind] < 5 {
			t.Errorf("only %d positions with %q", seen[kind], kind)
		}
	}
	t.Log(seen)
}

var (
	eliminated = regexp.MustCompile(`(on|enters|loses|Black|White) \(\d,\d\)((, | and )\(\d,\d\))*`)
	squareName = regexp.MustCompile(`\(\d,\d\)`)
)

// The course of a line names the pieces that the second implementation of the rules eliminates.
func TestCourses(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 8))
	checked, unshown := 0, 0
	for n := range 1500 {
		start := randomGame(r)
		if n%2 == 0 {
			start = smallBoard(r)
		}
		var plays [2]Play
		var want [2][]string
		var ends [2]plain.Game
		for i := range plays {
			p := engine.Position(start)
			for k := 0; k < 8 && !p.Over(); k++ {
				move := p.Moves()[r.IntN(len(p.Moves()))]
				before := readPlain(t, p)
				plays[i].Line = append(plays[i].Line, p.MoveString(move))
				p = enginetest.Play(t, p, p.MoveString(move))
				after := readPlain(t, p)
				names := squareName.FindAllString(plays[i].Line[k], -1)
				for _, color := range []byte{'O', '@'} {
					for _, s := range gone(before, after, color) {
						if len(names) < 2 || s != names[0] { // not the origin of a step
							want[i] = append(want[i], s)
						}
					}
				}
				if len(names) > 0 {
					to := names[len(names)-1]
					if after.Board[int(to[1]-'0')+8*int(to[3]-'0')] != before.Mover() {
						want[i] = append(want[i], to)
					}
				}
			}
		}
		for i := range plays {
			if n%3 == 0 {
				plays[i].Proof = engine.Exact
			}
			end := engine.Position(start)
			for _, move := range plays[i].Line[:min(len(plays[0].Line), len(plays[1].Line))] {
				end = enginetest.Play(t, end, move)
			}
			ends[i] = readPlain(t, end)
		}
		reasons, err := Mistake(t.Context(), start, plays[0], plays[1], nil)
		testenv.OK(t, err)
		if len(reasons) == 1 && reasons[0].Kind == Unshown {
			unshown++
			g := readPlain(t, start)
			own := g.Mover()
			balance := func(g plain.Game) int { return g.Count(own) - g.Count(plain.Enemy(own)) }
			if n%3 == 0 || balance(ends[0]) < balance(ends[1]) {
				t.Errorf("%s, %v, %v: %s", start, plays[0].Line, plays[1].Line, reasons[0].Text)
			}
			continue
		}
		if len(reasons) != 2 || reasons[0].Kind != Course || reasons[1].Kind != Course {
			t.Fatalf("%s: %+v", start, reasons)
		}
		for i, reason := range reasons {
			if len(plays[i].Line) != reason.Numbers["turns"] || strings.Contains(reason.Text, "and more") {
				continue
			}
			var got []string
			for _, part := range eliminated.FindAllString(reason.Text, -1) {
				got = append(got, squareName.FindAllString(part, -1)...)
			}
			slices.Sort(got)
			slices.Sort(want[i])
			if !slices.Equal(got, want[i]) {
				t.Errorf("%s, %v: %s; want %v", start, plays[i].Line, reason.Text, want[i])
			}
			if len(want[i]) > 0 {
				checked++
			}
		}
	}
	if checked < 100 || unshown < 100 {
		t.Errorf("only %d lines with captures, and %d pairs that show no loss", checked, unshown)
	}
}

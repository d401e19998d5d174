package ahead_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/anygame"
	"endwise/book/anygame/ahead"
	"endwise/book/booktest"
	"endwise/book/known"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/kayles"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// bareGame shows the rules of a game and nothing else: no keys, no bounds.
type bareGame struct{ engine.Game }

func (g bareGame) Start(board string) (engine.Position, error) { return bare(g.Game.Start(board)) }
func (g bareGame) Parse(text string) (engine.Position, error)  { return bare(g.Game.Parse(text)) }

// bareCounted is the same for a game that counts something.
type bareCounted struct{ engine.Counted }

func (g bareCounted) Start(board string) (engine.Position, error) {
	return bare(g.Counted.Start(board))
}
func (g bareCounted) Parse(text string) (engine.Position, error) { return bare(g.Counted.Parse(text)) }

type barePosition struct{ engine.Position }

func bare(p engine.Position, err error) (engine.Position, error) { return barePosition{p}, err }

func (p barePosition) Play(m engine.Move) (engine.Position, error) { return bare(p.Position.Play(m)) }
func (p barePosition) Winner() engine.Side                         { return engine.Winner(p.Position) }

// randomPositions are the positions of random games from a start that are not
// over, those with the fewest moves left first.
func randomPositions(t *testing.T, start engine.Position, games int) (out []engine.Position) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 1))
	for range games {
		var line []engine.Position
		for p := start; !p.Over(); {
			line = append([]engine.Position{p}, line...)
			moves := p.Moves()
			q, err := p.Play(moves[r.IntN(len(moves))])
			testenv.OK(t, err)
			p = q
		}
		out = append(out, line...)
	}
	return out
}

// A player that knows the rules alone never misses a move that wins at once,
// even where its time is over before it begins, and where the score before the
// end says something else.
func TestRulesAloneNeverMissAWin(t *testing.T) {
	game := anygame.FromRules(bareGame{watchyourback.Game{}})
	l := booktest.Open(t, game.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	start, err := game.Parse("......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196")
	testenv.OK(t, err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	asked := 0
	for _, p := range randomPositions(t, start, 200) {
		wins := map[string]bool{}
		for _, m := range p.Moves() {
			q, err := p.Play(m)
			testenv.OK(t, err)
			if q.Over() && engine.Winner(q) == p.Turn() {
				wins[p.MoveString(m)] = true
			}
		}
		if len(wins) == 0 || len(wins) == len(p.Moves()) {
			continue
		}
		asked++
		late := book.Question{Position: p, Clock: engine.Clock{Deadline: time.Now()}}
		for name, ask := range map[string]func() (engine.Decision, error){
			"late":      func() (engine.Decision, error) { return l.Decide(t.Context(), late) },
			"cancelled": func() (engine.Decision, error) { return l.Decide(over, book.Question{Position: p}) },
			"unlimited": func() (engine.Decision, error) { return l.Decide(t.Context(), book.Question{Position: p}) },
		} {
			d, err := ask()
			if err != nil || !wins[d.Move] || d.Proof != engine.Exact || d.Score != 1 {
				t.Fatalf("%s: %s: %+v, %v; want one of %v", p, name, d, err, wins)
			}
		}
	}
	if asked < 50 {
		t.Errorf("only %d positions with a move that wins at once", asked)
	}
}

// Whatever a look ahead says to be proved is what plain minimax says, wherever
// it was stopped; and where it was not stopped it proves all.
func TestAheadProvesNothingFalse(t *testing.T) {
	for _, c := range []struct {
		game, bare engine.Game
		start      string
		games      int
		short      bool // every line ends soon
	}{
		{kayles.Game{}, bareGame{kayles.Game{}}, "5-2-1", 30, true},
		{watchyourback.Game{}, bareGame{watchyourback.Game{}}, "......../......../..X--X../..O@--../..--O-../..X@-X../......../........:moving:200", 40, false},
		{dotsandboxes.Game{}, bareCounted{dotsandboxes.Game{}}, "1x3", 20, true},
		{circuitwars.Game{}, bareCounted{circuitwars.Game{}}, "1x3", 20, true},
	} {
		start, err := c.bare.Parse(c.start)
		testenv.OK(t, err)
		judge := &plain.Rules{Game: c.game, Visits: 2000}
		_, counted := c.bare.(engine.Counted)
		source := ahead.Search(c.bare, 16<<20, 0)
		found := map[engine.Proof]int{}
		compared := 0
		for _, p := range randomPositions(t, start, c.games) {
			truth, err := judge.Solve(p.String())
			if err != nil {
				continue // too far from the end
			}
			if compared++; compared > 60 {
				break
			}
			stops := []int{0, 1, 2, 15}
			if c.short {
				stops = append(stops, 1<<20)
			}
			for _, stop := range stops {
				for _, all := range []bool{false, true} {
					q := book.Question{Position: p, AllMoves: all}
					var before booktest.Knows
					for move, v := range truth.Moves { // some move is known beforehand
						if stop == 2 {
							m, err := p.ParseMove(move)
							testenv.OK(t, err)
							before = booktest.Knows{known.Claim{Move: m, Lower: v, Upper: v}}
						}
						break
					}
					l := book.Lookup{Game: c.bare, Sources: []book.Source{before, source}}
					d, err := l.Decide(testenv.Countdown(t.Context(), stop), q)
					testenv.OK(t, err)
					if !booktest.Sound(d.Score, d.Proof, truth.Value) || stop == 1<<20 && d.Proof != engine.Exact {
						t.Fatalf("%s (stopped after %d looks, all %v): %+v, minimax says %d", p, stop, all, d, truth.Value)
					}
					if d.Proof == engine.Exact && truth.Moves[d.Move] != truth.Value {
						t.Fatalf("%s: %s is worth %d of %d", p, d.Move, truth.Moves[d.Move], truth.Value)
					}
					for _, m := range d.Moves {
						if v, legal := truth.Moves[m.Move]; !legal || !booktest.Sound(m.Score, m.Proof, v) {
							t.Fatalf("%s (stopped after %d looks, all %v): %+v, minimax says %d", p, stop, all, m, v)
						}
						found[m.Proof]++
					}
					if all && len(d.Moves) != len(truth.Moves) {
						t.Fatalf("%s: %d of %d moves", p, len(d.Moves), len(truth.Moves))
					}
					found[d.Proof]++
				}
			}
		}
		if compared < 50 || found[engine.Exact] == 0 || found[engine.Estimate] == 0 || counted && found[engine.Upper] == 0 {
			t.Errorf("%s: %d positions, proofs %v", c.game.Name(), compared, found)
		}
	}
}

// What an earlier source proved stands: the best of it is not given up for a
// move that is proved to be worse, nor for one that only looks better than a
// win.
func TestAheadKeepsWhatIsKnown(t *testing.T) {
	g := bareCounted{circuitwars.Game{}}
	p, err := g.Start("7x7")
	testenv.OK(t, err)
	var before booktest.Knows
	for _, m := range p.Moves() {
		before = append(before, known.Claim{Move: m, Lower: -3, Upper: -3})
	}
	before[5].Lower, before[5].Upper = 4, 4
	for _, c := range []struct {
		before booktest.Knows
		want   engine.Proof
	}{{before[:8], engine.Lower}, {before, engine.Exact}} {
		l := book.Lookup{Game: g, Sources: []book.Source{c.before, ahead.Search(g, 1<<20, 20_000)}}
		d, err := l.Decide(t.Context(), book.Question{Position: p})
		if err != nil || d.Move != p.MoveString(before[5].Move) || d.Proof != c.want || d.Score != 4 {
			t.Errorf("%d moves known: %+v, %v", len(c.before), d, err)
		}
	}
}

package watchyourback

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/live"
)

// Matches at a fixed number of nodes a move, so that a busy machine does not
// matter. Games begin after random placements and end on the 4x4 board, whose
// values are known.
const (
	matchNodes    = 6000
	matchOpening  = 6
	matchPairs    = 60
	matchHash     = 8 << 20
	matchMaxTurns = 400
)

// matchPlayer chooses a move.
type matchPlayer func(watchyourback.Position) engine.Move

// searchPlayer plays by the live search alone.
func searchPlayer(t *testing.T, tables *openTables, e live.Evaluation, nodes uint64) matchPlayer {
	s := live.New(matchHash, 1, oracle{tables})
	s.Evaluation = e
	return func(p watchyourback.Position) engine.Move {
		return s.Search(t.Context(), p, live.Limits{Nodes: nodes}).Moves[0].Move
	}
}

// levelPlayer is a built-in opponent.
func levelPlayer(t *testing.T, name string) matchPlayer {
	l, err := levels.NewWatchYourBack(name, 1)
	testenv.OK(t, err)
	return func(p watchyourback.Position) engine.Move {
		d, err := l.Choose(t.Context(), p, engine.Clock{})
		testenv.OK(t, err)
		m, err := p.ParseMove(d.Move)
		testenv.OK(t, err)
		return m
	}
}

// matchGame plays a game and returns the half points of White.
func matchGame(t *testing.T, tables *openTables, white, black matchPlayer, seed uint64) int {
	r := rand.New(rand.NewPCG(seed, 6))
	p := watchyourback.New(false)
	for range matchOpening {
		m := p.Moves()
		p = p.Next(m[r.IntN(len(m))])
	}
	halves := map[engine.Side]int{engine.First: 2, engine.None: 1, engine.Second: 0}
	for turns := 0; !p.Over() && turns < matchMaxTurns; turns++ {
		if p.Stage() == watchyourback.Final {
			v, _, ok := tables.Probe(p)
			if !ok {
				t.Fatalf("%s: not in the 4x4 table", p)
			}
			switch v {
			case 1:
				return halves[p.Turn()]
			case -1:
				return halves[p.Turn().Other()]
			}
			return 1
		}
		if p.Turn() == engine.First {
			p = p.Next(white(p))
		} else {
			p = p.Next(black(p))
		}
	}
	return halves[p.Winner()]
}

// match plays pairs of games and counts them for a.
func match(t *testing.T, a, b matchPlayer, pairs int) (result arena.Pairs) {
	tables := newTables(book.Options{})
	for k := range pairs {
		result[matchGame(t, tables, a, b, uint64(k))+2-matchGame(t, tables, b, a, uint64(k))]++
	}
	return result
}

// TestEvaluationTerms switches the terms of the evaluation off, one after the
// other, and fails for one that the search is better without. ENDWISE_DEEP=1
// plays for it, a minute of processor time a term.
func TestEvaluationTerms(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("matches of whole games: set ENDWISE_DEEP=1")
	}
	pairs := matchPairs
	if n, err := strconv.Atoi(os.Getenv("ENDWISE_PAIRS")); err == nil && n > 0 {
		pairs = n
	}
	for name, off := range map[string]func(*live.Evaluation){
		"freedom": func(e *live.Evaluation) { e.Freedom = 0 },
		"threat":  func(e *live.Evaluation) { e.Threat = 0 },
		"core":    func(e *live.Evaluation) { e.Core = [2]int{} },
		"near":    func(e *live.Evaluation) { e.CoreGain = [2]int{} },
		"doomed":  func(e *live.Evaluation) { e.DoomedLoss = [2]int{} },
	} {
		t.Run(name, func(t *testing.T) {
			without := live.Usual
			off(&without)
			tables := newTables(book.Options{})
			r := match(t, searchPlayer(t, tables, live.Usual, matchNodes), searchPlayer(t, tables, without, matchNodes), pairs)
			t.Logf("with it against without: %s, pairs %v", arena.EloText(r), r)
			if r.Elo().High < 0 {
				t.Error("better without")
			}
		})
	}
}

// TestMatchesAgainstLevels plays against the strongest built-in opponents,
// every game a win.
func TestMatchesAgainstLevels(t *testing.T) {
	pairs, nodes := 2, uint64(1500)
	if os.Getenv("ENDWISE_DEEP") != "" {
		pairs, nodes = 20, matchNodes
	}
	tables := newTables(book.Options{})
	for _, name := range []string{"look-ahead", "mirror"} {
		r := match(t, searchPlayer(t, tables, live.Usual, nodes), levelPlayer(t, name), pairs)
		if r[4] != pairs {
			t.Errorf("%s: %s, pairs %v", name, arena.EloText(r), r)
		}
	}
}

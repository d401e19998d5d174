package watchyourback

import (
	"context"
	"os"
	"strconv"
	"testing"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/search"
)

// Matches have a fixed number of nodes per move, so that a busy machine does not matter.
// Games begin after random placements.
const (
	matchNodes    = 6000
	matchOpening  = 6
	matchPairs    = 60
	matchHash     = 8 << 20
	matchMaxTurns = 400
)

// searchPlayer plays with the heuristic search alone.
type searchPlayer struct {
	*search.Searcher
	nodes uint64
}

func newSearchPlayer(e search.Evaluation, nodes uint64) searchPlayer {
	s := search.New(matchHash, 1, oracle{newTables(book.Options{})})
	s.Evaluation = e
	return searchPlayer{s, nodes}
}

func (searchPlayer) Name() string { return "search" }

func (s searchPlayer) Choose(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	r := s.Search(ctx, p.(watchyourback.Position), search.Limits{Nodes: s.nodes})
	return engine.Decision{Move: p.MoveString(r.Moves[0].Move)}, nil
}

// played plays pairs of games and returns the results for a.
func played(t *testing.T, a, b engine.Player, pairs int) arena.Pairs {
	t.Helper()
	participant := func(name string, p engine.Player) arena.Participant {
		return arena.Participant{Name: name, Open: func(context.Context, arena.Setup) (engine.Player, error) { return p, nil }}
	}
	judge := func(seed uint64) engine.Player {
		l, err := levels.New(1, seed)
		testenv.OK(t, err)
		return l
	}
	first := watchyourback.New(false)
	m := arena.Match{
		Config:       arena.Config{First: first, MaxTurns: matchMaxTurns},
		Participants: []arena.Participant{participant("a", a), participant("b", b)},
		Games:        2 * pairs, Openings: arena.Openings{First: first, Plies: matchOpening, Judge: judge}, Concurrency: 1,
	}
	pairings, err := m.Run(t.Context(), nil)
	testenv.OK(t, err)
	return pairings[0].Tally.Pairs
}

// TestEvaluationTerms switches the terms of the evaluation off, one after the other, and
// fails if the search is better without one. It only plays with ENDWISE_DEEP=1, a minute of
// processor time per term.
func TestEvaluationTerms(t *testing.T) {
	if os.Getenv("ENDWISE_DEEP") == "" {
		t.Skip("matches of whole games: set ENDWISE_DEEP=1")
	}
	pairs := matchPairs
	if n, err := strconv.Atoi(os.Getenv("ENDWISE_PAIRS")); err == nil && n > 0 {
		pairs = n
	}
	for name, term := range map[string]int{"freedom": search.Freedom, "pairs": search.Pairs, "threats": search.Threats, "material": search.Material} {
		t.Run(name, func(t *testing.T) {
			without := search.DefaultEvaluation
			for turn := range without {
				without[turn][term] = 0
			}
			r := played(t, newSearchPlayer(search.DefaultEvaluation, matchNodes), newSearchPlayer(without, matchNodes), pairs)
			t.Logf("with it against without: %s, pairs %v", r.Text(), r)
			if r.Elo().High < 0 {
				t.Error("better without")
			}
		})
	}
}

// TestMatchesAgainstLevels plays against the strongest built-in opponents; every game must
// be a win.
func TestMatchesAgainstLevels(t *testing.T) {
	pairs, nodes := 2, uint64(1500)
	if os.Getenv("ENDWISE_DEEP") != "" {
		pairs, nodes = 20, matchNodes
	}
	for _, name := range []string{"look-ahead", "mirror"} {
		level, err := levels.NewWatchYourBack(name, 1)
		testenv.OK(t, err)
		r := played(t, newSearchPlayer(search.DefaultEvaluation, nodes), level, pairs)
		if r[4] != pairs {
			t.Errorf("%s: %s, pairs %v", name, r.Text(), r)
		}
	}
}

// In the last turns before the second shrink, a short search chooses a move that keeps the
// value proved by the search to the shrink.
func TestLastTurnsBeforeTheShrink(t *testing.T) {
	for _, text := range []string{
		"......../.X----X./.--@O--./.-@----./.----O-./.--@O--./.X----X./........:moving:180",
		"......../.X----X./.--O@--./.----@-./.-O----./.--O@--./.X----X./........:moving:180",
		"......../.X----X./.--@O--./.-@----./.----O-./.--@O--./.X----X./........:moving:183",
		"......../.X----X./.--O@--./.-O--@-./.------./.--O@--./.X----X./........:moving:183",
	} {
		p, err := watchyourback.Parse(text)
		testenv.OK(t, err)
		s := newSearchPlayer(search.DefaultEvaluation, 200_000)
		d, err := s.Choose(t.Context(), p, engine.Clock{})
		testenv.OK(t, err)
		m, err := p.ParseMove(d.Move)
		testenv.OK(t, err)
		value, _, _, ok := s.Solve(t.Context(), p, search.Limits{})
		after, _, _, afterOK := s.Solve(t.Context(), p.Next(m), search.Limits{})
		if !ok || !afterOK || -after != value {
			t.Errorf("%s: %s has value %d (%v), want %d (%v)", text, d.Move, -after, afterOK, value, ok)
		}
	}
}

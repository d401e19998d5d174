package arena

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func levelMatch(t *testing.T, games, concurrency int) *Match {
	t.Helper()
	first, err := circuitwars.New(3, 3)
	testenv.OK(t, err)
	return &Match{
		Config:       Config{Rules: Rules{Game: circuitwars.Game{}}, First: first},
		Participants: []Participant{level(3), level(2), level(1)},
		Games:        games,
		Openings: Openings{First: first, Plies: 4, Seed: 7, Judge: func(seed uint64) engine.Player {
			l, err := levels.New(3, seed)
			if err != nil {
				t.Error(err)
			}
			return l
		}},
		Seed:        7,
		Concurrency: concurrency,
	}
}

// The games of a seed are the same for any concurrency, both games of a pair have the same
// opening with the sides swapped, and the stronger level wins.
func TestMatchIsRepeatable(t *testing.T) {
	var digests []string
	for _, concurrency := range []int{1, 5} {
		pairings, err := levelMatch(t, 20, concurrency).Run(context.Background(), nil)
		testenv.OK(t, err)
		results := Results(pairings)
		if len(results) != 60 {
			t.Fatalf("%d games, want 60", len(results))
		}
		digests = append(digests, Digest(results))
		for _, p := range pairings {
			for k, pair := range p.results {
				if pair[0].Players[0] != p.A.Name || pair[1].Players[0] != p.B.Name {
					t.Errorf("pair %d: sides %v and %v", k, pair[0].Players, pair[1].Players)
				}
				if len(pair[0].Opening) != 4 || !cmp.Equal(pair[0].Opening, pair[1].Opening) {
					t.Errorf("pair %d: openings %v and %v", k, pair[0].Opening, pair[1].Opening)
				}
			}
			if p.B.Name == "level1" && p.Tally.Pairs.Score() < 0.7 {
				t.Errorf("%s scores only %.2f against level1", p.A.Name, p.Tally.Pairs.Score())
			}
		}
	}
	if digests[0] != digests[1] {
		t.Errorf("one game at a time gives %s, five %s", digests[0], digests[1])
	}
}

// A run that is interrupted repeatedly, each time with an incomplete last line in its file,
// ends with the games of an uninterrupted run.
func TestMatchResumes(t *testing.T) {
	whole, err := levelMatch(t, 10, 2).Run(context.Background(), nil)
	testenv.OK(t, err)
	path := filepath.Join(t.TempDir(), "results.jsonl")
	header := map[string]any{"game": "circuitwars", "seed": 7}
	for round := 0; ; round++ {
		if round > 40 {
			t.Fatal("the run makes no progress")
		}
		journal, earlier, err := OpenJournal(path, header)
		testenv.OK(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		m := levelMatch(t, 10, 2)
		m.Journal = journal
		played := 0
		m.OnResult = func(Result, *Pairing) {
			if played++; played == 3 {
				cancel()
			}
		}
		pairings, err := m.Run(ctx, earlier)
		cancel()
		journal.Close()
		if err == nil {
			if round < 5 {
				t.Errorf("done after %d rounds of about 3 games", round)
			}
			if got, want := Digest(Results(pairings)), Digest(Results(whole)); got != want {
				t.Errorf("resumed run gives %s, an undisturbed one %s", got, want)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		testenv.OK(t, err)
		if _, err := f.WriteString(`{"id":"level3-level2-00`); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
}

// The test stops a lopsided match long before its last game, and at the same pair if it is
// repeated from its results.
func TestSPRTStopsAMatch(t *testing.T) {
	test, err := NewSPRT(0, 100)
	testenv.OK(t, err)
	m := levelMatch(t, 2000, 3)
	m.Participants, m.SPRT = []Participant{level(3), level(1)}, &test
	pairings, err := m.Run(context.Background(), nil)
	testenv.OK(t, err)
	p := pairings[0]
	if p.Verdict != AcceptH1 || p.Tally.All().Games() > 400 || test.Judge(p.tested) != AcceptH1 {
		t.Errorf("%s after %d games: %v", p.Verdict, p.Tally.All().Games(), p.tested)
	}
	again := levelMatch(t, 2000, 1)
	again.Participants, again.SPRT = m.Participants, &test
	again.OnResult = func(r Result, _ *Pairing) { t.Errorf("%s was played again", r.ID) }
	repeated, err := again.Run(context.Background(), Results(pairings))
	if err != nil || repeated[0].Verdict != AcceptH1 || repeated[0].tested != p.tested {
		t.Errorf("repeated: %s, %v, %v", repeated[0].Verdict, repeated[0].tested, err)
	}
}

// A game can end while an opening for another game is searched.
func TestGamesEndDuringAnOpeningSearch(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	m := levelMatch(t, 4, 2)
	searching, ended := make(chan struct{}), make(chan struct{})
	// The second game lasts until the search for the third opening begins, and that search
	// lasts until the second game has ended.
	slow := Participant{Name: "slow", Open: func(_ context.Context, s Setup) (engine.Player, error) {
		return enginetest.PlayerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
			if strings.HasSuffix(s.Game, "-0002") {
				select {
				case <-searching:
				case <-ctx.Done():
				}
			}
			return enginetest.First(ctx, p, c)
		}), nil
	}}
	m.Participants = []Participant{slow, plain("b")}
	judge, asked := m.Openings.Judge, atomic.Int32{}
	m.Openings.Judge = func(seed uint64) engine.Player {
		if asked.Add(1) == 2 {
			close(searching)
			select {
			case <-ended:
			case <-ctx.Done():
			}
		}
		return judge(seed)
	}
	m.OnResult = func(r Result, _ *Pairing) {
		if strings.HasSuffix(r.ID, "-0002") {
			close(ended)
		}
	}
	if _, err := m.Run(ctx, nil); err != nil {
		t.Errorf("no game ends during the search for an opening: %v", err)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("%d openings were made for two pairs", n)
	}
}

func TestAmbiguousNamesAreRefused(t *testing.T) {
	m := levelMatch(t, 2, 1)
	m.Participants = []Participant{plain("a"), plain("a")}
	if _, err := m.Run(context.Background(), nil); err == nil {
		t.Error("two players of one name")
	}
	m.Participants = []Participant{plain("a"), plain("a-b"), plain("b-c"), plain("c")}
	if _, err := m.Run(context.Background(), nil); err == nil {
		t.Error("games a-b-c-0001 of two pairings")
	}
}

// A participant that cannot be opened forfeits both games.
func TestForfeitsAreCounted(t *testing.T) {
	for name, open := range map[string]func() (engine.Player, error){
		"absent": func() (engine.Player, error) { return nil, errors.New("away") },
		"illegal": func() (engine.Player, error) {
			return enginetest.PlayerFunc(func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
				return engine.Decision{Move: "0,0,sideways"}, nil
			}), nil
		},
	} {
		m := levelMatch(t, 2, 1)
		m.Participants = []Participant{level(1), {Name: name, Open: func(context.Context, Setup) (engine.Player, error) { return open() }}}
		pairings, err := m.Run(t.Context(), nil)
		testenv.OK(t, err)
		want := Tally{BySide: [2]Counts{{1}, {1}}, Pairs: Pairs{4: 1}, Forfeits: [2]int{0, 2}}
		if d := cmp.Diff(want, pairings[0].Tally, cmpopts.IgnoreUnexported(Tally{}), cmpopts.IgnoreFields(Tally{}, "Time")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

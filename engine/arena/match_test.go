package arena

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"endwise/engine"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func levelMatch(t *testing.T, games, concurrency int) *Match {
	t.Helper()
	h := hall(t, "3x3", 0)
	return &Match{
		Hall:     h,
		Entrants: []Entrant{level(3), level(2), level(1)},
		Games:    games,
		Openings: Openings{First: h.First, Plies: 4, Seed: 7, Judge: func(seed uint64) engine.Player {
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

// The games of a seed are the same however many are played at once, both
// games of a pair start alike with the sides swapped, and the stronger level
// wins.
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

// A run that is interrupted again and again, its file cut off in the middle
// of a line each time, ends with the games of an undisturbed run.
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

func TestJournalRefusesWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r")
	type header struct {
		Game string `json:"game"`
		Seed int    `json:"seed"`
	}
	j, _, err := OpenJournal(path, header{"a", 1})
	testenv.OK(t, err)
	testenv.OK(t, j.Append(Result{ID: "x"}))
	if runtime.GOOS != "windows" {
		if _, _, err := OpenJournal(path, header{"a", 1}); !errors.Is(err, errBusy) {
			t.Errorf("opened twice at once: %v", err)
		}
	}
	j.Close()
	if _, _, err := OpenJournal(path, header{"a", 2}); !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), "its seed is 1, this run's is 2") {
		t.Errorf("other seed: %v", err)
	}
	if _, _, err := OpenJournal(path, map[string]any{"game": "a"}); !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), "seed") {
		t.Errorf("missing seed: %v", err)
	}
	for text, want := range map[string]string{
		"hello":                                 "not a results file",
		"hello\n":                               "line 1",
		"{\"game\":\"a\",\"seed\":1}\n[]\n{}\n": "line 2",
		"{\"game\":\"a\",\"seed\":1}\n{\"id\":\"": "",
		"{\"game\":\"a": "",
	} {
		testenv.OK(t, os.WriteFile(path, []byte(text), 0o644))
		j, got, err := OpenJournal(path, header{"a", 1})
		if want == "" {
			if err != nil || len(got) != 0 {
				t.Errorf("%q: %v, %v", text, got, err)
				continue
			}
			j.Close()
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, _, err := OpenJournal(filepath.Join(dir, "none", "r"), header{}); err == nil {
		t.Error("a file in a missing directory opened")
	}
}

// The test stops a lopsided match long before its last game, and at the same
// pair when the match is repeated from its results.
func TestSPRTStopsAMatch(t *testing.T) {
	test, err := NewSPRT(0, 100)
	testenv.OK(t, err)
	m := levelMatch(t, 2000, 3)
	m.Entrants, m.SPRT = []Entrant{level(3), level(1)}, &test
	pairings, err := m.Run(context.Background(), nil)
	testenv.OK(t, err)
	p := pairings[0]
	if p.Verdict != AcceptH1 || p.Tally.Games() > 400 || test.Judge(p.tested) != AcceptH1 {
		t.Errorf("%s after %d games: %v", p.Verdict, p.Tally.Games(), p.tested)
	}
	again := levelMatch(t, 2000, 1)
	again.Entrants, again.SPRT = m.Entrants, &test
	again.OnResult = func(r Result, _ *Pairing) { t.Errorf("%s was played again", r.ID) }
	repeated, err := again.Run(context.Background(), Results(pairings))
	if err != nil || repeated[0].Verdict != AcceptH1 || repeated[0].tested != p.tested {
		t.Errorf("repeated: %s, %v, %v", repeated[0].Verdict, repeated[0].tested, err)
	}
}

func TestOpenings(t *testing.T) {
	m := levelMatch(t, 2, 1)
	o := &m.Openings
	seen := map[string]bool{}
	for k := range 12 {
		moves, err := o.Opening(context.Background(), k)
		if err != nil || len(moves) != 4 {
			t.Fatalf("opening %d: %v, %v", k, moves, err)
		}
		p := o.First
		for _, mv := range moves {
			p, err = p.Play(mv)
			testenv.OK(t, err)
		}
		seen[p.String()] = true
		if s := p.Score(); s[0] != s[1] {
			t.Errorf("opening %d: %s is not level", k, p)
		}
	}
	if len(seen) < 10 {
		t.Errorf("12 openings are only %d positions", len(seen))
	}
	o = &Openings{First: o.First, Plies: 400, Judge: o.Judge}
	if _, err := o.Opening(context.Background(), 0); err == nil {
		t.Error("an opening longer than the game")
	}
}

// While an opening is searched for, a game that is under way ends.
func TestOpeningsHoldUpNobody(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	m := levelMatch(t, 4, 2)
	searching, ended := make(chan struct{}), make(chan struct{})
	// The second game lasts until the opening of the third is searched for,
	// and that takes until the second game has ended.
	slow := entrant("slow", func(s Seat) (engine.Player, error) {
		return &script{name: "slow", choose: func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
			if strings.HasSuffix(s.Game, "-0002") {
				select {
				case <-searching:
				case <-ctx.Done():
				}
			}
			return firstMove(p), nil
		}}, nil
	})
	m.Entrants = []Entrant{slow, plain("b")}
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
		t.Errorf("no game ends while an opening is made: %v", err)
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("%d openings were made for two pairs", n)
	}
}

func TestNamesMustTellPlayersApart(t *testing.T) {
	m := levelMatch(t, 2, 1)
	m.Entrants = []Entrant{plain("a"), plain("a")}
	if _, err := m.Run(context.Background(), nil); err == nil {
		t.Error("two players of one name")
	}
	m.Entrants = []Entrant{plain("a"), plain("a-b"), plain("b-c"), plain("c")}
	if _, err := m.Run(context.Background(), nil); err == nil {
		t.Error("games a-b-c-0001 of two pairings")
	}
}

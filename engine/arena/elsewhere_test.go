package arena

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine"
	"endwise/engine/testenv"
)

// elsewhere plays pairs as another process would: results are sent as JSON
// and looked at when they arrive. It counts the calls by their games.
type elsewhere struct {
	t    *testing.T
	hall Hall

	mu    sync.Mutex
	calls map[int]int
}

func (e *elsewhere) play(ctx context.Context, games []Fixture) ([]Result, error) {
	e.mu.Lock()
	if e.calls == nil {
		e.calls = map[int]int{}
	}
	e.calls[len(games)]++
	e.mu.Unlock()
	if len(games) == 2 && (games[0].Players[0].Name != games[1].Players[1].Name || !cmp.Equal(games[0].Opening, games[1].Opening)) {
		e.t.Errorf("%s and %s are no pair", games[0].ID, games[1].ID)
	}
	played, err := e.hall.playAll(ctx, games)
	if err != nil {
		return nil, err
	}
	var results []Result
	for i, r := range played {
		var sent Result
		data, err := json.Marshal(r)
		if err == nil {
			err = json.Unmarshal(data, &sent)
		}
		if err == nil {
			sent, err = e.hall.Vet(games[i], sent)
		}
		if err != nil {
			return nil, err
		}
		if d := cmp.Diff(r, sent); d != "" {
			e.t.Errorf("%s is not what was sent:\n%s", r.ID, d)
		}
		results = append(results, sent)
	}
	return results, nil
}

// Pairs that are played elsewhere are the games that are played here, also
// from the middle of a pair.
func TestPairsElsewhere(t *testing.T) {
	here, err := levelMatch(t, 10, 2).Run(t.Context(), nil)
	testenv.OK(t, err)
	want := Digest(Results(here))
	for _, tc := range []struct {
		earlier int
		calls   map[int]int
	}{{0, map[int]int{2: 15}}, {1, map[int]int{1: 1, 2: 14}}, {4, map[int]int{1: 2, 2: 12}}} {
		m := levelMatch(t, 10, 4)
		e := &elsewhere{t: t, hall: m.Hall}
		m.Pairs = e.play
		var earlier []Result
		for _, id := range []string{"level3-level2-0001", "level1-level2-0004", "level3-level1-0009", "level1-level3-0010"}[:tc.earlier] {
			for _, r := range Results(here) {
				if r.ID == id {
					earlier = append(earlier, r)
				}
			}
		}
		if len(earlier) != tc.earlier {
			t.Fatalf("%d games of an earlier run, want %d", len(earlier), tc.earlier)
		}
		there, err := m.Run(t.Context(), earlier)
		testenv.OK(t, err)
		if got := Digest(Results(there)); got != want {
			t.Errorf("%d earlier: digest %s, here %s", tc.earlier, got, want)
		}
		if d := cmp.Diff(tc.calls, e.calls); d != "" {
			t.Errorf("%d earlier: calls by games:\n%s", tc.earlier, d)
		}
	}
}

// The test that ends a match looks at the same pairs wherever they are played.
func TestSPRTElsewhere(t *testing.T) {
	test, err := NewSPRT(0, 100)
	testenv.OK(t, err)
	var tested []Pairs
	for _, far := range []bool{false, true} {
		m := levelMatch(t, 2000, 3)
		m.Entrants, m.SPRT = []Entrant{level(3), level(1)}, &test
		if e := (&elsewhere{t: t, hall: m.Hall}); far {
			m.Pairs = e.play
		}
		pairings, err := m.Run(t.Context(), nil)
		testenv.OK(t, err)
		if p := pairings[0]; p.Verdict != AcceptH1 || p.Tally.Games() > 400 {
			t.Errorf("%s after %d games", p.Verdict, p.Tally.Games())
		}
		tested = append(tested, pairings[0].tested)
	}
	if tested[0] != tested[1] {
		t.Errorf("decided by %v here, by %v elsewhere", tested[0], tested[1])
	}
}

func TestVetRefusesWhatCannotBe(t *testing.T) {
	h := hall(t, "2x2", 0)
	first := h.First
	opening := []engine.Move{first.Moves()[0], first.Moves()[3]}
	f := Fixture{ID: "a-b-0001", Players: [2]Entrant{level(2), level(1)}, Opening: opening, Seed: 3}
	good, err := h.Play(t.Context(), f)
	testenv.OK(t, err)
	if _, err := h.Vet(f, good); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		lie  func(r *Result)
		want string
	}{
		"id":       {func(r *Result) { r.ID = "a-b-0002\x1b[2J" }, "is that of a-b-0002 [2J"},
		"players":  {func(r *Result) { r.Players[0], r.Players[1] = r.Players[1], r.Players[0] }, "between level1 and level2"},
		"opening":  {func(r *Result) { r.Opening = nil }, "another opening"},
		"move":     {func(r *Result) { r.Moves[1] = r.Moves[0] }, "move 4: "},
		"short":    {func(r *Result) { r.Moves = r.Moves[:len(r.Moves)-1] }, `ending "played" does not fit`},
		"long":     {func(r *Result) { r.Moves = append(r.Moves, r.Moves[0]) }, "move 1"},
		"winner":   {func(r *Result) { r.Winner = engine.Second - r.Winner + 1 }, "do not follow"},
		"score":    {func(r *Result) { r.Score[0]++ }, "do not follow"},
		"ending":   {func(r *Result) { r.End = "won" }, `ending "won" does not fit`},
		"stopped":  {func(r *Result) { r.End = Stopped }, `ending "stopped" does not fit`},
		"too soon": {func(r *Result) { r.Moves, r.End, r.Winner = nil, Stopped, engine.None }, `ending "stopped" does not fit`},
		"finished": {func(r *Result) { r.End, r.Score = Timeout, allSquares(first, r.Winner) }, `ending "timeout" does not fit`},
		"writing":  {func(r *Result) { r.Moves[0] = "\v" + r.Moves[0] }, "is written "},
		"nobody":   {func(r *Result) { r.End = NoPlayer }, `ending "noplayer" does not fit`},
		"no loser": {func(r *Result) { r.End, r.Winner = Timeout, engine.None }, `ending "timeout" does not fit`},
		"by both":  {func(r *Result) { r.End, r.Winner = Crash, 3 }, `ending "crash" does not fit`},
		"forfeit":  {func(r *Result) { r.Moves, r.End, r.Winner, r.Score = nil, Illegal, engine.First, [2]int{1, 0} }, "do not follow"},
		"time":     {func(r *Result) { r.Time[0].TotalMS = -1 }, "can't have taken"},
		"mean":     {func(r *Result) { r.Time[1].MaxMS = r.Time[1].TotalMS + 1 }, "can't have taken"},
	} {
		r := good
		r.Moves, r.Opening = append([]string{}, good.Moves...), append([]string{}, good.Opening...)
		tc.lie(&r)
		if got, err := h.Vet(f, r); err == nil || !strings.Contains(err.Error(), tc.want) || strings.ContainsAny(err.Error(), "\x1b") {
			t.Errorf("%s: %v, %v; want an error with %q", name, got.ID, err, tc.want)
		}
	}
	short := h
	short.MaxTurns = len(good.Moves) - 1
	if _, err := short.Vet(f, good); err == nil || !strings.Contains(err.Error(), "it is stopped after") {
		t.Errorf("more moves than turns: %v", err)
	}
	loud := good
	loud.Fault = strings.Repeat("\x1b[2J\n", 1000)
	if r, err := h.Vet(f, loud); err != nil || len(r.Fault) > maxFault+len("…") || strings.ContainsAny(r.Fault, "\x1b\n") {
		t.Errorf("%d bytes of fault, %v", len(r.Fault), err)
	}
}

// A result that is taken back is not there any more, and may come again.
func TestJournalTakesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	ids := func() (*Journal, string) {
		j, results, err := OpenJournal(path, map[string]int{"run": 1})
		testenv.OK(t, err)
		var list []string
		for _, r := range results {
			list = append(list, r.ID+string(r.End))
		}
		return j, strings.Join(list, " ")
	}
	j, _ := ids()
	for _, id := range []string{"a", "b", "c"} {
		testenv.OK(t, j.Append(Result{ID: id, End: "1"}))
	}
	for _, id := range []string{"b", "never"} {
		testenv.OK(t, j.TakeBack(id))
	}
	j.Close()
	j, got := ids()
	if got != "a1 c1" {
		t.Errorf("%q is there, want a1 c1", got)
	}
	testenv.OK(t, j.Append(Result{ID: "b", End: "2"}))
	j.Close()
	j, got = ids()
	j.Close()
	if got != "a1 c1 b2" {
		t.Errorf("%q is there, want a1 c1 b2", got)
	}
}

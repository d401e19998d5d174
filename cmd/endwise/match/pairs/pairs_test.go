package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/players"
	"endwise/cmd/endwise/workers"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/match"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/solver/farm"
)

func TestMain(m *testing.M) {
	cli.Games = []cli.Game{circuitwars.Game()}
	cli.CommandJobs = []func() farm.Kind{Kind, LevelKind}
	testenv.Main(m)
}

// levelMatch is a short match of levels without a clock.
func levelMatch(t *testing.T) (cli.Game, *match.Match) {
	t.Helper()
	g, err := cli.GameNamed("circuitwars")
	testenv.OK(t, err)
	first, err := g.Start("2x3")
	testenv.OK(t, err)
	h := arena.Hall{Rules: g.Arena.Rules, First: first, Board: "2x3"}
	var field players.Field
	for _, spec := range []string{"level3", "level2"} {
		testenv.OK(t, field.Add(&cli.App{Stderr: io.Discard}, g, spec, slog.New(slog.DiscardHandler)))
	}
	return g, &match.Match{
		Hall: h, Entrants: field.Entrants, Games: 12, Seed: 5, Concurrency: 1,
		Openings: arena.Openings{First: h.First, Plies: 2, Seed: 5, Judge: func(seed uint64) engine.Player {
			l, err := levels.New(levels.Count, seed)
			if err != nil {
				t.Error(err) // not in the test's goroutine
			}
			return l
		}},
	}
}

// distrusting is a farm that finds out at the third pair that the worker of the
// second one lied.
type distrusting struct {
	farm.Farm
	undo []func(int) error
}

var errLied = errors.New("worker w is not to be trusted")

func (f *distrusting) Do(ctx context.Context, s farm.Stage) error {
	if f.undo = append(f.undo, s.Undo); len(f.undo) < 3 {
		return f.Farm.Do(ctx, s)
	}
	return errors.Join(f.undo[1](0), errLied)
}

// Games of a worker that is not to be trusted are taken back, and the same
// command plays them again.
func TestPairsAreTakenBack(t *testing.T) {
	_, whole := levelMatch(t)
	want, err := whole.Run(t.Context(), nil)
	testenv.OK(t, err)
	path := filepath.Join(t.TempDir(), "r")
	in := farm.NewInProcess(workers.JobKinds(), 1)
	defer in.Close()
	for round, tc := range []struct {
		farm    farm.Farm
		earlier int
		back    int
	}{{&distrusting{Farm: in}, 0, 2}, {in, 2, 0}} {
		g, m := levelMatch(t)
		p := &Farm{Farm: tc.farm, Kind: levelJobs, Game: g, Hall: m.Hall}
		m.Pairs = p.Play
		journal, earlier, err := arena.OpenJournal(path, map[string]int{"run": 1})
		testenv.OK(t, err)
		if len(earlier) != tc.earlier {
			t.Errorf("round %d: %d games are there, want %d", round, len(earlier), tc.earlier)
		}
		m.Journal = journal
		played, err := m.Run(t.Context(), earlier)
		if errors.Is(err, errLied) != (tc.back > 0) {
			t.Errorf("round %d: %v", round, err)
		}
		if n, err := p.TakeBack(journal); n != tc.back || err != nil {
			t.Errorf("round %d: %d games taken back, %v; want %d", round, n, err, tc.back)
		}
		journal.Close()
		if got := arena.Digest(match.Results(played)); round == 1 && got != arena.Digest(match.Results(want)) {
			t.Errorf("digest %s, not that of an undisturbed run", got)
		}
	}
}

// Whatever a payload says, a worker plays levels and store-less players and
// nothing else.
func TestPairPayloads(t *testing.T) {
	good := func() job {
		p := [2]player{{"a", "level1"}, {"b", "level2"}}
		return job{
			Game: "circuitwars", Board: "2x2", First: "2x2:000:0-0:1", Opening: []string{"0,0,top"},
			Games: []game{{"x", p, 1}, {"y", p, 2}},
		}
	}
	for name, tc := range map[string]struct {
		timed  bool
		change func(j *job)
		want   string // "" for none
	}{
		"levels":   {false, func(*job) {}, ""},
		"one game": {false, func(j *job) { j.Games = j.Games[1:] }, ""},
		"timed":    {true, func(j *job) { j.Time = time.Minute }, ""},
		"full player": {true, func(j *job) {
			j.Time, j.Games[0].Players[1].Spec = time.Minute, "endwise:store=none,hash=1,time=1ms"
		}, ""},
		"game":       {false, func(j *job) { j.Game = "chess" }, "unknown game"},
		"board":      {false, func(j *job) { j.Board = "0x9" }, "0x9"},
		"first":      {false, func(j *job) { j.First = "2x2:001:0-0:1" }, "want 2x2:001"},
		"opening":    {false, func(j *job) { j.Opening = []string{"0,0,top", "0,0,top"} }, "opening move 2"},
		"no games":   {false, func(j *job) { j.Games = nil }, "0 games"},
		"many games": {false, func(j *job) { j.Games = append(j.Games, j.Games...) }, "4 games"},
		"clock":      {false, func(j *job) { j.Time = time.Second }, "limit"},
		"no clock":   {true, func(*job) {}, "limit"},
		"time":       {true, func(j *job) { j.Time = 1 << 60 }, "want up to"},
		"turns":      {false, func(j *job) { j.MaxTurns = -1 }, "want up to"},
		"program":    {true, func(j *job) { j.Time, j.Games[0].Players[0].Spec = time.Second, "cmd:touch /tmp/x" }, "can't make it"},
		"store":      {true, func(j *job) { j.Time, j.Games[0].Players[0].Spec = time.Second, "endwise:store=/etc" }, "has no store"},
		"own store":  {true, func(j *job) { j.Time, j.Games[0].Players[0].Spec = time.Second, "endwise" }, "has no store"},
		"server": {true, func(j *job) {
			j.Time, j.Games[0].Players[0].Spec = time.Second, "endwise:store=none,lookup=http://10.0.0.1:1"
		}, "asks no server"},
		"hash":       {true, func(j *job) { j.Time, j.Games[0].Players[0].Spec = time.Second, "endwise:store=none,hash=900000" }, "hash is at most"},
		"threads":    {true, func(j *job) { j.Time, j.Games[0].Players[0].Spec = time.Second, "endwise:store=none,threads=9" }, "one thread"},
		"clockless":  {false, func(j *job) { j.Games[0].Players[0].Spec = "endwise:store=none" }, "only levels"},
		"level":      {false, func(j *job) { j.Games[0].Players[0].Spec = "level99" }, "want level1"},
		"other game": {false, func(j *job) { j.Games[0].Players[0].Spec = "mirror" }, "can't make it"},
		"name":       {false, func(j *job) { j.Games[1].Players[0].Name = "../../x" }, "want a name"},
	} {
		j := good()
		tc.change(&j)
		payload, err := json.Marshal(j)
		testenv.OK(t, err)
		kind := LevelKind()
		if tc.timed {
			kind = Kind()
		}
		f := farm.NewInProcess(farm.NewKinds(kind), 1)
		var results []arena.Result
		err = f.Do(t.Context(), farm.Stage{Name: name, Kind: kind.Name, Payloads: [][]byte{payload}, Take: func(_ int, data []byte) error {
			return json.Unmarshal(data, &results)
		}})
		f.Close()
		switch {
		case tc.want == "" && (err != nil || len(results) != len(j.Games) || results[0].End != arena.Played):
			t.Errorf("%s: %d games, %v", name, len(results), err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want an error with %q", name, err, tc.want)
		}
	}
}

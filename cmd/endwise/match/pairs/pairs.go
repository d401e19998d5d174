// Package pairs hands the pairs of games of a match out to workers, as jobs, and
// plays them there.
package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"endwise/cmd/endwise/analyze"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/machine"
	"endwise/cmd/endwise/players"
	"endwise/cmd/endwise/workers"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/match"
	"endwise/solver/farm"
)

// The players of a pair are those that a
// worker can make from their specs alone. With a limit of a move the games
// depend on time; without one only levels can be handed out, whose games follow
// from their seeds, so that they are worked out again and compared like the
// shards of a solve.

const (
	timedJobs = "arena pair"
	levelJobs = "arena pair without a clock"
	// AtOnce is how many pairs are handed out at once if not told otherwise.
	AtOnce = 64
)

// Kind is the kind of job of games with a clock.
func Kind() farm.Kind {
	return farm.Kind{
		Name: timedJobs, Version: version(), Timed: true,
		Open: func(env farm.Env) (farm.Handler, error) {
			// See machine.AddSpareThreads; a job thinks with one thread.
			before := runtime.GOMAXPROCS(env.Threads() + machine.SpareThreads)
			return &handler{end: func() { runtime.GOMAXPROCS(before) }}, nil
		},
	}
}

// LevelKind is that of games of levels without a clock.
func LevelKind() farm.Kind {
	return farm.Kind{
		Name: levelJobs, Version: version(),
		Open: func(farm.Env) (farm.Handler, error) { return &handler{levels: true, end: func() {}}, nil },
	}
}

// version names the program: a player of another build may be another
// player.
func version() string {
	v := cli.CurrentVersions()
	text := fmt.Sprintf("form 1, program %s %s", v.Module, v.Commit)
	if v.Changed {
		text += " and changes"
	}
	for _, g := range v.Games {
		text += fmt.Sprintf(", %s rules %d", g.Name, g.Rules)
	}
	return text
}

// job is the payload of both kinds: one or two games from the same start.
type job struct {
	Game     string        `json:"game"`
	Board    string        `json:"board"`
	First    string        `json:"first"`
	Time     time.Duration `json:"time"`
	Margin   time.Duration `json:"margin"`
	MaxTurns int           `json:"max_turns"`
	Opening  []string      `json:"opening,omitempty"`
	Games    []game        `json:"games"`
}

// game is a game; Seed is a text, since numbers in JSON have 53 bits.
type game struct {
	ID      string    `json:"id"`
	Players [2]player `json:"players"`
	Seed    uint64    `json:"seed,string"`
}

type player struct {
	Name string `json:"name"`
	Spec string `json:"spec"`
}

// isLevel says whether a spec is that of a built-in opponent.
func isLevel(g cli.Game, spec string) bool {
	return slices.Contains(g.Arena.Levels, spec) || strings.HasPrefix(spec, "level")
}

// canHandOut says why a worker can't make a player, nil if it can, and how large a
// table that has, in bytes. The spec is known to be one of the game.
func canHandOut(a *cli.App, g cli.Game, spec string) (hash int64, err error) {
	kind, options, _ := strings.Cut(spec, ":")
	switch {
	case isLevel(g, spec):
		return 0, nil
	case kind != "endwise":
		return 0, fmt.Errorf("player %s: a worker can't make it: with --nats players are levels and endwise:store=none", spec)
	}
	p, err := players.NewLookupPool(a, g, options, slog.New(slog.DiscardHandler))
	switch {
	case err != nil:
		return 0, err
	case p.Options.Store != "":
		return 0, fmt.Errorf("player %s: a worker has no store: with --nats write store=none, as in endwise:store=none", spec)
	case p.Server != "":
		return 0, fmt.Errorf("player %s: a worker asks no server: with --nats leave lookup out", spec)
	case p.Options.Threads > 1:
		return 0, fmt.Errorf("player %s: a worker thinks with one thread for each pair: with --nats leave threads out", spec)
	case p.Options.HashBytes > analyze.MaxJobHash:
		return 0, fmt.Errorf("player %s: with --nats hash is at most %d", spec, analyze.MaxJobHash>>20)
	}
	return p.Options.HashBytes, nil
}

// Farm has the pairs of a match played by a farm.
type Farm struct {
	Farm farm.Farm
	Kind string // of the jobs
	Game cli.Game
	Hall arena.Hall

	mu   sync.Mutex
	back []string // IDs of games that are not to be trusted any more
}

// HandOut says what kind of job the match's pairs are and what a worker needs
// for them.
func HandOut(a *cli.App, g cli.Game, m *match.Match) (workers.Coordination, error) {
	o := workers.Coordination{Title: "arena " + g.Name(), Kind: levelJobs, Memory: 128 << 20}
	if m.Hall.Time > 0 {
		o.Kind = timedJobs
	}
	var most []int64
	for _, e := range m.Entrants {
		hash, err := canHandOut(a, g, e.Spec)
		switch {
		case err != nil:
			return o, cli.BadInput(err)
		case m.Hall.Time == 0 && !isLevel(g, e.Spec):
			return o, cli.BadInput(fmt.Errorf("--time 0: with --nats player %s wants a limit; only levels can do without", e.Spec))
		}
		most = append(most, hash)
		o.Title += " " + e.Name
	}
	slices.Sort(most)
	for _, hash := range most[max(0, len(most)-2):] { // of a pair
		o.Memory += uint64(hash)
	}
	return o, nil
}

// Play is an arena.Play.
func (p *Farm) Play(ctx context.Context, games []arena.Fixture) (results []arena.Result, err error) {
	j := job{Game: p.Game.Name(), Board: p.Hall.Board, First: p.Hall.First.String(),
		Time: p.Hall.Time, Margin: p.Hall.Margin, MaxTurns: p.Hall.MaxTurns}
	at := p.Hall.First
	for _, m := range games[0].Opening {
		j.Opening = append(j.Opening, at.MoveString(m))
		if at, err = at.Play(m); err != nil {
			return nil, err
		}
	}
	for _, f := range games {
		g := game{ID: f.ID, Seed: f.Seed}
		for i, e := range f.Players {
			g.Players[i] = player{e.Name, e.Spec}
		}
		j.Games = append(j.Games, g)
	}
	payload, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	err = p.Farm.Do(ctx, farm.Stage{
		Name: "pair " + games[0].ID, Kind: p.Kind, Payloads: [][]byte{payload},
		Take: func(_ int, data []byte) error {
			var list []arena.Result
			if err := json.Unmarshal(data, &list); err != nil {
				return fmt.Errorf("pair %s: the answer: %w", games[0].ID, err)
			}
			if len(list) != len(games) {
				return fmt.Errorf("pair %s: an answer with %d games: want %d", games[0].ID, len(list), len(games))
			}
			for i, f := range games {
				var err error
				if list[i], err = p.Hall.Vet(f, list[i]); err != nil {
					return err
				}
			}
			results = list
			return nil
		},
		Undo: func(int) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, f := range games {
				p.back = append(p.back, f.ID)
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		p.Hall.LogFault(r)
	}
	return results, nil
}

// TakeBack forgets the games that are not to be trusted, when the farm is
// closed and the match is over.
func (p *Farm) TakeBack(j *arena.Journal) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range p.back {
		err = errors.Join(err, j.TakeBack(id))
	}
	return len(p.back), err
}

// handler plays pairs. It keeps players between them: the full player its
// table and what it has read.
type handler struct {
	levels bool // levels without a clock only
	end    func()

	mu      sync.Mutex
	players map[[3]string]*players.Field // by game, name and spec
}

const (
	// maxTime bounds the times in a job.
	maxTime = 24 * time.Hour
	// maxTurns bounds its cap on turns.
	maxTurns = 1_000_000
)

// Work implements farm.Handler.
func (h *handler) Work(ctx context.Context, payload []byte) ([]byte, error) {
	var j job
	if err := json.Unmarshal(payload, &j); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	g, err := cli.GameNamed(j.Game)
	if err != nil {
		return nil, err
	}
	switch {
	case j.Time < 0 || j.Time > maxTime || j.Margin < 0 || j.Margin > maxTime || j.MaxTurns < 0 || j.MaxTurns > maxTurns:
		return nil, fmt.Errorf("%v and a margin of %v for a move, %d turns: want up to %v and %d", j.Time, j.Margin, j.MaxTurns, maxTime, maxTurns)
	case h.levels != (j.Time == 0):
		return nil, fmt.Errorf("%v for a move: a kind of job has a limit, the other has none", j.Time)
	case len(j.Games) < 1 || len(j.Games) > 2:
		return nil, fmt.Errorf("%d games: want 1 or 2", len(j.Games))
	}
	hall := arena.Hall{Rules: g.Arena.Rules, Board: j.Board, Time: j.Time, Margin: j.Margin, MaxTurns: j.MaxTurns}
	if hall.First, err = g.Start(j.Board); err != nil {
		return nil, err
	}
	if hall.First.String() != j.First {
		return nil, fmt.Errorf("board %q begins with %s: want %s", j.Board, hall.First, j.First)
	}
	var opening []engine.Move
	at := hall.First
	for i, text := range j.Opening {
		m, err := at.ParseMove(text)
		if err == nil {
			at, err = at.Play(m)
		}
		if err != nil {
			return nil, fmt.Errorf("opening move %d: %w", i+1, err)
		}
		opening = append(opening, m)
	}
	results := make([]arena.Result, len(j.Games))
	for i, game := range j.Games {
		f := arena.Fixture{ID: game.ID, Opening: opening, Seed: game.Seed}
		for k, p := range game.Players {
			if f.Players[k], err = h.player(g, p); err != nil {
				return nil, err
			}
		}
		if results[i], err = hall.Play(ctx, f); err != nil {
			return nil, err
		}
		if h.levels {
			// What the clock said is not the same everywhere.
			for k := range results[i].Time {
				results[i].Time[k] = arena.TimeUse{Moves: results[i].Time[k].Moves}
			}
		}
	}
	return json.Marshal(results)
}

// player makes a player, once.
func (h *handler) player(g cli.Game, p player) (arena.Entrant, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := [3]string{g.Name(), p.Name, p.Spec}
	if f := h.players[key]; f != nil {
		return f.Entrants[0], nil
	}
	a := &cli.App{Stdout: io.Discard, Stderr: io.Discard}
	switch _, err := canHandOut(a, g, p.Spec); {
	case err != nil:
		return arena.Entrant{}, err
	case h.levels && !isLevel(g, p.Spec):
		return arena.Entrant{}, fmt.Errorf("player %s: without a clock only levels play", p.Spec)
	case !players.ValidName.MatchString(p.Name):
		return arena.Entrant{}, fmt.Errorf("player %q: want a name of letters, digits, - or _", p.Name)
	}
	f := &players.Field{}
	if err := f.AddNamed(a, g, p.Name, p.Spec, slog.New(slog.DiscardHandler)); err != nil {
		return arena.Entrant{}, err
	}
	if h.players == nil {
		h.players = map[[3]string]*players.Field{}
	}
	h.players[key] = f
	return f.Entrants[0], nil
}

// Close implements farm.Handler.
func (h *handler) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, f := range h.players {
		errs = append(errs, f.Close())
	}
	h.players = nil
	h.end()
	return errors.Join(errs...)
}

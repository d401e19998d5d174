package bench

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/grid"
	"endwise/engine/levels"
	"endwise/solver/circuitwars/live"
)

// sampleGame is a game that our own players play again, the same on every
// machine: a line of the sample's file.
type sampleGame struct {
	players [2]string // level1 to level4, or search1, … for the live search to so many plies
	seed    uint64
	moves   string // a digest of the game
}

func (g sampleGame) name() string { return fmt.Sprintf("%s-%s-%d", g.players[0], g.players[1], g.seed) }

// readSample reads the sample that ships with the program. Its lines are the
// first player, the second, a seed and the digest of the moves; # begins a
// comment.
func readSample() ([]sampleGame, error) {
	text, err := data.Benchmark.ReadFile("benchmark/circuitwars.seeds")
	if err != nil {
		return nil, err
	}
	var out []sampleGame
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var g sampleGame
		if _, err := fmt.Sscan(line, &g.players[0], &g.players[1], &g.seed, &g.moves); err != nil {
			return nil, fmt.Errorf("sample: %q: %w", line, err)
		}
		out = append(out, g)
	}
	return out, nil
}

// verdict is the game. Where a level or the live search has changed, so that it is
// another one than that of the file, it is an error.
func (g sampleGame) verdict(ctx context.Context) (circuitwars.Verdict, error) {
	v, err := g.play(ctx)
	if now := digest(v.Played); err == nil && now != g.moves {
		err = fmt.Errorf("%s: the players now play another game than that of data/benchmark/circuitwars.seeds", g.name())
	}
	return v, err
}

// digest tells games apart.
func digest(segments []int) string {
	sum := sha256.Sum256(fmt.Append(nil, segments))
	return fmt.Sprintf("%x", sum[:4])
}

// play plays the game: some moves at random, for the seed to tell games apart,
// then the players'.
func (g sampleGame) play(ctx context.Context) (v circuitwars.Verdict, err error) {
	p, err := circuitwars.New(7, 7)
	if err != nil {
		return v, err
	}
	var players [2]engine.Player
	for i := range players {
		if players[i], err = samplePlayer(g.players[i], p.Board(), 2*g.seed+uint64(i)); err != nil {
			return v, err
		}
	}
	rng := rand.New(rand.NewPCG(g.seed, 0))
	random := 4 + rng.IntN(8)
	for !p.Over() {
		moves := p.Moves()
		m := moves[rng.IntN(len(moves))]
		if len(v.Played) >= random {
			d, err := players[p.Turn()-engine.First].Choose(ctx, p, engine.Clock{})
			if err != nil {
				return v, err
			}
			if m, err = p.ParseMove(d.Move); err != nil {
				return v, err
			}
		}
		v.Positions, v.Played = append(v.Positions, p), append(v.Played, int(m))
		if p, err = p.Occupy(int(m)); err != nil {
			return v, err
		}
	}
	v.Positions, v.Final, v.Score = append(v.Positions, p), p, p.Score()
	return v, nil
}

// samplePlayer makes a player that depends on nothing but its seed.
func samplePlayer(name string, b *grid.Board, seed uint64) (engine.Player, error) {
	if n := cli.LevelNamed(name); n > 0 {
		return levels.New(n, seed)
	}
	var plies int
	if _, err := fmt.Sscanf(name, "search%d", &plies); err != nil || plies < 1 {
		return nil, fmt.Errorf("sample: no player %q", name)
	}
	s, err := live.NewCircuitWars(b, 1<<20)
	return searchPlayer{s, plies}, err
}

// searchPlayer is the live search to a fixed depth.
type searchPlayer struct {
	search *live.CircuitWars
	plies  int
}

func (s searchPlayer) Name() string { return fmt.Sprintf("search%d", s.plies) }

func (s searchPlayer) Choose(ctx context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	p, err := engine.As[circuitwars.Position](pos)
	if err != nil {
		return engine.Decision{}, err
	}
	best := s.search.Search(ctx, p, time.Time{}, s.plies, false).Moves[0]
	return engine.Decision{Move: p.MoveString(engine.Move(best.Segment)), Source: s.Name()}, ctx.Err()
}

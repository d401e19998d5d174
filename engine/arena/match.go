package arena

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
)

// Match is a run of matches: every pairing plays pairs of games with the
// sides swapped, both games of a pair from the same start.
type Match struct {
	Config       Config
	Participants []Participant
	// Gauntlet pairs the first participant with each other one; otherwise
	// everybody plays everybody.
	Gauntlet bool
	// Games is the number of games of a pairing, even; with SPRT the most.
	Games int
	// Openings makes the starts; pair k of every pairing has the same one.
	Openings Openings
	Seed     uint64
	// Concurrency is the number of games played at once.
	Concurrency int
	// SPRT ends a pairing when the test is decided; nil plays all games.
	SPRT *SPRT
	// Journal keeps the results; nil keeps none.
	Journal *Journal
	// OnResult hears about each game as it ends, with the pairing's state
	// after it; calls don't overlap. nil is allowed.
	OnResult func(r Result, p *Pairing)
}

// Pairing is one match of a run: what A made of B.
type Pairing struct {
	A, B    Participant
	Tally   Tally
	Verdict Verdict // of the SPRT; "" without one

	sprt *SPRT
	// tested is the part of the pairs that the SPRT has looked at: all up to the
	// first incomplete one, so that a repeated run stops at the same pair however
	// many games are played at once.
	tested  Pairs
	results map[int][2]*Result
	next    int // the next game to schedule, 0-based; pair next/2
}

// fixture is a game, 0-based, still without its opening. Its ID is the names, the
// one that moves first in front, and the number.
func (p *Pairing) fixture(game int, seed uint64) Fixture {
	a, b := p.A, p.B
	if game%2 == 1 {
		a, b = b, a
	}
	return NewFixture(fmt.Sprintf("%s-%s-%04d", a.Name, b.Name, game+1), a, b, seed)
}

// record counts the result of a game and runs the test.
func (p *Pairing) record(game int, r Result) {
	pair := p.results[game/2]
	if pair[game%2] != nil {
		return
	}
	pair[game%2] = &r
	p.results[game/2] = pair
	p.Tally.addGame(r, engine.First+engine.Side(game%2))
	if pair[0] == nil || pair[1] == nil {
		return
	}
	p.Tally.addPair(*pair[0], *pair[1])
	for p.sprt != nil && p.Verdict == Undecided {
		q := p.results[p.tested.N()]
		if q[0] == nil || q[1] == nil {
			break
		}
		p.tested[halves(*q[0], engine.First)+halves(*q[1], engine.Second)]++
		p.Verdict = p.sprt.Judge(p.tested)
	}
}

// matchRun is a Match while it is played; it is the pool's source.
type matchRun struct {
	*Match
	pairings []*Pairing
	games    map[string]slot // not changed while the match is played
}

// slot says which game of which pairing a fixture is.
type slot struct {
	pairing *Pairing
	game    int
}

// Run plays the match on from the given results (those of an earlier run with
// the same settings). It returns the pairings as they stand even when it
// fails or the context ends.
func (m *Match) Run(ctx context.Context, earlier []Result) ([]*Pairing, error) {
	run := &matchRun{Match: m, games: map[string]slot{}}
	names := map[string]bool{}
	for i, a := range m.Participants {
		if names[a.Name] {
			return nil, fmt.Errorf("two players are named %s", a.Name)
		}
		names[a.Name] = true
		for _, b := range m.Participants[i+1:] {
			p := &Pairing{A: a, B: b, sprt: m.SPRT, results: map[int][2]*Result{}}
			if m.SPRT != nil {
				p.Verdict = Undecided
			}
			run.pairings = append(run.pairings, p)
		}
		if m.Gauntlet {
			break
		}
	}
	for _, p := range run.pairings {
		for g := range m.Games {
			id := p.fixture(g, m.Seed).ID
			if _, taken := run.games[id]; taken {
				return nil, fmt.Errorf("the names %s and %s: games would be named like another pairing's (%s)", p.A.Name, p.B.Name, id)
			}
			run.games[id] = slot{p, g}
		}
	}
	for _, r := range earlier {
		if s, ok := run.games[r.ID]; ok {
			s.pairing.record(s.game, r)
		}
	}
	err := Run(ctx, run.play, run, m.Concurrency, m.Journal, func(r Result) {
		if m.OnResult != nil {
			m.OnResult(r, run.games[r.ID].pairing)
		}
	})
	return run.pairings, err
}

// play plays a game from its pair's opening. The opening is made here, not in
// Next, because that takes a search: other games end meanwhile.
func (run *matchRun) play(ctx context.Context, game Fixture) (r Result, err error) {
	if game.Opening, err = run.Openings.Opening(ctx, run.games[game.ID].game/2); err != nil {
		return r, err
	}
	return run.Config.Play(ctx, game)
}

// Next implements Source: it schedules the pairing that is furthest behind.
func (run *matchRun) Next() (Fixture, bool) {
	var p *Pairing
	for _, q := range run.pairings {
		for q.next < run.Games && q.results[q.next/2][q.next%2] != nil {
			q.next++
		}
		open := q.next < run.Games && (q.Verdict == "" || q.Verdict == Undecided)
		if open && (p == nil || q.next < p.next) {
			p = q
		}
	}
	if p == nil {
		return Fixture{}, false
	}
	p.next++
	return p.fixture(p.next-1, run.Seed), true
}

// Record implements Source.
func (run *matchRun) Record(r Result) {
	s := run.games[r.ID]
	s.pairing.record(s.game, r)
}

// Results returns the games that were played, ordered by ID.
func Results(pairings []*Pairing) []Result {
	var all []Result
	for _, p := range pairings {
		for _, pair := range p.results {
			for _, r := range pair {
				if r != nil {
					all = append(all, *r)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Result) int { return strings.Compare(a.ID, b.ID) })
	return all
}

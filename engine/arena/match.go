package arena

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"endwise/engine"
)

// Match describes a run in which participants play pairs of games. The two games of a pair have
// the same opening and swapped sides.
type Match struct {
	Config       Config
	Participants []Participant
	// Gauntlet pairs the first participant with every other one; otherwise all participants
	// play each other.
	Gauntlet bool
	// Games is the even number of games of a pairing; with SPRT it is the maximum.
	Games int
	// Openings generates opening k for pair k of every pairing.
	Openings Openings
	Seed     uint64
	// Concurrency is the number of games played concurrently, at least 1.
	Concurrency int
	SPRT        *SPRT    // ends a pairing when the test is decided; nil plays all games
	Journal     *Journal // stores the results; may be nil
	// OnResult, if not nil, is called after each game with the updated pairing; calls don't overlap.
	OnResult func(r Result, p *Pairing)
}

// Pairing contains two participants of a run and the state of their games, from A's view.
type Pairing struct {
	A, B    Participant
	Tally   Tally
	Verdict Verdict // of the SPRT; "" without one

	sprt *SPRT
	// tested contains the pairs that the SPRT has used. It uses the pairs in order, so that a
	// repeated run stops at the same pair for any concurrency.
	tested  Pairs
	results map[int][2]*Result // by pair; nil for a game without a result
	next    int                // index of the next game to schedule, in pair next/2
}

// fixture returns game n of the pairing, from 0, without an opening. A moves first if n is even,
// otherwise B. seed is the seed of the run.
func (p *Pairing) fixture(n int, seed uint64) Fixture {
	a, b := p.A, p.B
	if n%2 == 1 {
		a, b = b, a
	}
	return NewFixture(fmt.Sprintf("%s-%s-%04d", a.Name, b.Name, n+1), a, b, seed)
}

// record counts the result r of game n of the pairing, from 0, and updates the verdict. It ignores a
// second result of the same game.
func (p *Pairing) record(n int, r Result) {
	pair := p.results[n/2]
	if pair[n%2] != nil {
		return
	}
	pair[n%2] = &r
	p.results[n/2] = pair
	p.Tally.addGame(r, engine.First+engine.Side(n%2))
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

type matchRun struct {
	*Match
	pairings []*Pairing
	games    map[string]slot // by ID
}

// slot is game n of a pairing, from 0.
type slot struct {
	pairing *Pairing
	n       int
}

// Counted returns those of results that belong to games of the match, and the number of all games of
// the match. It returns an error if two players or two games have the same name.
func (m *Match) Counted(results []Result) (counted []Result, games int, err error) {
	run, err := m.schedule()
	if err != nil {
		return nil, 0, err
	}
	for _, r := range results {
		if _, ok := run.games[r.ID]; ok {
			counted = append(counted, r)
		}
	}
	return counted, len(run.games), nil
}

// Run plays the games that have no result in earlier, the results of an interrupted run. If playing
// ends with an error, Run also returns the pairings so far. If two players or two games have the
// same name, it returns an error without pairings.
func (m *Match) Run(ctx context.Context, earlier []Result) ([]*Pairing, error) {
	run, err := m.schedule()
	if err != nil {
		return nil, err
	}
	for _, r := range earlier {
		if s, ok := run.games[r.ID]; ok {
			s.pairing.record(s.n, r)
		}
	}
	err = Run(ctx, run.play, run, m.Concurrency, m.Journal, func(r Result) {
		if m.OnResult != nil {
			m.OnResult(r, run.games[r.ID].pairing)
		}
	})
	return run.pairings, err
}

// schedule returns the pairings and games of the match. It returns an error if two players or two games
// have the same name.
func (m *Match) schedule() (*matchRun, error) {
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
		for n := range m.Games {
			id := p.fixture(n, m.Seed).ID
			if _, taken := run.games[id]; taken {
				return nil, fmt.Errorf("rename %s or %s: game %s would have the name of a game of another pairing",
					p.A.Name, p.B.Name, id)
			}
			run.games[id] = slot{p, n}
		}
	}
	return run, nil
}

// play plays a game of the match with the opening of its pair.
func (run *matchRun) play(ctx context.Context, game Fixture) (r Result, err error) {
	if game.Opening, err = run.Openings.Opening(ctx, run.games[game.ID].n/2); err != nil {
		return r, err
	}
	return run.Config.Play(ctx, game)
}

// Next returns the next game of the undecided pairing with the fewest scheduled games; ok is false if all
// are scheduled.
func (run *matchRun) Next() (game Fixture, ok bool) {
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

// Record counts a result of a game that Next has returned.
func (run *matchRun) Record(r Result) {
	s := run.games[r.ID]
	s.pairing.record(s.n, r)
}

// Results returns the finished games, ordered by ID.
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

// Package championship plays groups and a knockout of their best teams.
package championship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"endwise/engine/arena"
)

type Group struct {
	Name  string
	Teams []arena.Participant
}

// Bonus points of the course championship.
var (
	groupBonus = []int{2, 1}  // of the first and second team of a group
	finalBonus = [2]int{8, 5} // of the winner and the loser of the final
)

// Championship plays the groups as double round robins (each team plays each other team
// once from either side), then a knockout of the best teams.
type Championship struct {
	Title  string // may be ""
	Config arena.Config
	Groups []Group
	// Advance is the number of teams of each group that reach the knockout; 0 means no knockout.
	Advance int
	Seed    uint64 // of all games
	// Concurrency is the number of games played concurrently, at least 1.
	Concurrency int
	Journal     *arena.Journal // stores the results; may be nil
	// OnResult, if not nil, is called after each game; calls don't overlap.
	OnResult func(arena.Result)
}

type GroupOutcome struct {
	Name  string     `json:"name"`
	Teams []string   `json:"teams"`
	Table []Standing `json:"table"`
	// Results contains the finished games, ordered by the first player's place in Teams, then by
	// the second player's. Games is the number of games to be played.
	Results []arena.Result `json:"results"`
	Games   int            `json:"games"`
}

// Outcome is the state of a championship.
type Outcome struct {
	Title  string         `json:"title,omitempty"`
	Game   string         `json:"game"`
	Board  string         `json:"board"`
	TimeMS int64          `json:"time_ms"`
	Groups []GroupOutcome `json:"groups"`
	// Knockout contains the rounds drawn so far, from the first to the final.
	Knockout [][]Duel `json:"knockout"`
	Champion string   `json:"champion,omitempty"` // "" until the final is decided
	// Bonus contains the teams with bonus points, by descending total.
	Bonus []TeamBonus `json:"bonus"`
	// Played is the number of finished games out of Games.
	Played int    `json:"played"`
	Games  int    `json:"games"`
	Digest string `json:"digest"`
}

// TeamBonus contains the bonus points of a team from its group and from the final.
type TeamBonus struct {
	Team  string `json:"team"`
	Group int    `json:"group"`
	Final int    `json:"final"`
	Total int    `json:"total"`
}

type championshipRun struct {
	*Championship
	participants map[string]arena.Participant // by name
	queue        []arena.Fixture              // games to play, in order; Next skips those that have a result
	results      map[string]arena.Result      // by game ID
	rounds       [][]Duel
	seed         map[string]int // a team's rank in the seeding, 0 the best
}

// Run plays the games that have no result in earlier, the results of an interrupted run. If
// playing ends with an error, Run also returns the outcome so far. If Groups, Advance or a name
// is invalid, it returns an error without an outcome.
func (c *Championship) Run(ctx context.Context, earlier []arena.Result) (Outcome, error) {
	run, err := c.newRun(earlier)
	if err != nil {
		return Outcome{}, err
	}
	err = arena.Run(ctx, c.Config.Play, run, c.Concurrency, c.Journal, c.OnResult)
	return run.outcome(), err
}

// Outcome returns the outcome of the given results without playing, or an error if Groups,
// Advance or a name is invalid.
func (c *Championship) Outcome(results []arena.Result) (Outcome, error) {
	run, err := c.newRun(results)
	if err != nil {
		return Outcome{}, err
	}
	return run.outcome(), nil
}

// Recorded returns the outcome of games with IDs of the form ROUND-FIRST-SECOND, where ROUND is a
// group, a knockout round or a duel. The groups are derived from the games.
//
// The knockout is drawn by the rules of c, with at most as many teams per group as the smallest
// group has. If a team is in several groups, or if the drawn knockout lacks a recorded knockout
// game, the outcome contains the recorded duels instead.
func (c Championship) Recorded(results []arena.Result) Outcome {
	run := &championshipRun{Championship: &c, results: map[string]arena.Result{}}
	for _, r := range results {
		run.results[r.ID] = r
	}
	var overlap bool
	c.Groups, overlap = groupsOf(results)
	for _, g := range c.Groups {
		c.Advance = min(c.Advance, len(g.Teams))
	}
	duels := slices.ContainsFunc(results, func(r arena.Result) bool { return IsKnockout(RoundOf(r.ID, r.Players)) })
	if !duels || overlap || c.Advance*len(c.Groups) < 2 {
		c.Advance = 0 // no duels, or unknown qualifiers
	}
	run.advance()
	if o := run.outcome(); len(o.Results()) == len(results) {
		return o
	}
	run.rounds = playedRounds(results)
	c.Advance = 0 // outcome then counts the games of these rounds
	return run.outcome()
}

// groupsOf returns the groups of recorded games, with their teams in alphabetical order.
// overlap reports whether a team is in several groups.
func groupsOf(results []arena.Result) (groups []Group, overlap bool) {
	count := map[string]int{} // number of groups of each team
	for _, r := range results {
		name := RoundOf(r.ID, r.Players)
		if IsKnockout(name) {
			continue
		}
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name })
		if i < 0 {
			i = len(groups)
			groups = append(groups, Group{Name: name})
		}
		g := &groups[i]
		for _, t := range r.Players {
			if !slices.ContainsFunc(g.Teams, func(p arena.Participant) bool { return p.Name == t }) {
				g.Teams = append(g.Teams, arena.Participant{Name: t})
				count[t]++
				overlap = overlap || count[t] > 1
			}
		}
	}
	for _, g := range groups {
		slices.SortFunc(g.Teams, func(a, b arena.Participant) int { return strings.Compare(a.Name, b.Name) })
	}
	return groups, overlap
}

// newRun schedules the group games, adds the results, and continues the knockout. It returns an error if
// Groups, Advance or a name is invalid.
func (c *Championship) newRun(results []arena.Result) (*championshipRun, error) {
	run := &championshipRun{
		Championship: c, participants: map[string]arena.Participant{}, results: map[string]arena.Result{},
	}
	if len(c.Groups) == 0 {
		return nil, errors.New("no groups")
	}
	if q := c.Advance * len(c.Groups); c.Advance < 0 || q == 1 {
		return nil, fmt.Errorf("%d teams in the knockout: want none or at least 2", q)
	}
	taken := takenNames{map[string]bool{}, map[string]bool{}, map[string]string{}}
	for _, g := range c.Groups {
		if err := run.addGroup(g, taken); err != nil {
			return nil, err
		}
	}
	for a := range run.participants {
		for b := range run.participants {
			if a < b && strings.EqualFold(gameID("", a, b), gameID("", b, a)) {
				return nil, fmt.Errorf("both games of a duel of %q and %q would have the same name: rename a team", a, b)
			}
		}
	}
	for _, r := range results {
		run.results[r.ID] = r
	}
	run.advance()
	return run, nil
}

// takenNames contains the names that are in use. The keys are in lower case, because names become
// file names and some file systems ignore case.
type takenNames struct {
	groups, games map[string]bool
	teams         map[string]string // the name in lower case → the name
}

// addGroup adds the teams and games of a group to the run, and their names to taken.
func (run *championshipRun) addGroup(g Group, taken takenNames) error {
	if taken.groups[strings.ToLower(g.Name)] {
		return fmt.Errorf("two groups are named %q, case ignored", g.Name)
	}
	taken.groups[strings.ToLower(g.Name)] = true
	if IsKnockout(g.Name) {
		return fmt.Errorf("group %q: this name is reserved for a knockout round", g.Name)
	}
	if len(g.Teams) < 2 || len(g.Teams) < run.Advance {
		return fmt.Errorf("group %q has %s, want at least %d", g.Name, arena.Count(len(g.Teams), "team"), max(2, run.Advance))
	}
	for _, t := range g.Teams {
		if other, ok := taken.teams[strings.ToLower(t.Name)]; ok {
			return fmt.Errorf("two teams are named %q and %q: want names that differ in more than case", other, t.Name)
		}
		taken.teams[strings.ToLower(t.Name)] = t.Name
		run.participants[t.Name] = t
	}
	for _, f := range g.fixtures(run.Seed) {
		if taken.games[strings.ToLower(f.ID)] {
			return fmt.Errorf("a game of group %q would have the same name as another game, %s: rename a team", g.Name, f.ID)
		}
		taken.games[strings.ToLower(f.ID)] = true
		run.queue = append(run.queue, f)
	}
	return nil
}

// fixtures returns a group's games: each team as first player against each other team. The games
// of a team are spread over the list.
func (g Group) fixtures(seed uint64) []arena.Fixture {
	var out []arena.Fixture
	n := len(g.Teams)
	for shift := 1; shift < n; shift++ {
		for i := range n {
			a, b := g.Teams[i], g.Teams[(i+shift)%n]
			out = append(out, arena.NewFixture(gameID(g.Name, a.Name, b.Name), a, b, seed))
		}
	}
	return out
}

func gameID(round, first, second string) string {
	return fmt.Sprintf("%s-%s-%s", round, first, second)
}

// RoundOf returns the group or duel in the ID of a game. An ID that does not end
// with the players is returned unchanged.
func RoundOf(id string, players [2]string) string {
	return strings.TrimSuffix(id, gameID("", players[0], players[1]))
}

func (run *championshipRun) Next() (arena.Fixture, bool) {
	for len(run.queue) > 0 {
		f := run.queue[0]
		run.queue = run.queue[1:]
		if _, played := run.results[f.ID]; !played {
			return f, true
		}
	}
	return arena.Fixture{}, false
}

func (run *championshipRun) Record(r arena.Result) {
	run.results[r.ID] = r
	run.advance()
}

// advance draws the first round of the knockout if all group games are finished, decides duels, and
// draws the next rounds.
func (run *championshipRun) advance() {
	if run.rounds == nil {
		q := run.qualifiers()
		if len(q) == 0 {
			return
		}
		run.seed = map[string]int{}
		for i := range q {
			run.seed[q[i].Team] = i
		}
		run.draw(bracket(q))
	}
	for {
		last := run.rounds[len(run.rounds)-1]
		for i := range last {
			d := &last[i]
			for g := range d.Games {
				if r, ok := run.results[gameID(d.Name, d.Teams[g], d.Teams[1-g])]; ok {
					d.Games[g] = &r
				}
			}
			d.decide()
		}
		next := nextRound(last, run.seed)
		if next == nil {
			return
		}
		run.draw(next)
	}
}

// draw adds a round to run.rounds and its games to the queue: the first games of all duels, then
// their second games.
func (run *championshipRun) draw(round []Duel) {
	run.rounds = append(run.rounds, round)
	for game := range 2 {
		for _, d := range round {
			if d.Teams[1] != "" {
				first, second := run.participants[d.Teams[game]], run.participants[d.Teams[1-game]]
				run.queue = append(run.queue, arena.NewFixture(gameID(d.Name, first.Name, second.Name), first, second, run.Seed))
			}
		}
	}
}

// qualifiers returns the best Advance teams of each group in the order of their seeding, or none if
// a group game is missing.
func (run *championshipRun) qualifiers() []qualifier {
	var q []qualifier
	for _, g := range run.groupOutcomes() {
		if len(g.Results) < g.Games {
			return nil
		}
		for i := range run.Advance {
			q = append(q, qualifier{g.Table[i], g.Name, i})
		}
	}
	sortBySeed(q)
	return q
}

// groupOutcomes returns the state of the groups. Teams have bonus points after the last game of
// their group.
func (run *championshipRun) groupOutcomes() []GroupOutcome {
	var out []GroupOutcome
	for _, g := range run.Groups {
		o := GroupOutcome{Name: g.Name, Results: []arena.Result{}, Games: len(g.Teams) * (len(g.Teams) - 1)}
		for _, a := range g.Teams {
			o.Teams = append(o.Teams, a.Name)
			for _, b := range g.Teams {
				if r, ok := run.results[gameID(g.Name, a.Name, b.Name)]; ok && a.Name != b.Name {
					o.Results = append(o.Results, r)
				}
			}
		}
		bonus := groupBonus
		if len(o.Results) < o.Games {
			bonus = nil
		}
		o.Table = Table(o.Teams, o.Results, bonus)
		out = append(out, o)
	}
	return out
}

// outcome returns the state of the run. Games includes the duels that have not been drawn yet.
func (run *championshipRun) outcome() Outcome {
	o := Outcome{
		Title: run.Title,
		Game:  run.Config.First.Game(), Board: run.Config.Board, TimeMS: run.Config.Time.Milliseconds(),
		Groups: run.groupOutcomes(), Knockout: run.rounds, Bonus: []TeamBonus{},
	}
	if q := run.Advance * len(run.Groups); q > 0 {
		o.Games += 2 * (q - 1) // every duel eliminates one team
	} else { // recorded rounds
		o.Games += 2 * len(slices.Concat(o.Knockout...))
	}
	for _, g := range o.Groups {
		o.Games += g.Games
	}
	all := o.Results()
	o.Played, o.Digest = len(all), arena.Digest(all)
	o.setBonus()
	return o
}

// setBonus sets Champion if the final is decided, and Bonus.
func (o *Outcome) setBonus() {
	bonus := map[string]TeamBonus{}
	if duels := slices.Concat(o.Knockout...); len(duels) > 0 {
		last := duels[len(duels)-1]
		if last.Name == duelName(1, 0) && last.Winner != "" {
			o.Champion = last.Winner
			for i, team := range []string{last.Winner, last.loser()} {
				bonus[team] = TeamBonus{Team: team, Final: finalBonus[i], Total: finalBonus[i]}
			}
		}
	}
	for _, g := range o.Groups {
		for _, s := range g.Table {
			b := bonus[s.Team]
			bonus[s.Team] = TeamBonus{s.Team, b.Group + s.Bonus, b.Final, b.Total + s.Bonus}
		}
	}
	for _, b := range bonus {
		if b.Total > 0 {
			o.Bonus = append(o.Bonus, b)
		}
	}
	slices.SortFunc(o.Bonus, func(a, b TeamBonus) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Team, b.Team))
	})
}

// Results returns the finished games: group by group, then the knockout from its first round.
func (o Outcome) Results() []arena.Result {
	var all []arena.Result
	for _, g := range o.Groups {
		all = append(all, g.Results...)
	}
	for _, round := range o.Knockout {
		for _, d := range round {
			for _, g := range d.Games {
				if g != nil {
					all = append(all, *g)
				}
			}
		}
	}
	return all
}

func (d *Duel) loser() string {
	if d.Winner == d.Teams[0] {
		return d.Teams[1]
	}
	return d.Teams[0]
}

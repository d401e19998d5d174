package championship

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"endwise/engine"
	"endwise/engine/arena"
)

// Duel is a pairing of the knockout: two games with the sides swapped, of which one team is
// the winner.
type Duel struct {
	// Name is "final", "semifinal1", "quarterfinal3", "round16-5" and so on.
	Name string `json:"name"`
	// Teams lists the better seeded team first; an empty second one is a bye.
	Teams [2]string `json:"teams"`
	// Games contains the finished games. In the first one the better seeded team moves first.
	Games [2]*arena.Result `json:"games"`
	// Winner is the team that advances; "" while the duel is open.
	Winner string `json:"winner,omitempty"`
	// Decided is the criterion that decided: "games", "score ratio", "seed" or "bye".
	Decided string `json:"decided,omitempty"`
}

// decide sets the winner of a bye, or of a duel whose games are both finished: the team with
// more points, then with the better score ratio over both games, then with the better seed.
func (d *Duel) decide() {
	switch {
	case d.Winner != "":
		return
	case d.Teams[1] == "":
		d.Winner, d.Decided = d.Teams[0], "bye"
		return
	case d.Games[0] == nil || d.Games[1] == nil:
		return
	}
	var s [2]Standing
	for i, g := range d.Games {
		s[i].add(*g, engine.First)
		s[1-i].add(*g, engine.Second)
	}
	d.Winner = d.Teams[0]
	if byMerit(s[1], s[0]) < 0 {
		d.Winner = d.Teams[1]
	}
	switch {
	case s[0].points() != s[1].points():
		d.Decided = "games"
	case s[0].Ratio() != s[1].Ratio():
		d.Decided = "score ratio"
	default:
		d.Decided = "seed"
	}
}

// qualifier is a team that enters the knockout from a group.
type qualifier struct {
	Standing
	group string
	place int // 0-based, in its group
}

// seeding sorts the qualifiers: all group winners before all seconds and so on, then by
// points per game, score ratio and name.
func seeding(q []qualifier) {
	slices.SortStableFunc(q, func(a, b qualifier) int {
		return cmp.Or(cmp.Compare(a.place, b.place), byMerit(a.Standing, b.Standing), cmp.Compare(a.Team, b.Team))
	})
}

// bracket returns the first round for seeded qualifiers. Teams 1 and 2 can only meet in the
// final, and the best seeds have byes if the number of teams is not a power of two. Teams
// of one group don't meet in the first round if exchanging the lower seeds of two duels can
// prevent it.
func bracket(q []qualifier) []Duel {
	size := 1
	for size < len(q) {
		size *= 2
	}
	order := []int{0}
	for n := 2; n <= size; n *= 2 {
		var next []int
		for _, s := range order {
			next = append(next, s, n-1-s)
		}
		order = next
	}
	// clash reports whether the seeds a and b are teams of one group; b may be a bye.
	clash := func(a, b int) bool { return b < len(q) && q[a].group == q[b].group }
	for i := 0; i+1 < size; i += 2 {
		if !clash(order[i], order[i+1]) {
			continue
		}
		// Find the duel with the nearest lower seed such that an exchange leaves neither duel
		// with two teams of one group.
		best := -1
		for j := 0; j+1 < size; j += 2 {
			if j == i || order[j+1] >= len(q) || clash(order[i], order[j+1]) || clash(order[j], order[i+1]) {
				continue
			}
			if best < 0 || distance(order[j+1], order[i+1]) < distance(order[best+1], order[i+1]) {
				best = j
			}
		}
		if best >= 0 {
			order[i+1], order[best+1] = order[best+1], order[i+1]
		}
	}
	duels := make([]Duel, size/2)
	for i := range duels {
		duels[i] = Duel{Name: duelName(size/2, i), Teams: [2]string{q[order[2*i]].Team}}
		if b := order[2*i+1]; b < len(q) {
			duels[i].Teams[1] = q[b].Team
		}
		duels[i].decide()
	}
	return duels
}

// distance returns the absolute difference of two seeds.
func distance(a, b int) int { return max(a-b, b-a) }

// nextRound pairs the winners of a decided round, the better seed first; seed contains a
// team's rank. It returns nil after the final and while the round is open.
func nextRound(round []Duel, seed map[string]int) []Duel {
	if len(round) < 2 {
		return nil
	}
	for _, d := range round {
		if d.Winner == "" {
			return nil
		}
	}
	next := make([]Duel, len(round)/2)
	for i := range next {
		a, b := round[2*i].Winner, round[2*i+1].Winner
		if seed[b] < seed[a] {
			a, b = b, a
		}
		next[i] = Duel{Name: duelName(len(next), i), Teams: [2]string{a, b}}
	}
	return next
}

// playedRounds returns the knockout rounds of the games, from the largest to the final. The
// seeds are unknown: if a duel is equal in points and score ratio, the winner is the team
// that plays in a later round.
func playedRounds(results []arena.Result) [][]Duel {
	bySize := map[int][]Duel{}
	for _, r := range results {
		size := duelsOf(roundOf(r))
		if size == 0 {
			continue
		}
		round := bySize[size]
		i := slices.IndexFunc(round, func(d Duel) bool {
			return d.Teams == r.Players || d.Teams == [2]string{r.Players[1], r.Players[0]}
		})
		if i < 0 {
			i = len(round)
			round = append(round, Duel{Name: duelName(size, i), Teams: r.Players})
		}
		g := 0
		if round[i].Teams != r.Players {
			g = 1
		}
		round[i].Games[g] = &r
		bySize[size] = round
	}
	var rounds [][]Duel
	later := map[string]bool{}
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		round := bySize[size]
		for i := range round {
			d := &round[i]
			if d.decide(); d.Decided != "seed" {
				continue
			}
			switch {
			case later[d.Teams[1]]:
				d.Winner = d.Teams[1]
			case !later[d.Teams[0]]:
				d.Winner, d.Decided = "", ""
			}
		}
		for _, d := range round {
			later[d.Teams[0]], later[d.Teams[1]] = true, true
		}
		rounds = append(rounds, round)
	}
	slices.Reverse(rounds)
	return rounds
}

// IsKnockout reports whether name begins like the name of a knockout round or duel. No group
// may have such a name.
func IsKnockout(name string) bool { return duelsOf(name) > 0 }

// duelsOf returns the number of duels in a knockout round: 4 for the round "quarterfinals"
// or the duel "quarterfinal3", 8 for "round_of_16". It returns 0 for other names.
func duelsOf(name string) int {
	name, _, _ = strings.Cut(strings.ToLower(name), "-")
	name = strings.ReplaceAll(name, "_", "")
	for n, prefix := range map[int]string{1: "final", 2: "semifinal", 4: "quarterfinal"} {
		if strings.HasPrefix(name, prefix) {
			return n
		}
	}
	size, ok := strings.CutPrefix(name, "round")
	if n, err := strconv.Atoi(strings.TrimPrefix(size, "of")); ok && err == nil && n >= 8 {
		return n / 2
	}
	return 0
}

// duelName returns the name of duel i, 0-based, in a round of the given number of duels.
func duelName(duels, i int) string {
	switch duels {
	case 1:
		return "final"
	case 2:
		return fmt.Sprintf("semifinal%d", i+1)
	case 4:
		return fmt.Sprintf("quarterfinal%d", i+1)
	}
	return fmt.Sprintf("round%d-%d", 2*duels, i+1)
}

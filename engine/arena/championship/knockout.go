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

// Duel is a pairing of the knockout: two games between two teams, each of which moves first once, or a bye.
type Duel struct {
	// Name is "final", "semifinal1", "quarterfinal3", "round16-5" and so on.
	Name string `json:"name"`
	// Teams[0] moves first in the first game, Teams[1] in the second; Teams[1] is "" for a bye. Of
	// a duel that [Championship] draws, Teams[0] is the better seed.
	Teams [2]string        `json:"teams"`
	Games [2]*arena.Result `json:"games"` // nil until finished
	// Winner is the team that advances; "" while the duel is open.
	Winner string `json:"winner,omitempty"`
	// Decided is the criterion that decided: "games", "score ratio", "seed" or "bye".
	Decided string `json:"decided,omitempty"`
}

// decide sets Winner and Decided of a bye, or of a duel whose games are both finished, unless Winner is
// set. The winner is the team with more points, or else with the better score ratio over both games, or
// else Teams[0].
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

type qualifier struct {
	Standing
	group string
	place int // 0-based, in its group
}

// sortBySeed sorts q by place in the group, then points per game, score ratio and name.
func sortBySeed(q []qualifier) {
	slices.SortStableFunc(q, func(a, b qualifier) int {
		return cmp.Or(cmp.Compare(a.place, b.place), byMerit(a.Standing, b.Standing), cmp.Compare(a.Team, b.Team))
	})
}

// bracket returns the first round for two or more seeded qualifiers. The best seeds have byes if
// the number of teams is not a power of two.
func bracket(q []qualifier) []Duel {
	order := bracketOrder(len(q))
	separateGroups(order, q)
	duels := make([]Duel, len(order)/2)
	for i := range duels {
		duels[i] = Duel{Name: duelName(len(duels), i), Teams: [2]string{q[order[2*i]].Team}}
		if b := order[2*i+1]; b < len(q) {
			duels[i].Teams[1] = q[b].Team
		}
		duels[i].decide()
	}
	return duels
}

// bracketOrder returns the seeds, 0 the best, in the order of the bracket: entries 2i and 2i+1
// meet in duel i, the better one first. The length is the smallest power of two that is at least
// n; a seed of n or more stands for a bye.
func bracketOrder(n int) []int {
	order := []int{0}
	for len(order) < n {
		size := 2 * len(order)
		var next []int
		for _, s := range order {
			next = append(next, s, size-1-s)
		}
		order = next
	}
	return order
}

// separateGroups removes duels of teams of one group from order if possible: it exchanges the lower-seeded
// team with that of another duel, the one nearest in seed, such that neither duel has teams of one group.
func separateGroups(order []int, q []qualifier) {
	clash := func(a, b int) bool { return b < len(q) && q[a].group == q[b].group }
	for i := 0; i < len(order); i += 2 {
		if !clash(order[i], order[i+1]) {
			continue
		}
		best := -1
		for j := 0; j < len(order); j += 2 {
			switch {
			case order[j+1] >= len(q): // a bye stays with its team
			case clash(order[i], order[j+1]) || clash(order[j], order[i+1]): // includes j == i
			case best < 0 || distance(order[j+1], order[i+1]) < distance(order[best+1], order[i+1]):
				best = j
			}
		}
		if best >= 0 {
			order[i+1], order[best+1] = order[best+1], order[i+1]
		}
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

// nextRound pairs the winners of neighbouring duels of a round, the better seed first; seed contains
// each team's rank, 0 for the best. It returns nil after the final and while a duel is undecided.
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

// playedRounds returns the knockout rounds of recorded games, from the first round to the final.
// If the teams of a duel have equal points and score ratios, the winner is the team that plays in a
// later round; without one the duel is open.
func playedRounds(results []arena.Result) [][]Duel {
	bySize := map[int][]Duel{} // the recorded duels of each round, by the number of its duels
	for _, r := range results {
		if duels := DuelsOf(RoundOf(r.ID, r.Players)); duels > 0 {
			bySize[duels] = addGame(bySize[duels], duels, r)
		}
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

// addGame adds a recorded game to its duel in a round of the given number of duels, or adds the duel.
func addGame(round []Duel, duels int, r arena.Result) []Duel {
	swapped := [2]string{r.Players[1], r.Players[0]}
	for i := range round {
		switch d := &round[i]; d.Teams {
		case r.Players:
			d.Games[0] = &r
			return round
		case swapped:
			d.Games[1] = &r
			return round
		}
	}
	return append(round, Duel{Name: duelName(duels, len(round)), Teams: r.Players, Games: [2]*arena.Result{&r}})
}

// IsKnockout reports whether name begins like the name of a knockout round or duel.
func IsKnockout(name string) bool { return DuelsOf(name) > 0 }

// DuelsOf returns the number of duels in a knockout round: 4 for the round "quarterfinals"
// or the duel "quarterfinal3", 8 for "round_of_16". It returns 0 for other names.
func DuelsOf(name string) int {
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

// InWords writes the name of a group or duel in words: "group A" for "A", "semifinal 1" for
// "semifinal1", "round of 16, duel 5" for "round16-5".
func InWords(name string) string {
	round, duel, hasDuel := strings.Cut(name, "-")
	if size, ok := strings.CutPrefix(round, "round"); ok && hasDuel {
		return "round of " + size + ", duel " + duel
	}
	for _, round := range []string{"semifinal", "quarterfinal"} {
		if n, ok := strings.CutPrefix(name, round); ok && n != "" {
			return round + " " + n
		}
	}
	if IsKnockout(name) {
		return name
	}
	return "group " + name
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

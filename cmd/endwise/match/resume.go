package match

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"endwise/cmd/endwise/cli"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
)

// resumed returns the results in the journal that still hold, and their outcome. It takes the others back
// from the journal: those of teams in repeat or with another player, and until the knockout begins the
// losses of teams that have never moved. It writes to w which games are played again or do not count.
// The results include games of teams and pairings that the championship does not have now.
func resumed(w io.Writer, cup *championship.Championship, results []arena.Result, repeat []string) (
	[]arena.Result, championship.Outcome, error) {
	results, changed, gone, err := takeBackOutdated(cup, results, repeat)
	if err != nil {
		return nil, championship.Outcome{}, err
	}
	now, err := cup.Outcome(results)
	if err != nil {
		return nil, now, err
	}
	redrawn := now.Played < now.Games && knockoutGames(now.Results()) < knockoutGames(results)
	if len(changed)+len(gone)+len(repeat) > 0 || redrawn {
		fmt.Fprintln(w, describeKept(now, changed, gone, redrawn))
	}
	absent := absencesOf(now.Results())
	ids := absent.games()
	forfeits := 0
	for _, r := range now.Results() {
		if r.End != arena.Played && !slices.Contains(ids, r.ID) {
			forfeits++
		}
	}
	switch {
	case len(repeat) > 0:
	case forfeits > 0:
		fmt.Fprintf(w, "%s kept: --repeat TEAM plays the games of a repaired team again\n", cli.Count(forfeits, "forfeit"))
	case now.Played == now.Games:
		fmt.Fprintln(w, "all games are played: --repeat TEAM plays those of a repaired team again")
	}
	if len(ids) == 0 {
		return results, now, nil
	}
	fmt.Fprintf(w, "%s of teams that have not made a move yet: played again\n", cli.Count(len(ids), "game"))
	if err := absent.takeBack(cup.Journal); err != nil {
		return nil, now, err
	}
	results = slices.DeleteFunc(results, func(r arena.Result) bool { return slices.Contains(ids, r.ID) })
	now, err = cup.Outcome(results)
	return results, now, err
}

// describeKept describes how many games are kept and why others are not. changed and gone are as in
// [takeBackOutdated]; redrawn means that the results contain games of another knockout.
func describeKept(now championship.Outcome, changed, gone []string, redrawn bool) string {
	most := ""
	if redrawn {
		most = "at most "
	}
	line := fmt.Sprintf("kept %s; %s%d to play", cli.Count(now.Played, "game"), most, now.Games-now.Played)
	if len(changed) > 0 {
		line += " because the player of " + strings.Join(changed, ", ") + " changed"
	}
	if len(gone) > 0 {
		line += "; games of " + strings.Join(gone, ", ") + " do not count"
	}
	switch {
	case redrawn && knockoutGames(now.Results()) > 0:
		var open []string
		for _, d := range slices.Concat(now.Knockout...) {
			if d.Winner == "" {
				open = append(open, d.Name)
			}
		}
		line += "; the knockout continues with " + strings.Join(open, ", ") + ": earlier games of later rounds count only if the same teams meet"
	case redrawn:
		line += "; the knockout is drawn again: its earlier games count only if the same teams meet"
	}
	return line
}

// takeBackOutdated takes the games of teams in repeat or with another player back from the journal.
// changed are the teams with another player, gone those that the championship does not have.
func takeBackOutdated(cup *championship.Championship, results []arena.Result, repeat []string) (
	kept []arena.Result, changed, gone []string, err error) {
	specs := map[string]string{}
	for _, g := range cup.Groups {
		for _, t := range g.Teams {
			specs[t.Name] = t.Spec
		}
	}
	isChanged, isGone := map[string]bool{}, map[string]bool{}
	for _, r := range results {
		keep := true
		for i, name := range r.Players {
			switch spec, ok := specs[name]; {
			case slices.Contains(repeat, name):
				keep = false
			case !ok:
				isGone[name] = true
			case spec != r.Specs[i]:
				isChanged[name], keep = true, false
			}
		}
		if keep {
			kept = append(kept, r)
		} else if err := cup.Journal.TakeBack(r.ID); err != nil {
			return nil, nil, nil, err
		}
	}
	return kept, slices.Sorted(maps.Keys(isChanged)), slices.Sorted(maps.Keys(isGone)), nil
}

// knockoutGames returns the number of results of the knockout.
func knockoutGames(results []arena.Result) (n int) {
	for _, r := range results {
		if championship.IsKnockout(r.ID) {
			n++
		}
	}
	return n
}

// absencesOf returns the absences in results, none if the knockout has begun.
func absencesOf(results []arena.Result) *absences {
	absent := newAbsences()
	if knockoutGames(results) > 0 {
		return absent
	}
	for _, r := range results {
		absent.note(r)
	}
	return absent
}

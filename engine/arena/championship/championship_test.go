package championship

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// realResults returns the official results of a championship's group stage, by group.
func realResults(t *testing.T) map[string][]arena.Result {
	t.Helper()
	f, err := os.Open(enginetest.Recorded(t, "circuitwars", "results.csv"))
	testenv.OK(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	testenv.OK(t, err)
	out := map[string][]arena.Result{}
	for _, l := range lines[1:] {
		id := strings.TrimSuffix(filepath.Base(l[0]), ".log")
		r := arena.Result{ID: id, Players: [2]string{l[1], l[2]}, End: arena.Played}
		for i := range r.Score {
			r.Score[i], err = strconv.Atoi(l[3+i])
			testenv.OK(t, err)
		}
		switch kind, _, _ := strings.Cut(l[5], ":"); kind {
		case "timeout":
			r.End = arena.Timeout
		case "illegal":
			r.End = arena.Illegal
		}
		if r.Winner = engine.First; r.Score[1] > r.Score[0] {
			r.Winner = engine.Second
		}
		group, _, _ := strings.Cut(id, "-")
		out[group] = append(out[group], r)
	}
	return out
}

// The tables of a real championship's groups: another program counted won and lost games,
// squares for and against, timeouts and illegal moves in the official results.
func TestTablesOfARealChampionship(t *testing.T) {
	want := map[string][]Standing{
		"1a": {
			{1, "team05", 14, 14, 0, 0, 644, 42, 0, 0, 2},
			{2, "team02", 14, 12, 0, 2, 469, 217, 0, 0, 1},
			{3, "team06", 14, 9, 0, 5, 344, 342, 0, 0, 0},
			{4, "team07", 14, 7, 0, 7, 333, 353, 0, 0, 0},
			{5, "team04", 14, 5, 0, 9, 333, 353, 0, 0, 0},
			{6, "team01", 14, 5, 0, 9, 324, 362, 0, 0, 0},
			{7, "team08", 14, 4, 0, 10, 297, 389, 0, 0, 0},
			{8, "team03", 14, 0, 0, 14, 0, 686, 12, 2, 0},
		},
		"1b": {
			{1, "team15", 14, 13, 0, 1, 593, 93, 1, 0, 2},
			{2, "team11", 14, 12, 0, 2, 557, 129, 0, 0, 1},
			{3, "team13", 14, 8, 0, 6, 392, 294, 0, 1, 0},
			{4, "team12", 14, 8, 0, 6, 335, 351, 0, 3, 0},
			{5, "team10", 14, 5, 0, 9, 258, 428, 0, 3, 0},
			{6, "team16", 14, 4, 0, 10, 228, 458, 0, 2, 0},
			{7, "team14", 14, 4, 0, 10, 181, 505, 7, 0, 0},
			{8, "team09", 14, 2, 0, 12, 200, 486, 0, 1, 0},
		},
		"1c": {
			{1, "team20", 14, 13, 0, 1, 563, 123, 0, 0, 2},
			{2, "team23", 14, 13, 0, 1, 544, 142, 0, 0, 1},
			{3, "team19", 14, 10, 0, 4, 492, 194, 0, 0, 0},
			{4, "team24", 14, 8, 0, 6, 320, 366, 0, 0, 0},
			{5, "team17", 14, 6, 0, 8, 317, 369, 0, 0, 0},
			{6, "team21", 14, 4, 0, 10, 250, 436, 0, 0, 0},
			{7, "team18", 14, 1, 0, 13, 141, 545, 0, 0, 0},
			{8, "team22", 14, 1, 0, 13, 117, 569, 0, 0, 0},
		},
	}
	results := realResults(t)
	for group, table := range want {
		var teams []string
		for _, r := range results[group] {
			teams = append(teams, r.Players[0])
		}
		slices.Sort(teams)
		for i := range table { // the official results count timeouts and illegal moves apart
			table[i].Forfeits += table[i].Illegal
		}
		got := Table(slices.Compact(teams), results[group], []int{2, 1})
		if diff := cmp.Diff(table, got); diff != "" {
			t.Errorf("group %s (-want +got):\n%s", group, diff)
		}
	}
}

func TestScoreText(t *testing.T) {
	md := func(s string) string { return "**" + s + "**" }
	for _, c := range []struct {
		r    arena.Result
		want string
	}{
		{arena.Result{Winner: 1, Score: [2]int{47, 2}, End: arena.Played}, "**47**:2"},
		{arena.Result{Winner: 2, Score: [2]int{0, 49}, End: arena.Timeout}, "0^:**49**"},
		{arena.Result{Winner: 1, Score: [2]int{49, 0}, End: arena.Illegal}, "**49**:0!"},
		{arena.Result{Winner: 1, Score: [2]int{49, 0}, End: arena.Crash}, "**49**:0^"},
		{arena.Result{Score: [2]int{2, 2}, End: arena.Played}, "2:2"},
		{arena.Result{End: arena.NoPlayer}, "0^:0^"},
	} {
		if got := ScoreText(c.r, md); got != c.want {
			t.Errorf("%+v: %q, want %q", c.r, got, c.want)
		}
	}
}

func TestRatioRanksEqualPoints(t *testing.T) {
	game := func(a, b string, s1, s2 int) arena.Result {
		r := arena.Result{Players: [2]string{a, b}, Score: [2]int{s1, s2}, End: arena.Played, Winner: 1}
		if s2 > s1 {
			r.Winner = 2
		} else if s1 == s2 {
			r.Winner = 0
		}
		return r
	}
	// Teams a and b have one win each; c has no points against it and never won.
	table := Table([]string{"d", "c", "b", "a"}, []arena.Result{game("a", "b", 6, 3), game("b", "a", 7, 2), game("c", "x", 9, 0)}, nil)
	var got []string
	for _, s := range table {
		got = append(got, fmt.Sprint(s.Place, s.Team))
	}
	if want := []string{"1b", "2a", "3c", "3d"}; !slices.Equal(got, want) {
		t.Errorf("places %v, want %v (a game against a stranger doesn't count)", got, want)
	}
	for s, want := range map[Standing]float64{{}: 0, {For: 3}: math.Inf(1), {For: 3, Against: 2}: 1.5, {Against: 9}: 0} {
		if s.Ratio() != want {
			t.Errorf("%+v: ratio %v, want %v", s, s.Ratio(), want)
		}
	}
}

// qualifiers2 returns the first and second of n groups.
func qualifiers2(n int) []qualifier {
	var q []qualifier
	for g := range n {
		for place := range 2 {
			q = append(q, qualifier{Standing{Team: fmt.Sprintf("%c%d", 'a'+g, place+1), Played: 10, Won: 10 - place - g%3, For: 5}, fmt.Sprint(g), place})
		}
	}
	sortBySeed(q)
	return q
}

func TestBracket(t *testing.T) {
	for n := 2; n <= 16; n++ {
		q := qualifiers2(n)
		round := bracket(q)
		seen := map[string]int{}
		byes := 0
		for _, d := range round {
			if d.Teams[1] == "" {
				byes++
				if d.Winner != d.Teams[0] || d.Decided != "bye" {
					t.Errorf("%d groups: bye %+v", n, d)
				}
			} else if d.Teams[0][0] == d.Teams[1][0] {
				t.Errorf("%d groups: %v meet again in the first round", n, d.Teams)
			}
			for _, team := range d.Teams {
				seen[team]++
			}
		}
		delete(seen, "")
		if len(seen) != 2*n || byes != 2*len(round)-2*n {
			t.Errorf("%d groups: %d teams, %d byes in %d duels", n, len(seen), byes, len(round))
		}
		// If the better seed always wins, 1 and 2 meet in the final.
		seed := map[string]int{}
		for i, x := range q {
			seed[x.Team] = i
		}
		for len(round) > 1 {
			for i := range round {
				round[i].Winner = round[i].Teams[0]
			}
			round = nextRound(round, seed)
		}
		if round[0].Teams != [2]string{q[0].Team, q[1].Team} {
			t.Errorf("%d groups: final of %v", n, round[0].Teams)
		}
	}
	if round := bracket(qualifiers2(1)); len(round) != 1 || round[0].Name != "final" {
		t.Errorf("one group: %+v", round)
	}
}

func TestDuelDecisions(t *testing.T) {
	won := func(w engine.Side, s1, s2 int) *arena.Result {
		return &arena.Result{Winner: w, Score: [2]int{s1, s2}, End: arena.Played}
	}
	for _, c := range []struct {
		first, second   *arena.Result // a moves first, b moves first
		winner, decided string
	}{
		{won(1, 30, 19), won(2, 20, 29), "a", "games"},
		{won(2, 19, 30), won(1, 25, 24), "b", "games"},
		{won(1, 30, 19), won(1, 26, 23), "a", "score ratio"},
		{won(1, 30, 19), won(1, 33, 16), "b", "score ratio"},
		{won(1, 30, 19), won(1, 30, 19), "a", "seed"},
		{&arena.Result{End: arena.NoPlayer}, won(1, 25, 24), "b", "games"},
	} {
		d := Duel{Teams: [2]string{"a", "b"}, Games: [2]*arena.Result{c.first, c.second}}
		if d.decide(); d.Winner != c.winner || d.Decided != c.decided {
			t.Errorf("%v %v: %s by %s, want %s by %s", *c.first, *c.second, d.Winner, d.Decided, c.winner, c.decided)
		}
	}
	open := Duel{Teams: [2]string{"a", "b"}, Games: [2]*arena.Result{won(1, 30, 19), nil}}
	if open.decide(); open.Winner != "" {
		t.Error("a duel is decided after one game")
	}
}

// level returns a built-in level with a name.
func level(name string, n int) arena.Participant {
	return arena.Participant{Name: name, Open: func(_ context.Context, s arena.Setup) (engine.Player, error) { return levels.New(n, s.Seed) }}
}

// playing returns a participant made of a function.
func playing(name string, choose enginetest.PlayerFunc) arena.Participant {
	return arena.Participant{Name: name, Open: func(context.Context, arena.Setup) (engine.Player, error) { return choose, nil }}
}

// cup returns a championship of two groups; two of its teams always misbehave.
func cup(t *testing.T, concurrency int) *Championship {
	t.Helper()
	crash := playing("crash", func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) { panic("crash") })
	cheat := playing("cheat", func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		return engine.Decision{Move: "0,0,sideways"}, nil
	})
	first, err := circuitwars.New(3, 3)
	testenv.OK(t, err)
	// The winner of a forfeit scores all squares.
	lost := func(p engine.Position, w engine.Side) (s [2]int) {
		s[w-1] = first.Board().Squares()
		return s
	}
	return &Championship{
		Config: arena.Config{Rules: arena.Rules{Game: circuitwars.Game{}, ForfeitScore: lost}, First: first, Board: "3x3"},
		Groups: []Group{
			{"a", []arena.Participant{level("a3", 3), level("a1", 1), crash, level("a2", 2)}},
			{"b", []arena.Participant{cheat, level("b1", 1), level("b4", 4)}},
		},
		Advance: 2, Seed: 5, Concurrency: concurrency,
	}
}

func TestChampionship(t *testing.T) {
	t.Parallel()
	o, err := cup(t, 3).Run(context.Background(), nil)
	testenv.OK(t, err)
	if o.Played != 12+6+4+2 || o.Games != o.Played || o.Champion == "" || len(o.Knockout) != 2 {
		t.Fatalf("%d of %d games, champion %q, %d rounds", o.Played, o.Games, o.Champion, len(o.Knockout))
	}
	last := func(g GroupOutcome) Standing { return g.Table[len(g.Table)-1] }
	if s := last(o.Groups[0]); s.Team != "crash" || s.Lost != 6 || s.Forfeits != 6 || s.For != 0 || s.Against != 54 {
		t.Errorf("group a ends with %+v", s)
	}
	if s := last(o.Groups[1]); s.Team != "cheat" || s.Lost != 4 || s.Illegal != 4 {
		t.Errorf("group b ends with %+v", s)
	}
	total, byTeam := 0, map[string]int{}
	for _, b := range o.Bonus {
		total += b.Total
		byTeam[b.Team] = b.Total
	}
	final := o.Knockout[1][0]
	if total != 2*(2+1)+8+5 || byTeam[final.Winner] < 8+1 || byTeam[final.loser()] < 5+1 || o.Bonus[0].Team != o.Champion {
		t.Errorf("bonus %+v, final %v won by %s", o.Bonus, final.Teams, final.Winner)
	}
	// The same championship without concurrency.
	again, err := cup(t, 1).Run(context.Background(), nil)
	if err != nil || again.Digest != o.Digest {
		t.Errorf("digests %s and %s, %v", o.Digest, again.Digest, err)
	}
	// Its games alone give the same outcome.
	told := cup(t, 1).Recorded(o.Results())
	if diff := cmp.Diff(o.Knockout, told.Knockout); diff != "" || told.Digest != o.Digest || told.Games != o.Games || told.Champion != o.Champion || !slices.Equal(told.Bonus, o.Bonus) {
		t.Errorf("recorded: %d of %d games, champion %q, bonus %+v, knockout (-played +recorded):\n%s", told.Played, told.Games, told.Champion, told.Bonus, diff)
	}
	var text, md, js bytes.Buffer
	testenv.OK(t, errors.Join(o.WriteText(&text, false, 0), o.WriteMarkdown(&md), json.NewEncoder(&js).Encode(o)))
	for _, want := range []string{"Group a", "crash  ", "0^:9", "9:0!", "The champion is " + o.Champion, "crash; 5 more games ended likewise\n", "Final\n", "Semifinals\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, text.String())
		}
	}
	for _, want := range []string{"## Group b", "| 0^:**9** |", "| **9**:0! |", "**" + o.Champion + "**", "| :--- | ---: |"} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("the Markdown has no %q:\n%s", want, md.String())
		}
	}
	if strings.ContainsAny(text.String()+md.String(), "\x01\x02") {
		t.Error("a mark was left in a report")
	}
	var back Outcome
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || back.Digest != o.Digest || len(back.Groups[0].Results) != 12 {
		t.Errorf("JSON does not read back: %v", err)
	}
}

// A stopped game is not reported as lost.
func TestStoppedGamesInReports(t *testing.T) {
	tie := arena.Result{ID: "a-x-y", Players: [2]string{"x", "y"}, End: arena.Stopped, Fault: "stopped after 3 turns: a tie"}
	o := Outcome{Groups: []GroupOutcome{{Name: "a", Teams: []string{"x", "y"}, Results: []arena.Result{tie}}}}
	var text, md bytes.Buffer
	testenv.OK(t, errors.Join(o.WriteText(&text, false, 0), o.WriteMarkdown(&md)))
	o.Played, o.Games = 1, 1
	var title bytes.Buffer
	testenv.OK(t, o.WriteMarkdown(&title))
	if !strings.Contains(title.String(), "1 of 1 game\n") {
		t.Errorf("it is named %q", title.String())
	}
	for _, s := range []string{text.String(), md.String()} {
		if !strings.Contains(s, "Forfeited or stopped\n") || !strings.Contains(s, tie.ID+": "+tie.Fault) {
			t.Errorf("it says\n%s", s)
		}
	}
}

// A row of the knockout shows both games of a duel, or for a bye only the team.
func TestKnockoutInReports(t *testing.T) {
	first := arena.Result{Winner: 1, Score: [2]int{30, 19}, End: arena.Played}
	second := arena.Result{Winner: 1, Score: [2]int{49, 0}, End: arena.Timeout}
	got := knockoutTable([]Duel{
		{Name: "semifinal1", Teams: [2]string{"a", ""}, Winner: "a", Decided: "bye"},
		{Name: "semifinal2", Teams: [2]string{"b", "c"}, Games: [2]*arena.Result{&first, &second}, Winner: "c", Decided: "score ratio"},
		{Name: "semifinal3", Teams: [2]string{"d", "e"}, Games: [2]*arena.Result{nil, &first}},
	}).Rows
	want := [][]string{
		{"semifinal1", "a", "", "", "", "a", "bye"},
		{"semifinal2", "b - c", arena.Bold("30") + ":19", "c - b", arena.Bold("49") + ":0^", "c", "score ratio"},
		{"semifinal3", "d - e", "", "e - d", arena.Bold("30") + ":19", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A championship that is interrupted every few games, in the groups and in the knockout,
// ends with the same games.
func TestChampionshipResumes(t *testing.T) {
	t.Parallel()
	whole, err := cup(t, 2).Run(context.Background(), nil)
	testenv.OK(t, err)
	path := filepath.Join(t.TempDir(), "cup.jsonl")
	for round := 0; ; round++ {
		if round > 30 {
			t.Fatal("the championship makes no progress")
		}
		journal, earlier, err := arena.OpenJournal(path, map[string]int{"seed": 5})
		testenv.OK(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		c := cup(t, 2)
		c.Journal = journal
		played := 0
		c.OnResult = func(arena.Result) {
			if played++; played == 2 {
				cancel()
			}
		}
		o, err := c.Run(ctx, earlier)
		cancel()
		journal.Close()
		if err == nil {
			if o.Digest != whole.Digest || o.Champion != whole.Champion {
				t.Errorf("%s won by %s, undisturbed %s by %s", o.Digest, o.Champion, whole.Digest, whole.Champion)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || o.Champion != "" && o.Played < o.Games {
			t.Fatalf("%v after %d of %d games", err, o.Played, o.Games)
		}
	}
}

// teams returns participants that never play.
func teams(names ...string) (out []arena.Participant) {
	for _, n := range names {
		out = append(out, arena.Participant{Name: n})
	}
	return out
}

// A knockout without groups contains the duels that were played. If games and scores of a
// duel are equal, the next round shows its winner; without a next round there is none.
func TestRecordedKnockout(t *testing.T) {
	game := func(round, a, b string, s1, s2 int) arena.Result {
		r := arena.Result{ID: gameID(round, a, b), Players: [2]string{a, b}, Score: [2]int{s1, s2}, End: arena.Played, Winner: 1}
		if s2 > s1 {
			r.Winner = 2
		}
		return r
	}
	o := cup(t, 1).Recorded([]arena.Result{
		game("final", "b", "d", 5, 4), game("final", "d", "b", 5, 4),
		game("round_of_16", "x", "b", 9, 0),
		game("semi_finals", "a", "b", 5, 4), game("semi_finals", "b", "a", 5, 4),
		game("semi_finals", "d", "c", 5, 4), game("semi_finals", "c", "d", 5, 4),
	})
	var got []string
	for _, round := range o.Knockout {
		for _, d := range round {
			got = append(got, fmt.Sprint(d.Name, " ", d.Teams, " ", d.Winner, " ", d.Decided))
		}
	}
	want := []string{"round16-1 [x b]  ", "semifinal1 [a b] b seed", "semifinal2 [d c] d seed", "final [b d]  "}
	if diff := cmp.Diff(want, got); diff != "" || o.Champion != "" || o.Played != 7 || o.Games != 8 {
		t.Errorf("champion %q, %d of %d games, knockout (-want +got):\n%s", o.Champion, o.Played, o.Games, diff)
	}
	// The winner of a semifinal is not the champion.
	o = cup(t, 1).Recorded([]arena.Result{game("semifinal1", "a", "b", 5, 4), game("semifinal1", "b", "a", 4, 5)})
	if o.Champion != "" || len(o.Bonus) != 0 || o.Knockout[0][0].Winner != "a" {
		t.Errorf("one semifinal: champion %q, bonus %+v, knockout %+v", o.Champion, o.Bonus, o.Knockout)
	}
	// If a team is in several groups, the qualifiers are unknown.
	o = cup(t, 1).Recorded([]arena.Result{
		game("1", "a", "b", 5, 4), game("1", "b", "a", 4, 5), game("2", "a", "c", 5, 4), game("2", "c", "a", 4, 5),
	})
	if want := []TeamBonus{{"a", 4, 0, 4}, {"b", 1, 0, 1}, {"c", 1, 0, 1}}; len(o.Knockout) != 0 || o.Played != 4 || o.Games != 4 || !slices.Equal(o.Bonus, want) {
		t.Errorf("%d of %d games, knockout %v, bonus %+v, want %+v", o.Played, o.Games, o.Knockout, o.Bonus, want)
	}
	// Two complete groups without a game of a knockout.
	o = cup(t, 1).Recorded([]arena.Result{
		game("1", "a", "b", 5, 4), game("1", "b", "a", 4, 5), game("2", "c", "d", 5, 4), game("2", "d", "c", 4, 5),
	})
	if len(o.Knockout) != 0 || o.Played != 4 || o.Games != 4 {
		t.Errorf("only groups: %d of %d games, knockout %v", o.Played, o.Games, o.Knockout)
	}
	for name, want := range map[string]int{
		"final": 1, "Finals": 1, "semi_final2": 2, "quarterfinal3": 4, "round16-5": 8, "round_of_32": 16,
		"1a": 0, "round2": 0, "round": 0, "Around16": 0, "group_final": 0,
	} {
		if got := DuelsOf(name); got != want {
			t.Errorf("%s: %d duels, want %d", name, got, want)
		}
	}
}

func TestChampionshipRefuses(t *testing.T) {
	for want, change := range map[string]func(c *Championship){
		"no groups":            func(c *Championship) { c.Groups = nil },
		"two groups are":       func(c *Championship) { c.Groups[1].Name = "a" },
		"a knockout round":     func(c *Championship) { c.Groups[1].Name = "final" },
		"has 1 team,":          func(c *Championship) { c.Groups[1].Teams = c.Groups[1].Teams[:1] },
		"two teams are":        func(c *Championship) { c.Groups[1].Teams[1].Name = "a3" },
		`"a3" and "A3"`:        func(c *Championship) { c.Groups[1].Teams[1].Name = "A3" },
		`are named "A"`:        func(c *Championship) { c.Groups[1].Name = "A" },
		"another game, a-a-1-": func(c *Championship) { c.Groups[0].Teams = teams("a", "1-X", "a-1", "x") },
		"games of a duel":      func(c *Championship) { c.Groups[1].Teams[1].Name = "a3-a3" },
		"1 teams in the kn":    func(c *Championship) { c.Groups, c.Advance = c.Groups[:1], 1 },
	} {
		c := cup(t, 1)
		change(c)
		if _, err := c.Run(context.Background(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// An incomplete group is ranked by points per game, and the report says so.
func TestIncompleteGroup(t *testing.T) {
	game := func(a, b string, winner engine.Side, s1, s2 int) arena.Result {
		return arena.Result{ID: gameID("1", a, b), Players: [2]string{a, b}, Score: [2]int{s1, s2}, End: arena.Played, Winner: winner}
	}
	o := cup(t, 1).Recorded([]arena.Result{game("a", "b", 1, 5, 4), game("b", "c", 1, 9, 0), game("c", "b", 2, 0, 9)})
	var text strings.Builder
	testenv.OK(t, o.WriteText(&text, false, 0))
	if table := o.Groups[0].Table; table[0].Team != "a" || !strings.Contains(text.String(), "\n3 of 6 games: ranked by points per game played, then by ratio.\n") {
		t.Errorf("%+v first\n%s", table[0], text.String())
	}
	for line := range strings.Lines(text.String()) {
		if len(line) > 81 {
			t.Errorf("a line of %d columns: %s", len(line)-1, line)
		}
	}
}

// The column of forfeits counts timeouts, crashes and illegal moves; the column after it only
// the illegal moves.
func TestForfeitsColumn(t *testing.T) {
	lost := func(end arena.Ending) arena.Result {
		return arena.Result{Players: [2]string{"a", "b"}, End: end, Winner: engine.Second, Score: [2]int{0, 9}}
	}
	table := standingsTable(Table([]string{"a", "b"}, []arena.Result{lost(arena.Timeout), lost(arena.Crash), lost(arena.Illegal), lost(arena.Played)}, nil))
	at := slices.Index(table.Head, "forfeits")
	if at < 0 || table.Rows[1][at] != "3" || table.Rows[1][at+1] != "1" {
		t.Errorf("%v: %v", table.Head, table.Rows)
	}
}

// Duels and groups are named in words.
func TestInWords(t *testing.T) {
	for name, want := range map[string]string{
		"semifinal1": "semifinal 1", "quarterfinal3": "quarterfinal 3", "round16-5": "round of 16, duel 5", "final": "final", "A": "group A",
	} {
		if got := InWords(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Before its first game a team has no ratio.
func TestRatioText(t *testing.T) {
	for want, s := range map[string]Standing{"–": {}, "0.00": {Played: 1, Against: 9}, "∞": {Played: 1, For: 9}, "0.50": {Played: 2, For: 5, Against: 10}} {
		if got := s.RatioText(); got != want {
			t.Errorf("%+v: ratio %s, want %s", s, got, want)
		}
	}
}

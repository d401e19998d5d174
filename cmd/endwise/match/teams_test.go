package match

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"endwise/book"
	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/dotsandboxes"
	"endwise/cmd/endwise/watchyourback"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	circuit "endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Any teams file is read as groups of teams with valid names, or refused with a one-line
// error that names the file.
func FuzzTeams(f *testing.F) {
	f.Add("group a\nada level3\nbob cmd:./bob --fast\n# nobody\n\ngroup b\ncleo endwise:threads=2,time=1s\n")
	f.Add("ada level9\n")
	f.Add("group a b\nada\n")
	f.Add("group a\r\nada\tlevel1\n\x00")
	g, err := cli.Games{circuitwars.Game()}.Named("circuitwars")
	testenv.OK(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		var field lineup
		defer field.Close()
		a := &cli.App{StoreDir: "none"}
		groups, err := parseTeams(a, text, "teams.txt", g, &field, slog.New(slog.NewTextHandler(io.Discard, nil)))
		if err != nil {
			if bad := new(cli.BadInputError); !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), "teams.txt: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		teams := 0
		for _, g := range groups {
			for _, e := range g.Teams {
				teams++
				if !validName(e.Name) || e.Open == nil {
					t.Errorf("team %q", e.Name)
				}
			}
		}
		if len(groups) == 0 || teams != len(field.Participants) {
			t.Errorf("%d groups, %d of %d teams", len(groups), teams, len(field.Participants))
		}
	})
}

// All wrong lines of a teams file are reported, each with its number.
func TestWrongLinesOfTeamsFile(t *testing.T) {
	g, err := cli.Games{circuitwars.Game()}.Named("circuitwars")
	testenv.OK(t, err)
	var field lineup
	_, err = parseTeams(&cli.App{StoreDir: "none"}, "group a-b\nada level3\nADA level1\n\nbob\ncleo level4\n", "teams.txt", g, &field, nil)
	want := `teams.txt: line 1: group "a-b": want ` + wantName + `, without -; ` +
		"line 3: a second team is named ADA, case ignored; line 5: team bob: no player"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Players whose names differ only in case, and whose files would collide on some file
// systems, are refused or renamed.
func TestNamesDifferInMoreThanCase(t *testing.T) {
	g, err := cli.Games{circuitwars.Game()}.Named("circuitwars")
	testenv.OK(t, err)
	for _, c := range []struct{ specs, want string }{
		{"Team=level1 team=level2", "two players are named team, case ignored"},
		{"level1 LEVEL1=level2", "two players are named LEVEL1, case ignored"},
		{"Level1_2=level1 LEVEL1=level2 level1 level1", "Level1_2 LEVEL1 level1_3 level1_4"},
	} {
		var field lineup
		var names []string
		for spec := range strings.FieldsSeq(c.specs) {
			if err := field.Add(&cli.App{StoreDir: "none"}, g, spec, nil); err != nil {
				names = []string{err.Error()}
				break
			}
			names = append(names, field.Participants[len(field.Participants)-1].Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.specs, got, c.want)
		}
	}
}

// The file name of a log determines the round and the teams, even if the log names other
// teams.
func TestNameGame(t *testing.T) {
	for _, c := range []struct {
		file, in   string // in: the teams in the log
		round, out string // "" for an error
	}{
		{"logs/1a-x-y.log", "x y", "1a", "x y"},
		{"logs/1a-x-y", "x y", "1a", "x y"},
		{"logs/1a-x-y", "y x", "1a", "y x"},
		{"logs/1a-a-b-c", "a-b c", "1a", "a-b c"},
		{"logs/1a-A-B-c", "a-b C", "1a", "a-b C"},
		{"logs/1a-x-y", "The one", "1a", "x y"},
		{"logs/1a/x-y", "x y", "1a", "x y"},
		{"logs/1a/x-y", "The one", "1a", "x y"},
		{"logs/group-1/x-y.log", "x y", "1", "x y"},
		{"logs/1a/a-b-c.log", "a-b c", "1a", "a-b c"},
		{"logs/group-1D/x_vs_y", "x y", "1D", "x y"},
		{"logs/group-1D/x_vs_y", "y x", "1D", "y x"},
		{"logs/group-1D/Die_A-B_vs_Ümit", "die_a-b ümit", "1D", "die_a-b ümit"},
		{"logs/group-1D/a-b_vs_c_d", "The one", "1D", "a-b c_d"},
		{"logs/quarterfinals/x_vs_y.log", "X Y", "quarterfinals", "X Y"},
		{"logs/round-of-16/x_vs_y.log", "The one", "round_of_16", "x y"},
		{"logs/final-x-y", "The one", "final", "x y"},
		{"logs/round16-5-x-y", "The one", "round16-5", "x y"},
		{"logs/round16-5-x-y", "x y", "round16-5", "x y"},
		{"logs/1a-a-b-c", "The one", "", ""},
		{"logs/x", "x y", "", ""},
		{"logs/--", "x y", "", ""},
		{"logs/1a/_vs_y", "x y", "", ""},
	} {
		var r arena.Result
		fmt.Sscan(c.in, &r.Players[0], &r.Players[1])
		round, err := nameGame(&r, c.file)
		if got := r.Players[0] + " " + r.Players[1]; c.round == "" && err == nil || c.round != "" && (err != nil || round != c.round || got != c.out) {
			t.Errorf("%s with %s: %s between %s, %v; want %s between %s", c.file, c.in, round, got, err, c.round, c.out)
		}
	}
}

// A teams file that is too long is refused, not read in part.
func TestLongTeamsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "teams.txt")
	text := "ann level1\nbob level1\n" + strings.Repeat("#\n", 1<<19) + "cleo level1\n"
	testenv.OK(t, os.WriteFile(file, []byte(text), 0o644))
	a := &cli.App{Stdout: io.Discard, Stderr: io.Discard, Games: cli.Games{circuitwars.Game()}, StoreDir: "none"}
	c := NewChampionshipCmd(a)
	c.SetArgs([]string{"circuitwars", "--board", "1x1", "--teams", file})
	if err := c.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("error %v", err)
	}
}

// The logs of a real championship in its files and folders, including games replayed in
// later rounds, produce the tables of the official results.
func TestRealChampionshipAsItLies(t *testing.T) {
	f, err := os.Open(enginetest.Recorded(t, "circuitwars", "results.csv"))
	testenv.OK(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	testenv.OK(t, err)
	dir, official := t.TempDir(), map[string][]arena.Result{}
	spellings := []func(string) string{strings.ToUpper, strings.ToLower, func(s string) string { return "T" + s[1:] }}
	for i, l := range lines[1:] {
		r := arena.Result{Players: [2]string{l[1], l[2]}, End: arena.Played}
		fmt.Sscan(l[3]+" "+l[4], &r.Score[0], &r.Score[1])
		for kind, end := range map[string]arena.Ending{"timeout": arena.Timeout, "illegal": arena.Illegal} {
			if strings.HasPrefix(l[5], kind) {
				r.End = end
			}
		}
		if r.Winner = engine.First; r.Score[1] > r.Score[0] {
			r.Winner = engine.Second
		}
		group, _, _ := strings.Cut(filepath.Base(l[0]), "-")
		rounds := []string{"group-" + strings.ToUpper(group)}
		for round, teams := range map[string]string{
			"group-2A":      "team05 team02 team06",
			"group-2B":      "team15 team11 team13 team12",
			"quarterfinals": "team05 team07",
			"Quarterfinals": "team15 team12",
			"semi-finals":   "team20 team23", // one win each: the score ratio decides
			"final":         "team05 team02",
		} {
			if strings.Contains(teams, l[1]) && strings.Contains(teams, l[2]) {
				rounds = append(rounds, round)
			}
		}
		for _, round := range rounds {
			testenv.OK(t, os.MkdirAll(filepath.Join(dir, round), 0o755))
			name := spellings[i%3](l[1]) + "_vs_" + spellings[i/3%3](l[2])
			log := testenv.ReadFile(t, enginetest.Recorded(t, "circuitwars", l[0]))
			testenv.OK(t, os.WriteFile(filepath.Join(dir, round, name), log, 0o644))
			official[strings.TrimPrefix(round, "group-")] = append(official[strings.TrimPrefix(round, "group-")], r)
		}
	}
	var out, notes bytes.Buffer
	c := NewChampionshipCmd(&cli.App{Stdout: &out, Stderr: &notes, Games: cli.Games{circuitwars.Game()}, StoreDir: "none"})
	c.SetArgs([]string{"circuitwars", dir, "--json"})
	testenv.OK(t, c.Execute())
	var got championship.Outcome
	testenv.OK(t, json.Unmarshal(out.Bytes(), &got))
	for _, g := range got.Groups {
		if diff := cmp.Diff(championship.Table(g.Teams, official[g.Name], []int{2, 1}), g.Table); diff != "" || g.Games != len(official[g.Name]) {
			t.Errorf("group %s (-official +got):\n%s", g.Name, diff)
		}
	}
	var duels []string
	for _, round := range got.Knockout {
		for _, d := range round {
			duels = append(duels, fmt.Sprint(d.Name, " ", d.Winner, " ", d.Decided, " ", d.Games[0].Score, " ", d.Games[1].Score))
		}
	}
	want := []string{
		"quarterfinal1 team15 games [49 0] [0 49]", "quarterfinal2 team05 games [46 3] [6 43]",
		"semifinal1 team23 score ratio [25 24] [26 23]", "final team05 games [41 8] [7 42]",
	}
	if diff := cmp.Diff(want, duels); diff != "" || len(got.Groups) != 5 || got.Played != got.Games || got.Champion != "team05" || notes.Len() > 0 {
		t.Errorf("%d groups, %d of %d games, champion %s, knockout (-want +got):\n%s%s", len(got.Groups), got.Played, got.Games, got.Champion, diff, &notes)
	}
}

// The report is rewritten after each game: every game begins with the earlier ones in it.
func TestReportDuringAChampionship(t *testing.T) {
	g, err := cli.Games{circuitwars.Game()}.Named("circuitwars")
	testenv.OK(t, err)
	dir := t.TempDir()
	f := championshipFlags{report: filepath.Join(dir, "report"), matchFlags: matchFlags{board: "1x2", results: filepath.Join(dir, "results")}}
	config, err := f.config(g, nil)
	testenv.OK(t, err)
	var seen []string
	played := func() string {
		data, err := os.ReadFile(filepath.Join(f.report, "standings.md"))
		if err != nil {
			return "no report"
		}
		title, _, _ := strings.Cut(string(data), "\n")
		return title
	}
	team := func(name string, level int) arena.Participant {
		return arena.Participant{Name: name, Open: func(_ context.Context, s arena.Setup) (engine.Player, error) {
			if s.Side == engine.First {
				seen = append(seen, played())
			}
			return levels.New(level, s.Seed)
		}}
	}
	cup := &championship.Championship{Config: config, Groups: []championship.Group{{Name: "a", Teams: []arena.Participant{team("ann", 1), team("bob", 2), team("cleo", 3)}}}, Concurrency: 1}
	testenv.OK(t, runChampionship(t.Context(), &cli.App{Stdout: io.Discard, Stderr: io.Discard}, cup, f, nil))
	seen = append(seen, played())
	want := []string{"no report"}
	for n := 1; n <= 6; n++ {
		want = append(want, fmt.Sprintf("# circuitwars 1x2, %d of 6 games", n))
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// The live page shows a running game with its players and, after it, the result and the
// standings; other hosts' pages are refused.
func TestLivePage(t *testing.T) {
	p, err := (circuit.Game{}).Start("1x2")
	testenv.OK(t, err)
	cup := &championship.Championship{Config: arena.Config{First: p, Board: "1x2"}, Groups: []championship.Group{{Name: "a", Teams: []arena.Participant{{Name: "ann", Spec: "bot:python3 /home/ann/my-bot.py"}, {Name: "bob"}}}}}
	now, err := cup.Outcome(nil)
	testenv.OK(t, err)
	g, err := cli.Games{circuitwars.Game()}.Named("circuitwars")
	testenv.OK(t, err)
	report := newClassReport(g, "Class 3b", p, func() (*book.Lookup, error) { return g.Sources.Open(book.Options{Threads: 1, HashBytes: 1 << 20}) }, slog.New(slog.DiscardHandler))
	report.queue = make(chan arena.Result, 2)
	live := newLivePage(report, now, nil)
	get := func(host, path string) (int, string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "http://"+host+path, nil)
		live.server().Handler.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	shows := func(when string, there bool, want ...string) {
		t.Helper()
		code, page := get("localhost", "/")
		for _, text := range want {
			if code != 200 || strings.Contains(page, text) != there {
				t.Errorf("%s: status %d, %q shown: %v, want %v", when, code, text, !there, there)
			}
		}
	}
	const id = "a-ann-bob"
	board, row := `<svg class="board small"`, `<tr><td>1<th scope="row" style="--letters: 3">bob<td>1<td>0<td title="2:0">∞</tr>`
	live.reached(id, [2]string{"ann", "bob"}, p)
	live.reached("a-bob-ann", [2]string{"bob", "ann"}, p)
	live.reached(id, [2]string{"ann", "bob"}, p)
	shows("running", true, "<h1>Class 3b</h1>", "0 of 2 games<", `<span class="mark mark2">2</span> <span>bob</span> <b>0</b>`, `<span>ann</span> <em><span class="unseen">to move</span></em> <b>0</b>`, "Group a<", board)
	shows("before a move", false, `class="last"`)
	shows("programs are private", false, "my-bot.py")
	if _, page := get("localhost", "/"); strings.Count(page, board) != 2 {
		t.Errorf("%d boards of two games", strings.Count(page, board))
	}
	r := arena.Result{ID: id, Players: [2]string{"ann", "bob"}, End: arena.Played, Winner: engine.Second, Score: [2]int{0, 2}}
	for !p.Over() { // player 1 plays the last move
		r.Moves = append(r.Moves, p.MoveString(p.Moves()[0]))
		p, err = p.Play(p.Moves()[0])
		testenv.OK(t, err)
		live.reached(id, [2]string{"ann", "bob"}, p)
	}
	now, err = cup.Outcome([]arena.Result{r})
	testenv.OK(t, err)
	shows("after the last move", true, `class="last"`)
	live.update(now)
	shows("ended", true, "1 of 2 games", row, "<li>ann 0–2 <b>bob</b>\n", board)
	if _, page := get("localhost", "/"); strings.Count(page, board) != 1 || strings.Contains(page, "Report on") {
		t.Errorf("%d boards of one game, or a report without games", strings.Count(page, board))
	}
	if code, page := get("localhost", "/report"); code != 404 || !strings.Contains(page, "The championship is at /") {
		t.Errorf("a report without games: status %d, %s", code, page)
	}
	lookup, err := report.open()
	testenv.OK(t, err)
	defer lookup.Close()
	report.add(now.Results())
	report.add(now.Results())
	if len(report.queue) != 1 {
		t.Fatalf("the finished game is queued %d times", len(report.queue))
	}
	testenv.OK(t, report.analyse(t.Context(), lookup, <-report.queue))
	shows("reported", true, `<a href="report">Report on 1 game`, `<li><a href="report#`+id+`">ann 0–2 <b>bob</b></a>`)
	if code, page := get("localhost", "/report"); code != 200 || !strings.Contains(page, "<h1>Class 3b</h1>") || !strings.Contains(page, id) || !strings.Contains(page, `<a href="./">`) {
		t.Errorf("the report: status %d, %.300s", code, page)
	}
	live = newLivePage(newClassReport(g, "Class 3b", p, report.open, slog.New(slog.DiscardHandler)), now, nil)
	shows("resumed", true, row, "<li>ann 0–2 <b>bob</b>\n")
	for host, want := range map[string]int{"localhost": 404, "elsewhere.example": 403} {
		if code, _ := get(host, "/other"); code != want {
			t.Errorf("%s: status %d, want %d", host, code, want)
		}
	}
}

// A practice level does not lose on time if the machine is busy, in all games.
func TestLevelsHaveTime(t *testing.T) {
	a := &cli.App{StoreDir: "none"}
	for _, game := range []cli.Game{circuitwars.Game(), dotsandboxes.Game(), watchyourback.Game()} {
		var field lineup
		for _, level := range levels.Names(game.Name()) {
			testenv.OK(t, field.Add(a, game, level, slog.New(slog.DiscardHandler)))
		}
		for _, p := range field.Participants {
			player, err := p.Open(t.Context(), arena.Setup{})
			testenv.OK(t, err)
			if timed, ok := player.(arena.Timed); !ok || timed.MoveTimeout(time.Second, false) < 10*time.Second {
				t.Errorf("%s %s loses on time", game.Name(), p.Name)
			}
		}
	}
}

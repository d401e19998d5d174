package web

import (
	"cmp"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"

	"endwise/book/analysis"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// Every player has one sheet of six exercises from its largest mistakes, of each difficulty if
// there are any, in the order of the list, followed by their solutions.
func TestExercisesToPrint(t *testing.T) {
	games := Games{{Game: answer.NewGame(circuitwars.Game{}), Sides: [2]string{"Player 1", "Player 2"}}}
	var exercises []analysis.Exercise
	for i := range 17 {
		by, difficulty := "bob", "easy"
		if i == 5 {
			by = "ann"
		}
		if i > 6 {
			difficulty = "hard"
		}
		if i > 8 { // only the smallest mistake is easy
			by = "cleo"
			if i == 9 {
				difficulty = "easy"
			}
		}
		exercises = append(exercises, analysis.Exercise{
			Game: "circuitwars", Position: "1x2 0,0,top 0,0,left 0,0,bottom 1,0,top 1,0,bottom", Answer: "1,0,right", Played: "0,0,right",
			Loss: 2 + 2*i, By: by, From: fmt.Sprint("game ", i), Difficulty: difficulty,
		})
	}
	var b strings.Builder
	number, err := games.WriteExercises(&b, Report{Title: "Class", Exercises: exercises})
	if testenv.OK(t, err); number != 13 {
		t.Errorf("%d exercises on the page, want 13", number)
	}
	var got []string
	for _, m := range regexp.MustCompile(`<h2>(.*)</h2>|\d+ \(\w+\): \w+ to move|\d: <span class="bettername">.*(game \d+:)`).FindAllStringSubmatch(b.String(), -1) {
		if m[1] == "" {
			got[len(got)-1] += "; " + cmp.Or(m[2], m[0])
		} else {
			got = append(got, m[1])
		}
	}
	want := []string{
		"ann: 1 exercise; 1 (easy): ann to move", "ann: solutions; game 5:",
		"bob: 6 exercises; 1 (easy): bob to move; 2 (easy): bob to move; 3 (easy): bob to move; 4 (easy): bob to move; 5 (hard): bob to move; 6 (hard): bob to move",
		"bob: solutions; game 2:; game 3:; game 4:; game 6:; game 7:; game 8:",
		"cleo: 6 exercises; 1 (easy): cleo to move; 2 (hard): cleo to move; 3 (hard): cleo to move; 4 (hard): cleo to move; 5 (hard): cleo to move; 6 (hard): cleo to move",
		"cleo: solutions; game 9:; game 12:; game 13:; game 14:; game 15:; game 16:",
	}
	if !slices.Equal(got, want) {
		t.Errorf("sheets\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The exercises shown are those of all players in turn, of one difficulty.
func TestExercisesInTurn(t *testing.T) {
	var exercises []analysis.Exercise
	for i, by := range []string{"ann", "ann", "ann", "ann", "ann", "bob", "ann", "cleo", "bob"} {
		exercises = append(exercises, analysis.Exercise{By: by, Difficulty: "easy", Position: fmt.Sprint(i)})
	}
	exercises = append(exercises, analysis.Exercise{By: "dora", Difficulty: "hard", Position: "9"})
	var got string
	for _, e := range inTurn(exercises, "easy") {
		got += e.By + " " + e.Position + "; "
	}
	if want := "ann 0; bob 5; cleo 7; ann 1; bob 8; ann 2; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A report on several games lists them by their numbers, rounds halves up, and has columns for missed
// wins and forfeits only if there are any.
func TestReportOnSeveralGames(t *testing.T) {
	all := Games{{Game: answer.NewGame(circuitwars.Game{}), Sides: [2]string{"Player 1", "Player 2"}}}
	var games []analysis.Analysis
	for _, name := range []string{"ann-bob-0002", "bob-ann-0011", "bob-ann-0001"} {
		first, second, _ := strings.Cut(name[:7], "-")
		games = append(games, analysis.Analysis{
			Game: "circuitwars", Name: name, Start: "1x2", End: "1x2",
			Players: [2]analysis.Player{{Name: first, Evaluated: 40, Mistakes: 3}, {Name: second}},
		})
	}
	var page strings.Builder
	testenv.OK(t, all.WriteReport(&page, Report{Games: games, Summary: analysis.Summarize(games)}))
	if text := page.String(); !strings.Contains(text, "<td>too few (0 evaluated)<td>") {
		t.Error("the report shows an accuracy of a player without evaluated moves")
	}
	var got []string
	for _, m := range regexp.MustCompile(`<summary title="[^"]*"><b>[^<]*</b>, (game \d+)`).FindAllStringSubmatch(page.String(), -1) {
		got = append(got, m[1])
	}
	if want := []string{"game 1", "game 2", "game 11"}; !slices.Equal(got, want) {
		t.Errorf("games %q, want %q", got, want)
	}
	if text := page.String(); !strings.Contains(text, "<td>93 % (40 evaluated)<td>") || strings.Contains(text, ">Missed wins") || strings.Contains(text, ">Forfeits<") {
		t.Error("an accuracy of 92.5 % is not 93 %, or there are empty columns")
	}
}

// A report lists the games of a championship in the order of play: groups first, the final last. An
// exercise's answer is drawn and in words.
func TestReportOnAChampionship(t *testing.T) {
	all := Games{{Game: answer.NewGame(circuitwars.Game{}), Sides: [2]string{"Player 1", "Player 2"}}}
	var games []analysis.Analysis
	for _, round := range []string{"final", "A", "semifinal2", "quarterfinal1", "round16-1", "semifinal1"} {
		games = append(games, analysis.Analysis{Game: "circuitwars", Name: round + "-ann-bob", Start: "1x2", End: "1x2", Players: [2]analysis.Player{{Name: "ann"}, {Name: "bob"}}})
	}
	exercise := analysis.Exercise{
		Game: "circuitwars", Position: "1x2 0,0,top 0,0,left 0,0,bottom 1,0,top 1,0,bottom", Answer: "1,0,right",
		Played: "0,0,right", Loss: 2, By: "bob", From: "game 1", Difficulty: "easy", Several: true,
	}
	var page strings.Builder
	testenv.OK(t, all.WriteReport(&page, Report{Games: games, Summary: analysis.Summarize(games), Exercises: []analysis.Exercise{exercise}}))
	var got []string
	for _, m := range regexp.MustCompile(`<details><summary title="([^"]*)-ann-bob">`).FindAllStringSubmatch(page.String(), -1) {
		got = append(got, m[1])
	}
	if want := []string{"A", "round16-1", "quarterfinal1", "semifinal2", "semifinal1", "final"}; !slices.Equal(got, want) {
		t.Errorf("games %q, want %q", got, want)
	}
	for _, want := range []string{
		"bob to move. Several moves lose nothing; find one.", "; the answer is 1,0,right",
		"1,0,right</span>, to the right of the square in row 0, column 1, or another move that loses nothing. game 1: 0,0,right lost 1 square.",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// A mistake in the list of a game has its position.
func TestMistakesHavePositions(t *testing.T) {
	loss := 2
	g := reportGame{
		Words: Game{Game: answer.NewGame(circuitwars.Game{})}, boards: &drawings{numbers: map[marked]int{}},
		Analysis: analysis.Analysis{Start: "1x2", Moves: []analysis.Move{
			{Ply: 1, Player: 1, Move: "0,0,top", Best: "0,0,left"},
			{Ply: 2, Player: 2, Move: "1,0,top", Best: "0,0,left", Loss: &loss},
		}},
	}
	var page strings.Builder
	boards := template.Must(template.New("").Parse("{{range .Mistakes}}{{.Position}}{{.Board}}{{end}}"))
	testenv.OK(t, boards.Execute(&page, g))
	if text := page.String(); !strings.HasPrefix(text, "1x2:80:0-0:2<") || !strings.Contains(text, "player 2 to move; played 1,0,top, better 0,0,left") {
		t.Errorf("drawn: %s", text)
	}
}

// Names are broken after _ and -, and inside words only if these are long.
func TestBreakable(t *testing.T) {
	for name, want := range map[string]string{
		"team15":                      "team15",
		"anna-maria_<b>":              "anna-<wbr>maria_<wbr>&lt;b&gt;",
		strings.Repeat("m", 20):       strings.Repeat("m", 20),
		strings.Repeat("m", 21) + "_": strings.Repeat("mmmmmmm<wbr>", 3) + "_<wbr>",
	} {
		if got := breakable(name); string(got) != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

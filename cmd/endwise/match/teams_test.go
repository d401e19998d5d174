package match

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"endwise/cmd/endwise/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/engine/arena"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Whatever a teams file holds, it gives groups of teams with good names, or
// one line that names the file.
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
		groups, err := parseTeams(a, strings.NewReader(text), "teams.txt", g, &field, slog.New(slog.NewTextHandler(io.Discard, nil)))
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
				if !validName.MatchString(e.Name) || e.Open == nil {
					t.Errorf("team %q", e.Name)
				}
			}
		}
		if len(groups) == 0 || teams != len(field.Entrants) {
			t.Errorf("%d groups, %d of %d teams", len(groups), teams, len(field.Entrants))
		}
	})
}

// A log's name says the group and the teams, whatever the log calls them.
func TestNameGame(t *testing.T) {
	for _, c := range []struct {
		file, in string // the teams in the log
		id, out  string // "" for an error
	}{
		{"logs/1a-x-y.log", "x y", "1a-x-y", "x y"},
		{"logs/1a-x-y", "x y", "1a-x-y", "x y"},
		{"logs/1a-x-y", "y x", "1a-y-x", "y x"},
		{"logs/1a-a-b-c", "a-b c", "1a-a-b-c", "a-b c"},
		{"logs/1a-x-y", "The one", "1a-x-y", "x y"},
		{"logs/1a/x-y", "x y", "1a-x-y", "x y"},
		{"logs/1a/x-y", "The one", "1a-x-y", "x y"},
		{"logs/group-1/x-y.log", "x y", "group_1-x-y", "x y"},
		{"logs/1a/a-b-c.log", "a-b c", "1a-a-b-c", "a-b c"},
		{"logs/final-x-y", "The one", "final-x-y", "x y"},
		{"logs/round16-5-x-y", "The one", "round16-5-x-y", "x y"},
		{"logs/round16-5-x-y", "x y", "round16-5-x-y", "x y"},
		{"logs/1a-a-b-c", "The one", "", ""},
		{"logs/x", "x y", "", ""},
		{"logs/--", "x y", "", ""},
	} {
		var r arena.Result
		fmt.Sscan(c.in, &r.Players[0], &r.Players[1])
		err := nameGame(&r, c.file)
		if got := r.Players[0] + " " + r.Players[1]; c.id == "" && err == nil || c.id != "" && (err != nil || r.ID != c.id || got != c.out) {
			t.Errorf("%s with %s: %s between %s, %v; want %s between %s", c.file, c.in, r.ID, got, err, c.id, c.out)
		}
	}
}

package match

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"endwise/cmd/endwise/cli"
)

// Whatever a teams file holds, it gives groups of teams with good names, or
// one line that names the file.
func FuzzTeams(f *testing.F) {
	f.Add("group a\nada level3\nbob cmd:./bob --fast\n# nobody\n\ngroup b\ncleo endwise:threads=2,time=1s\n")
	f.Add("ada level9\n")
	f.Add("group a b\nada\n")
	f.Add("group a\r\nada\tlevel1\n\x00")
	g, err := cli.GameNamed("circuitwars")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var players cli.Players
		defer players.Close()
		a := &cli.App{StoreDir: "none"}
		groups, err := parseTeams(a, strings.NewReader(text), "teams.txt", g, &players, slog.New(slog.NewTextHandler(io.Discard, nil)))
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
				if !cli.ValidName.MatchString(e.Name) || e.Open == nil {
					t.Errorf("team %q", e.Name)
				}
			}
		}
		if len(groups) == 0 || teams != len(players.Entrants) {
			t.Errorf("%d groups, %d of %d teams", len(groups), teams, len(players.Entrants))
		}
	})
}

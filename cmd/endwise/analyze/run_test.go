package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"endwise/book/analysis"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A kept analysis is used only with the same options.
func TestKeptAnalysesDependOnTheOptions(t *testing.T) {
	start, err := dotsandboxes.Game{}.Start("1x1")
	testenv.OK(t, err)
	r := record{game: cli.Game{Game: dotsandboxes.Game{}}, Record: analysis.Record{Name: "x", Positions: []engine.Position{start}}}
	made := map[string][]string{}
	for _, args := range [][]string{
		nil, {"--hash", "7"}, {"--threads", "77"}, {"--book", "a"}, {"--book", "b"}, {"--book", "a", "--book", "b"}, {"--lookup", "http://a"},
	} {
		var sources cli.LookupFlags
		c := &cobra.Command{}
		sources.RegisterSources(c)
		testenv.OK(t, c.ParseFlags(args))
		key, err := analysisKey(r, analysis.DefaultLimits, sources)
		testenv.OK(t, err)
		if with, ok := made[key]; ok {
			t.Errorf("%v and %v have the same analysis", args, with)
		}
		made[key] = args
	}
}

// Likely mistakes rank among the proved ones by their size in games with a score, after them in others.
// A proof about a move replaces its likely mistake.
func TestLikelyMistakesRankBySize(t *testing.T) {
	g := analysis.Analysis{
		Winner: 2,
		Moves: []analysis.Move{
			{Ply: 1, Player: 1, Loss: new(2)}, {Ply: 2}, {Ply: 3, Player: 1, Loss: new(8)}, {Ply: 4, Player: 2, Loss: new(9)}, {Ply: 5}, {Ply: 6}, {Ply: 7},
		},
		Likely: []analysis.LikelyMistake{
			{Ply: 3, Player: 1, Before: 20}, {Ply: 5, Player: 1, Before: 12}, {Ply: 6, Player: 2, Before: 12}, {Ply: 7, Player: 1, Before: 6},
		},
	}
	for scored, want := range map[bool][]int{true: {5, 3, 7, 1, 6, 4}, false: {3, 1, 5, 7, 4, 6}} {
		game := cli.Game{Web: web.Game{Game: answer.Game{Rules: analysis.Rules{Game: circuitwars.Game{}, Scored: scored}}}}
		var got []int
		for _, m := range mistakes(game, g, 9) {
			got = append(got, m.ply)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("scored %v: %s", scored, diff)
		}
	}
}

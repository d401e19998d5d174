package analyze

import (
	"testing"

	"github.com/spf13/cobra"

	"endwise/book/analysis"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// A kept analysis is used only with the same options.
func TestKeptAnalysesDependOnTheOptions(t *testing.T) {
	start, err := dotsandboxes.Game{}.Start("1x1")
	testenv.OK(t, err)
	r := record{cli.Game{Game: dotsandboxes.Game{}}, analysis.Record{Name: "x", Positions: []engine.Position{start}}}
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

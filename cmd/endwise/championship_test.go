package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// The tables of a real championship, made of its logs alone, hold the official
// results of all its games.
func TestChampionshipFromRealLogs(t *testing.T) {
	dir := enginetest.Recorded(t, "circuitwars")
	f, err := os.Open(filepath.Join(dir, "results.csv"))
	testenv.OK(t, err)
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	testenv.OK(t, err)
	official := map[string]string{}
	for _, l := range lines[1:] {
		kind, _, _ := strings.Cut(l[5], ":")
		official[strings.TrimSuffix(filepath.Base(l[0]), ".log")] = fmt.Sprintf("%s %s %s:%s", kind, l[1], l[3], l[4])
	}
	code, stdout, stderr := endwise(t, "championship", "circuitwars", filepath.Join(dir, "games"), "--json")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var out championship.Outcome
	testenv.OK(t, json.Unmarshal([]byte(stdout), &out))
	if len(out.Groups) != 3 || out.Played != len(official) || out.Champion != "" || len(out.Knockout) != 1 {
		t.Errorf("%d groups, %d games, champion %q, %d rounds drawn", len(out.Groups), out.Played, out.Champion, len(out.Knockout))
	}
	kinds := map[arena.Ending]string{arena.Played: "none", arena.Illegal: "illegal", arena.Timeout: "timeout"}
	for _, g := range out.Groups {
		if g.Table[0].Bonus != 2 || g.Table[1].Bonus != 1 || g.Table[2].Bonus != 0 {
			t.Errorf("group %s: bonus points %+v", g.Name, g.Table[:3])
		}
		for _, r := range g.Results {
			got := fmt.Sprintf("%s %s %d:%d", kinds[r.End], r.Players[0], r.Score[0], r.Score[1])
			if got != official[r.ID] {
				t.Errorf("%s: %s, officially %s", r.ID, got, official[r.ID])
			}
		}
	}
}

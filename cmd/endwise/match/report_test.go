package match

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/book/analysis"
	"endwise/book/circuitwars"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/testenv"
)

// Forfeits that exceed the limit a little are counted; those of hung programs are not.
func TestNarrowTimeouts(t *testing.T) {
	for _, c := range []struct {
		end     arena.Ending
		longest float64
		limit   time.Duration
		counted bool
	}{
		{arena.Timeout, 525, 500 * time.Millisecond, true},
		{arena.Timeout, 601, 500 * time.Millisecond, false},
		{arena.Timeout, 3260, 3 * time.Second, false},
		{arena.Timeout, 400, 500 * time.Millisecond, false}, // it lost out of its turn
		{arena.Illegal, 525, 500 * time.Millisecond, false},
	} {
		var out bytes.Buffer
		r := arena.Result{End: c.end, Winner: engine.First, Time: [2]arena.TimeUse{{}, {Moves: 1, MaxMS: c.longest}}}
		printNarrowTimeouts(&cli.App{Stdout: &out}, arena.Config{Time: c.limit}, []arena.Result{r})
		if got := strings.Contains(out.String(), "moves at most 100ms late lost 1 game: if the machine is busy"); got != c.counted {
			t.Errorf("%+v: printed %q", c, out.String())
		}
	}
}

// The page of a report is written again only after another game.
func TestReportIsWrittenOncePerGame(t *testing.T) {
	c := newClassReport(cli.NewGame(circuitwars.Game()), "Class", nil, nil, nil)
	write := func() *byte {
		page, err := c.page()
		testenv.OK(t, err)
		return &page[0]
	}
	c.done = []analysis.Analysis{{Game: "circuitwars", Name: "A-ann-bob", Start: "1x2", End: "1x2"}}
	first := write()
	if write() != first {
		t.Error("the same games are written twice")
	}
	c.done = append(c.done, analysis.Analysis{Game: "circuitwars", Name: "A-bob-ann", Start: "1x2", End: "1x2"})
	if write() == first {
		t.Error("a new game is not in the report")
	}
}

// The report on the games analysed so far remains in a file, without a link to the live page.
func TestReportIsSaved(t *testing.T) {
	dir := t.TempDir()
	c := newClassReport(cli.NewGame(circuitwars.Game()), "Class", nil, nil, nil)
	c.done = []analysis.Analysis{{Game: "circuitwars", Name: "A-ann-bob", Start: "1x2", End: "1x2"}}
	testenv.OK(t, c.save(dir))
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	testenv.OK(t, err)
	if !strings.Contains(string(page), "A-ann-bob") || strings.Contains(string(page), "standings and running games") {
		t.Errorf("the report lacks its game or links to the live page: %.300s", page)
	}
	testenv.OK(t, c.save(""))
}

package match

import (
	"bytes"
	"io"
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

// The advice after timeouts does not call a move late that never arrived: a wait that ended just after
// the limit is no sign of a busy machine.
func TestTimeouts(t *testing.T) {
	for _, c := range []struct {
		end     arena.Ending
		longest float64
		counted bool
	}{
		{arena.Timeout, 525, true},
		{arena.Timeout, 3260, true},
		{arena.Timeout, 400, false}, // it lost out of its turn
		{arena.Illegal, 525, false},
	} {
		var out bytes.Buffer
		r := arena.Result{End: c.end, Winner: engine.First, Players: [2]string{"ann", "bob"}, Time: [2]arena.TimeUse{{}, {Moves: 1, MaxMS: c.longest}}}
		printTimeouts(&cli.App{Stdout: &out}, arena.Config{Time: 500 * time.Millisecond}, []arena.Result{r})
		want := ""
		if c.counted {
			want = "bob sent no move within 500ms in 1 game: the program hangs or is too slow; --margin 1s or --jobs 1 helps only if the machine is busy"
		}
		if got := strings.Join(strings.Fields(out.String()), " "); got != want {
			t.Errorf("%+v: printed %q, want %q", c, got, want)
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
	testenv.OK(t, c.save(io.Discard, dir, true))
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	testenv.OK(t, err)
	if !strings.Contains(string(page), "A-ann-bob") || strings.Contains(string(page), "Standings and running games") {
		t.Errorf("the report lacks its game or links to the live page: %.300s", page)
	}
	c.done = []analysis.Analysis{{Game: "circuitwars", Name: "A-bob-ann", Start: "1x2", End: "1x2"}}
	for interrupted, want := range map[bool]string{true: "A-ann-bob", false: "A-bob-ann"} {
		if interrupted {
			os.WriteFile(filepath.Join(dir, "report.html"), page, 0o644)
		}
		testenv.OK(t, c.save(io.Discard, dir, interrupted))
		if now, _ := os.ReadFile(filepath.Join(dir, "report.html")); !strings.Contains(string(now), want) {
			t.Errorf("interrupted %v: the report has not %s", interrupted, want)
		}
	}
	testenv.OK(t, c.save(io.Discard, "", false))
}

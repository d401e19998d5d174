package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"endwise/book/store"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver"
	cwexact "endwise/solver/circuitwars/exact"
	dabexact "endwise/solver/dotsandboxes/exact"
)

// computed are the figures that do not depend on the machine. They are kept in
// data/results/computed.json; go test works those again that are not long.
type computed struct {
	Values []computedValue `json:"values"`
	Tables []computedTable `json:"tables"`
}

type computedValue struct {
	Title string `json:"game"`
	Board string `json:"board"`
	Value int    `json:"value"`
	Work  uint64 `json:"work"`
}

type computedTable struct {
	Command   string `json:"command"`
	Positions uint64 `json:"positions"`
	SHA256    string `json:"sha256"`
}

// measured is a figure that a machine gave once, with what it takes to judge
// it. The records are in data/results/measured.json, written by people.
type measured struct {
	Block   string `json:"block"`   // the block of the page it belongs to
	What    string `json:"what"`    // what was measured
	Figure  string `json:"figure"`  // the figure
	Unit    string `json:"unit"`    // and what it counts
	Error   string `json:"error"`   // 95 % interval or spread, "" where there is none
	Command string `json:"command"` // how to measure it again
	Date    string `json:"date"`    // year-month-day
	Machine string `json:"machine"`
	Load    string `json:"load"`
}

// The files of the results, below the repository's root.
const (
	computedFile = "data/results/computed.json"
	measuredFile = "data/results/measured.json"
	pageFile     = "data/results/README.md"
)

// The page's tables are those of these figures. What doesn't depend on the
// machine is worked out again here, the long ones with ENDWISE_DEEP=1; with
// -update the files are written.
func TestResultsAreUpToDate(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	read := func(file string) string { return string(testenv.ReadFile(t, filepath.Join(root, file))) }
	var old computed
	var records []measured
	for file, into := range map[string]any{computedFile: &old, measuredFile: &records} {
		d := json.NewDecoder(strings.NewReader(read(file)))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	now := compute(t, old, testenv.Deep())
	text, err := json.MarshalIndent(now, "", "  ")
	testenv.OK(t, err)
	page, err := fillBlocks(read(pageFile), blocks(now, records))
	if err != nil {
		t.Fatalf("%s: %v", pageFile, err)
	}
	for file, want := range map[string]string{computedFile: string(text) + "\n", pageFile: page} {
		switch {
		case read(file) == want:
		case !*update:
			t.Errorf("%s is out of date: go test -run TestResultsAreUpToDate ./cmd/endwise -update, with ENDWISE_DEEP=1 where a search has changed", file)
		default:
			testenv.OK(t, os.WriteFile(filepath.Join(root, file), []byte(want), 0o644))
		}
	}
}

// longWork is how many positions searched are too many for a board's value to be
// worked out each time.
const longWork = 420_000

// compute works the figures of old out anew; long ones only on demand.
func compute(t *testing.T, old computed, long bool) (now computed) {
	t.Helper()
	for _, v := range old.Values {
		if long || v.Work < longWork {
			r := solveEmpty(t, v.Title, v.Board)
			v.Value, v.Work = r.Lower, r.Nodes
		}
		now.Values = append(now.Values, v)
	}
	for _, g := range cli.Games {
		for _, s := range g.Starters {
			command := append([]string{"solve", g.Name()}, s.Flags...)
			line := "endwise " + strings.Join(command, " ")
			i := slices.IndexFunc(old.Tables, func(o computedTable) bool { return o.Command == line })
			if i >= 0 && !long { // TestScripts and endwise build solve it too
				now.Tables = append(now.Tables, old.Tables[i])
				continue
			}
			now.Tables = append(now.Tables, computeTable(t, command))
		}
	}
	return now
}

// solveEmpty solves an empty board on one thread.
func solveEmpty(t *testing.T, title, board string) (r solver.Result) {
	t.Helper()
	b := enginetest.Board(t, board)
	var err error
	if title == (circuitwars.Game{}).Title() {
		r, err = cwexact.New(cwexact.Options{Threads: 1}).Value(t.Context(), b, b.All())
	} else {
		s := dabexact.New(dabexact.Options{Threads: 1, TableBytes: 256 << 20})
		s.Warm()
		r, err = s.Value(t.Context(), b, b.All())
	}
	if err != nil || !r.Exact() {
		t.Fatalf("value of %s %s: %v: %v", title, board, r, err)
	}
	return r
}

// computeTable solves a starter table.
func computeTable(t *testing.T, command []string) computedTable {
	t.Helper()
	dir := t.TempDir()
	if code, _, errs := endwise(t, append(command, "--store", dir)...); code != exitOK {
		t.Fatal(errs)
	}
	list, err := store.List(dir)
	testenv.OK(t, err)
	c := computedTable{Command: "endwise " + strings.Join(command, " ")}
	// The last one is the largest, where a command makes several.
	for _, l := range list {
		if l.Header != nil && l.Header.Positions >= c.Positions {
			c.Positions, c.SHA256 = l.Header.Positions, l.Header.SHA256
		}
	}
	if c.SHA256 == "" {
		t.Fatalf("%s: no table", c.Command)
	}
	return c
}

// blocks are the page's tables by name.
func blocks(c computed, records []measured) map[string]string {
	out := map[string]string{}
	var b strings.Builder
	b.WriteString("| empty board | value for the side to move | positions searched |\n|---|---|---|\n")
	for _, v := range c.Values {
		fmt.Fprintf(&b, "| %s %s | %s | %s |\n", v.Title, v.Board, answer.Signed(v.Value), thousands(v.Work))
	}
	out["values"] = b.String()
	b.Reset()
	b.WriteString("| table | positions | SHA-256 begins with |\n|---|---|---|\n")
	for _, t := range c.Tables {
		fmt.Fprintf(&b, "| `%s` | %s | `%.16s` |\n", t.Command, thousands(t.Positions), t.SHA256)
	}
	out["tables"] = b.String()
	for _, r := range records {
		if out[r.Block] == "" {
			out[r.Block] = "| what | figure | how |\n|---|---|---|\n"
		}
		figure := strings.TrimSpace(r.Figure + " " + r.Unit)
		if r.Error != "" {
			figure += " (" + r.Error + ")"
		}
		how := fmt.Sprintf("%s, %s, %s", r.Date, r.Machine, r.Load)
		if r.Command != "" {
			how = "`" + r.Command + "`; " + how
		}
		out[r.Block] += fmt.Sprintf("| %s | %s | %s |\n", r.What, figure, how)
	}
	return out
}

// thousands writes a number with commas.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// place is where the page has a table, between markers.
var place = regexp.MustCompile(`(?s)(<!-- results:([^ ]+) -->\n).*?(<!-- /results -->)`)

// fillBlocks writes the tables between their markers. Every table has to have one
// place, and every place a table.
func fillBlocks(page string, tables map[string]string) (string, error) {
	places := map[string]int{}
	page = place.ReplaceAllStringFunc(page, func(old string) string {
		m := place.FindStringSubmatch(old)
		places[m[2]]++
		return m[1] + tables[m[2]] + m[3]
	})
	for name := range tables {
		if places[name] != 1 {
			return "", fmt.Errorf("%d places for the results %q: want one", places[name], name)
		}
	}
	if len(places) != len(tables) || strings.Count(page, "<!-- results:") != len(tables) {
		return "", fmt.Errorf("places for other results than these: %v", slices.Sorted(maps.Keys(tables)))
	}
	return page, nil
}

// A page with a marker that is missing, damaged, unknown or there twice is refused.
func TestFillBlocks(t *testing.T) {
	tables := map[string]string{"a": "new\n"}
	const page = "text\n<!-- results:a -->\nold\n<!-- /results -->\nmore\n"
	got, err := fillBlocks(page, tables)
	if want := strings.Replace(page, "old", "new", 1); err != nil || got != want {
		t.Errorf("%v: %q, want %q", err, got, want)
	}
	for name, page := range map[string]string{
		"no place":  "text\n",
		"no end":    "<!-- results:a -->\nold\n",
		"unknown":   "<!-- results:b -->\n<!-- /results -->\n",
		"twice":     page + page,
		"no marker": "<!-- results:a\n",
	} {
		if got, err := fillBlocks(page, tables); err == nil {
			t.Errorf("%s: no error, but %q", name, got)
		}
	}
}

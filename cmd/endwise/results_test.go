package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"endwise/book/store"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver"
	cwexact "endwise/solver/circuitwars/exact"
	dabexact "endwise/solver/dotsandboxes/exact"
)

// The rows of data/results/README.md that do not depend on the machine: values of empty
// boards, and starter tables.
var (
	valueRow = regexp.MustCompile(`(?m)^\| ([A-Z][A-Za-z ]+) (\d+x\d+) \| ([-+\d]+) \| ([\d,]+) \|$`)
	tableRow = regexp.MustCompile("(?m)^\\| `endwise (solve [^`]+)` \\| ([\\d,]+) \\| `([0-9a-f]{16})` \\|$")
)

// longWork is the number of positions searched above which a value is recomputed with
// ENDWISE_DEEP=1 only.
const longWork = 420_000

// The published results that do not depend on the machine are recomputed.
func TestResultsAreUpToDate(t *testing.T) {
	t.Parallel()
	const file = "data/results/README.md"
	text := string(testenv.ReadFile(t, filepath.Join("..", "..", file)))
	values := valueRow.FindAllStringSubmatch(text, -1)
	if len(values) < 11 {
		t.Errorf("%s: only %d values of empty boards", file, len(values))
	}
	for _, row := range values {
		work, err := strconv.Atoi(strings.ReplaceAll(row[4], ",", ""))
		testenv.OK(t, err)
		if work > longWork && !testenv.Deep() {
			continue
		}
		r := solveEmpty(t, row[1], row[2])
		if want := fmt.Sprintf("| %s %s | %s | %s |", row[1], row[2], answer.Signed(r.Lower), thousands(r.Nodes)); row[0] != want {
			t.Errorf("%s: %s: want\n%s", file, row[0], want)
		}
	}
	tables := map[string]string{}
	for _, row := range tableRow.FindAllStringSubmatch(text, -1) {
		tables[row[1]] = row[0]
	}
	for _, g := range games() {
		for _, s := range g.Starters {
			command := append([]string{"solve", g.Name()}, s.Flags...)
			row := tables[strings.Join(command, " ")]
			if row == "" {
				t.Errorf("%s: no row for the table of %s", file, command)
			} else if testenv.Deep() {
				if want := solveTable(t, command); row != want {
					t.Errorf("%s: %s: want\n%s", file, row, want)
				}
			}
		}
	}
}

// solveEmpty solves an empty board with one thread.
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

// solveTable runs a solve command and returns its row.
func solveTable(t *testing.T, command []string) string {
	t.Helper()
	dir := t.TempDir()
	if code, _, errs := endwise(t, append(command, "--store", dir)...); code != exitOK {
		t.Fatal(errs)
	}
	list, err := store.List(dir)
	testenv.OK(t, err)
	var largest store.Header // a command may write several tables
	for _, l := range list {
		if l.Header != nil && l.Header.Positions >= largest.Positions {
			largest = *l.Header
		}
	}
	return fmt.Sprintf("| `endwise %s` | %s | `%.16s` |", strings.Join(command, " "), thousands(largest.Positions), largest.SHA256)
}

// thousands writes a number with commas.
func thousands(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

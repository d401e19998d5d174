package main

import (
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"endwise/book/store"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine/testenv"
)

// tableRow is a row of data/results/README.md that does not depend on the machine: the
// table of a starter.
var tableRow = regexp.MustCompile("(?m)^\\| `endwise (solve [^`]+)` \\| ([\\d,]+) \\| `([0-9a-f]{16})` \\|$")

// longWork is the number of positions searched above which a value is recomputed with
// ENDWISE_DEEP=1 only.
const longWork = 60_000

// tooLong is the number of positions searched above which a value is not recomputed, because
// that takes an hour or more.
const tooLong = 100_000_000

// The values of data/results/values.csv are proved again by their commands, with the same
// work and the same journal; with ENDWISE_DEEP=1 also in the second order.
func TestValuesAreUpToDate(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join("..", "..", "data/results/values.csv"))
	testenv.OK(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	testenv.OK(t, err)
	names := rows[0]
	again := 0
	listed := map[string]bool{}
	for _, fields := range rows[1:] {
		row := map[string]string{}
		for i, name := range names {
			row[name] = fields[i]
		}
		wanted := "endwise solve " + row["game"] + " --board " + row["board"] + " --value"
		if start := row["start"]; start != "" && start != "american" {
			wanted += " --threads 1 --start " + start
		}
		if listed[wanted] || !strings.HasPrefix(row["command"]+" ", wanted+" ") {
			t.Errorf("%q: want one row whose command begins with %q", fields, wanted)
		}
		listed[wanted] = true
		work, err := strconv.ParseUint(row["positions"], 10, 64)
		testenv.OK(t, err)
		if work > longWork && !testenv.Deep() || work > tooLong {
			continue
		}
		again++
		dir := t.TempDir()
		command := append(strings.Fields(row["command"])[1:], "--store", dir)
		code, out, errs := endwise(t, command...)
		if code != exitOK {
			t.Fatalf("%s: %s", row["command"], errs)
		}
		value, err := strconv.Atoi(row["value"])
		testenv.OK(t, err)
		proved := fmt.Sprintf(": %s for player 1, proved. %s with best play.\n", answer.Signed(value), row["result"])
		if searched := answer.Count(int(work), "position") + " searched in "; !strings.Contains(out, proved) || work > 0 && !strings.Contains(out, searched) {
			t.Errorf("%s: want %q and %q:\n%s", row["command"], proved, searched, out)
		}
		if journals, err := filepath.Glob(filepath.Join(dir, "*.journal")); err != nil {
			t.Fatal(err)
		} else if len(journals) > 0 {
			if sum := fmt.Sprintf("%x", sha256.Sum256(testenv.ReadFile(t, journals[0])))[:16]; sum != row["digest"] {
				t.Errorf("%s: digest %s, want %s", row["command"], sum, row["digest"])
			}
			if !strings.Contains(out, "\ndigest "+row["digest"]+" of "+journals[0]+"\n") {
				t.Errorf("%s prints no digest:\n%s", row["command"], out)
			}
		}
		if !testenv.Deep() {
			continue
		}
		if _, out, errs = endwise(t, append(command, "--order", "2")...); !strings.Contains(out, proved) {
			t.Errorf("%s --order 2: want %q: %s%s", row["command"], proved, out, errs)
		}
	}
	if again < 30 {
		t.Errorf("only %d values are recomputed", again)
	}
}

// The tables of the starters in data/results/README.md are recomputed with ENDWISE_DEEP=1.
func TestResultsAreUpToDate(t *testing.T) {
	t.Parallel()
	const file = "data/results/README.md"
	text := string(testenv.ReadFile(t, filepath.Join("..", "..", file)))
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

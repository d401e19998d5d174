package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"endwise/solver/farm"
)

// A table that is too wide loses its optional columns, and then becomes paragraphs.
func TestTableFits(t *testing.T) {
	table := NewTable("name", ">games", "kind", "remark")
	table.Optional("kind", "remark")
	table.Row("", "ann", "12", "level", "of the first group")
	table.Row("", ">artholomew", "3", "", "")
	for columns, want := range map[int]string{
		0: "name         games  kind   remark\n" +
			"ann             12  level  of the first group\n" +
			">artholomew      3\n",
		30: "name         games  kind\nann             12  level\n>artholomew      3\nno room for: remark\n",
		20: "name         games\nann             12\n>artholomew      3\nno room for: kind,\n  remark\n",
		17: "ann\n  games 12\n>artholomew\n  games 3\nno room for:\n  kind, remark\n",
	} {
		var b bytes.Buffer
		table.Write(&b, false, columns)
		if b.String() != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, b.String(), want)
		}
	}
}

// Text is wrapped at 80 columns, and earlier in a narrow terminal.
func TestWrapFits(t *testing.T) {
	text := strings.Repeat("words of some length ", 20)
	for columns, want := range map[int]int{0: 80, 40: 40, 80: 80, 200: 80} {
		longest := 0
		for line := range strings.Lines(Wrap(text, "  ", columns)) {
			longest = max(longest, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
		}
		if longest > want || longest < want-10 {
			t.Errorf("%d columns: a line of %d, want nearly %d", columns, longest, want)
		}
	}
}

// A percentage is not broken.
func TestWrapKeepsPercentages(t *testing.T) {
	if got, want := Wrap("accuracy 92.3 %, 100 % in all", "  ", 15), "accuracy\n  92.3 %, 100 %\n  in all"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A line that is too long for the terminal keeps its figures and its note.
func TestProgressLineFits(t *testing.T) {
	d := display{w: &bytes.Buffer{}, stage: farm.Snapshot{Stage: "value of 5x5", Unit: "positions", Began: start, Done: 1_234_567, Note: "between -3 and +5"}}
	if got, want := d.fitted(start.Add(72*time.Minute)), "1.2 M positions, for 1h12m (value of 5x5); between -3 and +5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.stage.Total = 9_876_543
	got := d.fitted(start.Add(72 * time.Minute))
	if n := utf8.RuneCountInString(got); n > 50 || !strings.HasPrefix(got, "1.2 M of 9.9 M positions") || !strings.Contains(got, "; betw") {
		t.Errorf("%q has %d characters", got, n)
	}
}

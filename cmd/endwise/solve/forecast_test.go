package solve

import (
	"fmt"
	"math"
	"testing"
	"time"

	"endwise/data"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
)

// A board of the list has its number of positions, turned or not; larger boards take more,
// each board more than a smaller one.
func TestForecastOfValues(t *testing.T) {
	for _, v := range data.Values() {
		b := enginetest.Board(t, v.Board)
		for _, b := range []*grid.Board{b, enginetest.Board(t, fmt.Sprintf("%dx%d", b.Cols, b.Rows))} {
			if got := ForecastValue(v.Game, v.Start, b); got != float64(max(v.Positions, 1)) {
				t.Errorf("%s %s %s: %.0f positions, want %d", v.Game, v.Start, b, got, v.Positions)
			}
		}
	}
	for _, game := range []string{"circuitwars", "dotsandboxes"} {
		start := map[string]string{"dotsandboxes": "american"}[game]
		least := 1e7
		for _, size := range []string{"4x5", "5x5", "6x6", "7x7"} {
			got := ForecastValue(game, start, enginetest.Board(t, size))
			if got <= 2*least {
				t.Errorf("%s %s: %.3g positions, a smaller board has %.3g", game, size, got, least)
			}
			least = got
		}
	}
	even := ForecastValue("dotsandboxes", "american", enginetest.Board(t, "1x22"))
	odd := ForecastValue("dotsandboxes", "american", enginetest.Board(t, "1x21"))
	if even < 5*odd {
		t.Errorf("1x22: %.3g positions, 1x21: %.3g; even strips take about ten times as many", even, odd)
	}
}

// A table that takes an hour wants --force.
func TestLongTableWantsForce(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		force bool
		want  string
	}{
		{59 * time.Minute, false, "<nil>"},
		{11 * time.Hour, true, "<nil>"},
		{11 * time.Hour, false, "4x4: a table of all positions would take about 11h and 4.0 GB of memory; " +
			"--value solves only the empty board, --force starts the table"},
	} {
		if got := fmt.Sprint(WantForce("4x4", c.takes, 4e9, c.force)); got != c.want {
			t.Errorf("%v: %s, want %s", c.takes, got, c.want)
		}
	}
}

func TestLongTime(t *testing.T) {
	for seconds, want := range map[float64]string{700_000: "8 days", 40_000_000: "1 year", 3e11: "9512 years", 1e20: "10^12 years"} {
		if got := longTime(seconds); got != want {
			t.Errorf("%g s: %q, want %q", seconds, got, want)
		}
	}
}

// The table has room for the positions of the search, and no more than asked for.
func TestTableBytes(t *testing.T) {
	for _, c := range []struct {
		hashMB    int
		positions float64
		want      int64
	}{
		{1024, 1, 16 << 20},
		{8, 1, 8 << 20},
		{1024, 1e6, 64 << 20},
		{1000, 1e9, 1000 << 20},
		{1024, math.Inf(1), 1024 << 20},
	} {
		if got := TableBytes(c.hashMB, c.positions); got != c.want {
			t.Errorf("TableBytes(%d, %g) = %d, want %d", c.hashMB, c.positions, got, c.want)
		}
	}
}

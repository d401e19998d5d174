package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"endwise/solver/farm"
)

// start is the time at which the work of all tests begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A display writes the expected lines at given times.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	d := &display{w: &out}
	after := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	// An earlier run did 5 million; the remaining time follows from the rate of this run,
	// 20,000 in 0.75 s.
	s := farm.Snapshot{Stage: "solve", Unit: "positions", Began: start, Before: 5_000_000, Total: 10_000_000}
	for i := 0; i <= 200; i++ {
		s.Done = 5_000_000 + uint64(i)*20_000
		d.draw(after(float64(i)*0.75), []farm.Snapshot{s})
	}
	// Two stages begin before the next call of draw, and the last one is stopped.
	s.Done = s.Total
	d.draw(after(151), []farm.Snapshot{s,
		{Stage: "store", Unit: "parts", Began: after(150.1), Done: 7, Total: 7},
		{Stage: "verify", Unit: "positions", Began: after(150.3), Total: 3},
	})
	d.endStage(after(152))
	want := `solve: 5.0 M of 10.0 M positions were done before
6.6 M of 10.0 M positions, 66 %, 2m8s left (solve)
8.2 M of 10.0 M positions, 82 %, 1m8s left (solve)
`
	got := out.String()
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant it to begin with\n%s", got, want)
	}
	if want := "solve: 5.0 M positions in 2m30s\nstore: 7 parts in 200ms\nverify: stopped at 0 of 3 positions after 1.7s\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant it to end with\n%s", got, want)
	}
}

// Slow work has a remaining time too, and a note follows the figures. Work without a total
// shows a count and the time so far, and is not finished if it is interrupted.
func TestProgressText(t *testing.T) {
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	for name, c := range map[string]struct {
		state  farm.Snapshot
		looks  int                          // number of draws, one per second
		done   func(look int) (done uint64) // nil if nothing is counted
		end    int                          // time in seconds at which the work ends, 0 for never
		failed bool
		want   string // the end of the text, or all of it if the work has no total
	}{
		"a game in 40 s": {farm.Snapshot{Stage: "games", Unit: "games", Total: 60, Note: "a leads"}, 1201,
			func(look int) uint64 { return uint64(look / 40) }, 0, false, "30 of 60 games, 50 %, 20m left (games); a leads\n"},
		"between games": {farm.Snapshot{Stage: "games", Unit: "games", Total: 60}, 241,
			func(look int) uint64 { return min(4, uint64(look/40)) }, 0, false, `1 of 60 games, 1 %, 39m left (games)
3 of 60 games, 5 %, 38m left (games)
4 of 60 games, 6 %, 37m left (games)
4 of 60 games, 6 %, 36m40s left (games)
`},
		"no total": {farm.Snapshot{Stage: "value", Unit: "positions", Before: 40}, 131, func(look int) uint64 { return 40 + uint64(20*look) }, 131, false,
			"value: 40 positions were done before\n1240 positions, for 1m (value)\n2440 positions, for 2m (value)\nvalue: 2600 positions in 2m11s\n"},
		"no count": {farm.Snapshot{Stage: "value", Unit: "positions"}, 61, nil, 0, false, "for 1m (value)\n"},
		"a forecast": {farm.Snapshot{Stage: "value", Unit: "positions", Total: 3000, About: true}, 121, func(look int) uint64 { return uint64(30 * look) }, 121, true,
			"1800 of about 3000 positions, 60 %, 40s left (value)\n3600 positions, for 2m (value)\nvalue: stopped at 3600 positions after 2m1s\n"},
		"short of the forecast": {farm.Snapshot{Stage: "value", Unit: "positions", Total: 3000, About: true}, 2, func(look int) uint64 { return uint64(30 * look) }, 2, false,
			"value: 30 positions in 2s\n"},
		"stopped before the forecast": {farm.Snapshot{Stage: "value", Unit: "positions", Total: 3000, About: true}, 2, func(look int) uint64 { return uint64(30 * look) }, 2, true,
			"value: stopped at 30 of about 3000 positions after 2s\n"},
		"not counted": {farm.Snapshot{Stage: "value", Unit: "positions"}, 1, nil, 1, false, "value: done in 1s\n"},
		"interrupted": {farm.Snapshot{Stage: "value", Unit: "positions"}, 1, func(int) uint64 { return 40 }, 1, true,
			"value: stopped at 40 positions after 1s\n"},
	} {
		var out bytes.Buffer
		d := &display{w: &out, failed: c.failed}
		c.state.Began = start
		for look := range c.looks {
			if c.done != nil {
				c.state.Done = c.done(look)
			}
			d.draw(at(look), []farm.Snapshot{c.state})
		}
		if c.end > 0 {
			d.endStage(at(c.end))
		}
		if got := out.String(); !strings.HasSuffix(got, c.want) || (c.state.Total == 0 || c.state.About) && got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// On a terminal, one line with a bar is redrawn, and cleared at the end.
func TestProgressOnATerminal(t *testing.T) {
	var out bytes.Buffer
	d := &display{w: &out, terminal: true}
	s := farm.Snapshot{Stage: "solve", Unit: "positions", Began: start, Total: 4}
	for i := range 3 {
		s.Done = uint64(i)
		d.draw(start.Add(time.Duration(i)*time.Second), []farm.Snapshot{s})
	}
	s.Done = 4
	d.draw(start.Add(4*time.Second), []farm.Snapshot{s})
	d.endStage(start.Add(4 * time.Second))
	got := out.String()
	for _, want := range []string{"\r0 of 4 positions (solve)   0% |      ", "\r1 of 4 positions, 3s left (solve)  25% |████    ", "\r2 of 4 positions, 2s left (solve)  50% |████████  "} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%q\nwant it to contain\n%q", got, want)
		}
	}
	if end := "\x1b[2K\rsolve: 4 positions in 4s\n"; !strings.HasSuffix(got, end) || strings.Count(got, "\n") != 1 {
		t.Errorf("got\n%q\nwant it to end with the only line\n%q", got, end)
	}
}

func TestAmounts(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 9999: "9999", 12345: "12.3 k", 123456: "123 k", 134217728: "134 M", 2147483648: "2.1 G", 99_960: "100 k", 999_600: "1.0 M"} {
		if got := Amount(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 1500 * time.Microsecond: "2ms", 9640 * time.Millisecond: "9.6s", time.Minute: "1m", 70 * time.Second: "1m10s",
		time.Hour: "1h", 20*time.Hour + 10*time.Minute: "20h10m", time.Hour + time.Second: "1h0m1s", time.Minute - time.Millisecond: "1m",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestClipTo(t *testing.T) {
	for in, want := range map[string]string{"short": "short", "ein längerer Text als zwanzig": "ein längerer Text a…"} {
		if got := clipTo(in, 5); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// After the end of a stage without a total nothing draws on the terminal any more.
func TestProgressEnds(t *testing.T) {
	d := &display{w: new(bytes.Buffer), terminal: true}
	d.draw(start, []farm.Snapshot{{Stage: "search", Began: start}})
	d.endStage(start.Add(time.Second))
	goleak.VerifyNone(t)
}

// A forecast total gives a remaining time only after a thousandth of it.
func TestRemainingTimeOfForecastWaits(t *testing.T) {
	now := time.Now()
	for done, want := range map[uint64]bool{3999: false, 4000: true} {
		s := farm.Snapshot{Stage: "value", Unit: "positions", Began: now.Add(-time.Minute), Done: done, Total: 4_000_000, About: true}
		if line := ProgressLine(s, now); strings.Contains(line, " left") != want {
			t.Errorf("%d positions: %s", done, line)
		}
	}
}

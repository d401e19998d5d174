package cli

import (
	"bytes"
	"testing"
	"time"

	"endwise/solver/farm"
)

// Work whose end nobody knows is not called finished when it was interrupted.
func TestProgressOfInterruptedWork(t *testing.T) {
	var out bytes.Buffer
	d := &progressDisplay{w: &out}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.draw(start, []farm.Snapshot{{Stage: "value", Unit: "answers", Began: start, Done: 40}})
	d.failed = true
	d.end(start.Add(time.Second))
	if want := "value: stopped at 40 answers after 1s\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

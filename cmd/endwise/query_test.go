package main

import (
	"testing"
	"time"

	"endwise/engine"
)

// More time is advised if a search used what it had.
func TestUnproved(t *testing.T) {
	const not, bound, more = "not proved", "the bound is proved, the value is not", "; more time may prove it: --time "
	for _, c := range []struct {
		proof          engine.Proof
		elapsed, limit time.Duration
		want           string
	}{
		{engine.Exact, 2800 * time.Millisecond, 3 * time.Second, ""},
		{engine.Estimate, 2800 * time.Millisecond, 3 * time.Second, not + more + "1m0s\n"},
		{engine.Estimate, 1300 * time.Millisecond, 3 * time.Second, not + more + "1m0s\n"},
		{engine.Lower, 60 * time.Second, 61 * time.Second, bound + more + "10m10s\n"},
		{engine.Upper, 5 * time.Minute, 6 * time.Minute, bound + more + "1h0m0s\n"},
		{engine.Estimate, 44 * time.Millisecond, 3 * time.Second, not + "\n"},
		{engine.Upper, 44 * time.Millisecond, 61 * time.Second, bound + "\n"},
	} {
		if got := unproved(engine.Decision{Proof: c.proof, Elapsed: c.elapsed}, c.limit); got != c.want {
			t.Errorf("%v after %v of %v: %q, want %q", c.proof, c.elapsed, c.limit, got, c.want)
		}
	}
}

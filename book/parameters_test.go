package book

import (
	"errors"
	"strings"
	"testing"
	"time"

	"endwise/engine/circuitwars"
)

// Parameters of a request are read, missing ones have their defaults, and others are refused
// with what is wanted.
func TestReadQuestion(t *testing.T) {
	const most = time.Minute
	for _, c := range []struct {
		params    string // name=value, separated by &
		limit     time.Duration
		all, play bool
		want      string // of the error
	}{
		{"", time.Second, false, false, ""},
		{"time=1ns", 1, false, false, ""},
		{"time=500ms&moves=all&play=true", 500 * time.Millisecond, true, true, ""},
		{"time=1m&moves=best&play=false", most, false, false, ""},
		{"time=1m1ns", 0, false, false, "time=1m1ns: want a time above 0 and up to 1m0s, for instance 500ms"},
		{"time=0s", 0, false, false, "time=0s: want"},
		{"time=-1s", 0, false, false, "time=-1s: want"},
		{"time=5", 0, false, false, "time=5: want"},
		{"moves=some", 0, false, false, "moves=some: want all or best"},
		{"play=yes", 0, false, false, "play=yes: want true or false"},
		{"time=x&moves=y&play=z", 0, false, false, "time=x: want"}, // the first one
	} {
		params := func(name string) string {
			for p := range strings.SplitSeq(c.params, "&") {
				if value, ok := strings.CutPrefix(p, name+"="); ok {
					return value
				}
			}
			return ""
		}
		_, limit, _ := ReadOptions(params, most)
		q, err := ReadQuestion(circuitwars.Game{}, "2x3", params, most)
		switch {
		case c.want != "":
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.params, err, c.want)
			}
		case err != nil || limit != c.limit || q.AllMoves != c.all || q.Play != c.play || q.Position.String() != "2x3:00000:0-0:1":
			t.Errorf("%s: %v, %+v, %v", c.params, limit, q, err)
		default:
			if left, limited := q.Clock.Remaining(); !limited || left > c.limit {
				t.Errorf("%s: the clock has %v", c.params, left)
			}
		}
	}
	none := func(string) string { return "" }
	if _, err := ReadQuestion(circuitwars.Game{}, " \n", none, most); !errors.Is(err, ErrNoPosition) {
		t.Errorf("no position: %v", err)
	}
	if _, err := ReadQuestion(circuitwars.Game{}, "2x3 oops", none, most); err == nil || errors.Is(err, ErrNoPosition) {
		t.Errorf("a wrong position: %v", err)
	}
}

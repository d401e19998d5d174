package match

import (
	"context"
	"os"
	"testing"
	"time"

	"endwise/engine"
	circuit "endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// A player's option time is a limit: the match's time cannot extend it, and it cannot
// extend the match's.
func TestOwnTimeIsLimit(t *testing.T) {
	match := engine.ClockFor(time.Hour)
	for own, want := range map[time.Duration]time.Duration{0: time.Hour, time.Minute: time.Minute, 2 * time.Hour: time.Hour} {
		c := (&lookupPool{moveTime: own}).clock(match)
		if c.MoveTime != want || time.Until(c.Deadline) > want {
			t.Errorf("time=%v: %v to move until %v from now, want %v", own, c.MoveTime, time.Until(c.Deadline), want)
		}
	}
	if c := (&lookupPool{moveTime: time.Minute}).clock(engine.Clock{}); c.MoveTime != time.Minute || time.Until(c.Deadline) > time.Minute {
		t.Errorf("without a limit of the match: %v to move", c.MoveTime)
	}
}

// lateSearch reports a move and then searches until it is stopped.
type lateSearch struct{ stopped int }

func (*lateSearch) Name() string { return "late" }

func (*lateSearch) Choose(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
	return engine.Decision{}, context.DeadlineExceeded
}

func (l *lateSearch) ChooseImproving(ctx context.Context, p engine.Position, _ engine.Clock, improved func(engine.Decision)) (engine.Decision, error) {
	improved(engine.Decision{Move: p.MoveString(p.Moves()[0])})
	<-ctx.Done()
	l.stopped++
	return engine.Decision{}, ctx.Err()
}

// A player whose search is late plays the best move so far, as a bot does, and the search has
// returned before the next one begins.
func TestLateSearchKeepsItsMove(t *testing.T) {
	p, err := (circuit.Game{}).Start("1x2")
	testenv.OK(t, err)
	search := &lateSearch{}
	player := &pooledPlayer{Player: search, pool: &lookupPool{}}
	for n := range 3 {
		d, err := player.Choose(t.Context(), p, engine.ClockFor(100*time.Millisecond))
		if err != nil || d.Move != p.MoveString(p.Moves()[0]) {
			t.Errorf("%v, %v", d, err)
		}
		if player.wait(); search.stopped != n+1 || !player.broken {
			t.Errorf("%d searches have ended, want %d; broken %v", search.stopped, n+1, player.broken)
		}
	}
}

func TestDefaultName(t *testing.T) {
	for spec, want := range map[string]string{
		"endwise:threads=2":             "endwise",
		"cmd:python3 ./my bot/a.py":     "a_py",
		"cmd:":                          "cmd",
		"cmd:./":                        "player",
		"ws://127.0.0.1:8089":           "port8089",
		"ws://[::1]:8089":               "port8089",
		"ws://lab.example:8089":         "lab_example_8089",
		"ws://127.0.0.1:8088/agent/top": "top",
	} {
		if got := defaultName(spec); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
}

// A script that an interpreter would not find is an error; other command lines are left to the
// shell.
func TestMissingScript(t *testing.T) {
	t.Chdir(t.TempDir())
	testenv.OK(t, os.WriteFile("anna bot.py", nil, 0o644))
	for command, want := range map[string]string{
		"python3 gone.py --fast":              "gone.py: no such file",
		"/usr/bin/python3.12 -u -O ./gone.py": "./gone.py: no such file",
		"python3 anna bot.py --fast":          `anna: no such file; write "anna bot.py" in quotes`,
		`python3 "anna bot.py"`:               "",
		"python3 -m gone.py":                  "",
		"python3 -c print(1)":                 "",
		"bash -lc ./gone.sh":                  "",
		"node bot":                            "",
		"cd bots && python3 gone.py":          "",
		"python3 $BOT.py":                     "",
		"./python3x gone.py":                  "",
	} {
		got := ""
		if err := missingScript(command); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

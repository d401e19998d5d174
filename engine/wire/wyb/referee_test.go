package wyb

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

var (
	_ arena.Observer = (*Human)(nil)
	_ arena.Timed    = (*Human)(nil)
)

// participant returns a participant that plays one game as the given player.
func participant(p engine.Player) arena.Participant {
	return arena.Participant{Name: p.Name(), Open: func(context.Context, arena.Setup) (engine.Player, error) { return p, nil }}
}

func level(t *testing.T, name string) arena.Participant {
	t.Helper()
	l, err := levels.NewWatchYourBack(name, 1)
	testenv.OK(t, err)
	return participant(&Local{Player: l})
}

// script returns a player that plays the given moves.
func script(moves []engine.Move) engine.Player {
	return enginetest.PlayerFunc(func(_ context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
		p := pos.(watchyourback.Position)
		i := p.Turns()
		if p.Phase() == watchyourback.Moving {
			i += watchyourback.PlacingTurns
		}
		if i >= len(moves) {
			return engine.Decision{}, errors.New("the script is at its end")
		}
		return engine.Decision{Move: p.MoveString(moves[i])}, nil
	})
}

// recording reads the recorded session: its lines, and the moves between its boards.
func recording(t *testing.T) (lines []string, moves []engine.Move) {
	t.Helper()
	text := testenv.ReadFile(t, enginetest.Recorded(t, "transcripts", "watchyourback-txt"))
	lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	p := watchyourback.New(true)
	first := true
	for i, l := range lines {
		if !strings.HasSuffix(l, " phase") && l != "game over!" {
			continue
		}
		if first {
			first = false
			continue
		}
		board := strings.Join(lines[i-8:i], "\n") + "\n"
		for _, m := range p.Moves() {
			if q := p.Next(m); q.Board() == board {
				moves, p = append(moves, m), q
				break
			}
		}
	}
	return lines, moves
}

var numbers = regexp.MustCompile(`[0-9]+\.[0-9]+`)

// The recorded game gives the recorded output, except for the banner, measured numbers and
// the output of a player.
func TestRecordedSession(t *testing.T) {
	lines, moves := recording(t)
	var out bytes.Buffer
	s := script(moves)
	res, err := Referee{Out: &out, Strict: true}.Play(t.Context(), participant(&Local{Player: s}), participant(&Local{Player: s}), 1)
	testenv.OK(t, err)
	normal := func(l string) string {
		if strings.HasPrefix(l, "time: ") || strings.HasPrefix(l, "space: ") {
			l = numbers.ReplaceAllString(l, "N")
		}
		return l
	}
	var want []string
	for _, l := range lines[5:] {
		if !strings.HasPrefix(l, "best, ") {
			want = append(want, normal(l))
		}
	}
	var got []string
	for _, l := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		got = append(got, normal(l))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := strings.Count(Banner, "\n"); n != 5 {
		t.Errorf("the banner has %d lines, the real one 5", n)
	}
	if res.Winner != engine.Second || res.Forfeited() || len(res.Moves) != 158 {
		t.Errorf("%+v", res)
	}
}

func TestLevels(t *testing.T) {
	for _, white := range levels.WatchYourBackNames() {
		res, err := Referee{}.Play(t.Context(), level(t, white), level(t, "random"), 1)
		if err != nil || res.Forfeited() || !res.Last.Over() {
			t.Errorf("%s: %+v, %v", white, res, err)
		}
	}
}

func TestMaxTurns(t *testing.T) {
	var out bytes.Buffer
	res, err := Referee{MaxTurns: 7, Out: &out}.Play(t.Context(), level(t, "mirror"), level(t, "mirror"), 1)
	if err != nil || res.Winner != engine.None || res.Last.Turns() != 7 || res.Why == "" {
		t.Errorf("%+v, %v", res, err)
	}
	if !strings.HasSuffix(out.String(), res.Why+"\nwinner: draw!\n") {
		t.Errorf("it ends with %q", out.String()[max(0, out.Len()-100):])
	}
}

// clockwatcher thinks until its context ends.
var clockwatcher = enginetest.PlayerFunc(func(ctx context.Context, _ engine.Position, _ engine.Clock) (engine.Decision, error) {
	<-ctx.Done()
	return engine.Decision{}, ctx.Err()
})

// A player in this process that hangs or panics does not stop the referee.
func TestLocalPlayers(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	deaf := enginetest.PlayerFunc(func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		<-release
		return engine.Decision{}, nil
	})
	panics := enginetest.PlayerFunc(func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) { panic("out of ideas") })
	look, err := levels.NewWatchYourBack("look-ahead", 1)
	testenv.OK(t, err)
	for _, c := range []struct {
		name  string
		white engine.Player
		want  string
	}{
		{"late", &Local{Player: clockwatcher}, "out of time: no move within 50ms"},
		{"deaf", &Local{Player: deaf}, "out of time: no move within 50ms"},
		{"panics", &Local{Player: panics}, "player failed: panic: out of ideas"},
		{"processor time", &Local{Player: look, Limits: Limits{CPU: time.Microsecond}}, "out of time: "},
		{"memory", &Local{Player: look, Limits: Limits{Space: 1}}, "out of memory: "},
	} {
		var out bytes.Buffer
		r := Referee{Out: &out, Answer: 50 * time.Millisecond}
		if c.white.(*Local).Limits != (Limits{}) {
			r.Answer = 0 // a busy machine may take longer
		}
		res, err := r.Play(t.Context(), participant(c.white), level(t, "random"), 1)
		if err != nil || res.Winner != engine.Second || !strings.HasPrefix(res.Why, c.want) {
			t.Errorf("%s: %+v, %v, want %q", c.name, res, err, c.want)
		}
		if end := strings.Replace(res.Why, ":", " (W):", 1) + "\nwinner: B!\n"; !strings.HasSuffix(out.String(), end) {
			t.Errorf("%s: it ends with %q, want %q", c.name, out.String()[max(0, out.Len()-150):], end)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := (Referee{}).Play(ctx, participant(&Local{Player: clockwatcher}), level(t, "random"), 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestHuman(t *testing.T) {
	var said bytes.Buffer
	h := &Human{In: bufio.NewReader(strings.NewReader("what\nhelp\n(0,0)\n(3,3)\nquit\nno more\n")), Out: &said, Side: engine.First}
	res, err := Referee{}.Play(t.Context(), participant(h), level(t, "random"), 1)
	if err != nil || !res.Forfeited() || res.Winner != engine.Second || len(res.Moves) != 2 {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, want := range []string{`action "what\n": want (x,y)`, "an action, for instance (", "(0,0) is a corner", "the opponent played ("} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is missing in %q", want, said.String())
		}
	}
	if want := "player failed: white gave up"; res.Why != want {
		t.Errorf("%q, want %q", res.Why, want)
	}
}

package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// asked is a player made of functions.
type asked struct {
	choose func(context.Context) (string, error)
	ponder func(context.Context)
}

func (asked) Name() string { return "asked" }

func (a asked) Choose(ctx context.Context, _ engine.Position, _ engine.Clock) (engine.Decision, error) {
	m, err := a.choose(ctx)
	return engine.Decision{Move: m}, err
}

func (a asked) Ponder(ctx context.Context, _ engine.Position) { a.ponder(ctx) }

// A player that returns during the next turn does not replace that turn's decision.
func TestSoFarKeepsTheLaterTurn(t *testing.T) {
	first, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	second, err := engine.PlayText(first, "0,0,top")
	testenv.OK(t, err)
	var soFar engine.SoFar
	release := make(chan struct{})
	late := engine.Ask(t.Context(), asked{choose: func(context.Context) (string, error) { <-release; return "0,0,top", nil }}, first, engine.Clock{}, &soFar)
	<-engine.Ask(t.Context(), asked{choose: func(context.Context) (string, error) { return "1,1,top", nil }}, second, engine.Clock{}, &soFar).Answer
	close(release)
	<-late.Returned
	if d, _, ok := soFar.Move(second); !ok || d.Move != "1,1,top" {
		t.Errorf("%+v, %v", d, ok)
	}
}

// For any behaviour of the player there is one answer.
func TestAsk(t *testing.T) {
	p, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	top, err := p.ParseMove("1,1,top")
	testenv.OK(t, err)
	failure := errors.New("no idea")
	bad := new(engine.MoveError)
	for _, c := range []struct {
		name   string
		choose func(context.Context) (string, error)
		right  func(engine.Answer) bool
	}{
		{"a move", func(context.Context) (string, error) { return "1,1,top", nil },
			func(a engine.Answer) bool { return a.Err == nil && a.Move == top && a.Decision.Move == "1,1,top" }},
		{"an error", func(context.Context) (string, error) { return "1,1,top", failure },
			func(a engine.Answer) bool { return a.Err == failure }},
		{"a panic", func(context.Context) (string, error) { panic("out of luck") },
			func(a engine.Answer) bool { return a.Err != nil && a.Err.Error() == "panic: out of luck" }},
		{"nonsense", func(context.Context) (string, error) { return "\x00", nil },
			func(a engine.Answer) bool { return errors.As(a.Err, &bad) && bad.Text == "\x00" }},
		{"off the board", func(context.Context) (string, error) { return "9,9,top", nil },
			func(a engine.Answer) bool { return errors.As(a.Err, &bad) && strings.Contains(a.Err.Error(), "9,9") }},
		{"after a second", func(context.Context) (string, error) { time.Sleep(time.Second); return "1,1,top", nil },
			func(a engine.Answer) bool { return a.Err == nil && a.Took == time.Second }},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := engine.Ask(t.Context(), asked{choose: c.choose}, p, engine.Clock{}, nil)
			if a := <-q.Answer; !c.right(a) {
				t.Errorf("%s: %+v", c.name, a)
			}
			<-q.Returned
		})
	}
}

// saying is a player that reports some moves and then returns its answer.
type saying struct {
	asked
	moves []string
}

func (s saying) ChooseImproving(ctx context.Context, p engine.Position, c engine.Clock, improved func(engine.Decision)) (engine.Decision, error) {
	for _, m := range s.moves {
		improved(engine.Decision{Move: m})
	}
	return s.Choose(ctx, p, c)
}

// If a player is late or its move is not legal, the last move that it reported is played
// while part of the reserve is left for delivery. The answer of a player that needs no time
// is used even if no time is left.
func TestAskInTime(t *testing.T) {
	const limit = time.Second
	p, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	answers := func(move string, after time.Duration) asked {
		return asked{choose: func(context.Context) (string, error) { time.Sleep(after); return move, nil }}
	}
	late := answers("0,0,left", time.Minute)
	for name, c := range map[string]struct {
		player engine.Player
		limit  time.Duration
		late   time.Duration // wake-up delay of the machine
		want   string
		after  time.Duration
	}{
		"in time":            {answers("0,0,left", 800*time.Millisecond), limit, 0, "0,0,left", 800 * time.Millisecond},
		"late":               {saying{late, []string{"0,0,top", "1,1,top"}}, limit, 0, "1,1,top", limit - engine.Reserve(limit, 0)*2/3},
		"on a busy machine":  {saying{late, []string{"1,1,top"}}, limit, 50 * time.Millisecond, "1,1,top", limit - engine.Reserve(limit, 50*time.Millisecond)*2/3},
		"names no legal one": {saying{late, []string{"0,0,top", "9,9,top"}}, limit, 0, "", limit - engine.Reserve(limit, 0)*2/3},
		"silent":             {late, limit, 0, "", limit - engine.Reserve(limit, 0)*2/3},
		"illegal":            {saying{answers("9,9,top", 0), []string{"1,1,top"}}, limit, 0, "1,1,top", 0},
		"no time left":       {answers("0,0,left", time.Millisecond), -limit, 0, "0,0,left", time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			wakeDelay := engine.NewWakeDelay(time.Sleep)
			for range 2 {
				time.Sleep(time.Second)
				wakeDelay.Note(c.late, time.Now())
			}
			begin := time.Now()
			a, returned, ok := engine.AskInTime(t.Context(), c.player, p, engine.Clock{Deadline: begin.Add(c.limit)}, new(engine.SoFar), wakeDelay)
			if took := time.Since(begin); ok != (c.want != "") || ok && a.Decision.Move != c.want || took < c.after || took > c.after+2*time.Millisecond {
				t.Errorf("%s: %+v, %v after %v, want %q after %v", name, a, ok, took, c.want, c.after)
			}
			<-returned
		})
	}
}

// If a player returns no answer, the line of its last proof is played as long as the
// opponent follows it.
func TestSoFarFollowsALine(t *testing.T) {
	start, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	line := []string{"0,0,top", "0,0,left", "1,1,bottom", "0,1,left", "1,1,right"}
	for _, c := range []struct {
		proof engine.Proof
		moves []string // moves already played
		want  string
	}{
		{engine.Exact, line[:2], line[2]},
		{engine.Lower, line[:2], line[2]},
		{engine.Exact, line[:4], line[4]},
		{engine.Exact, line, ""},
		{engine.Exact, []string{line[0], "1,0,bottom"}, ""},
		{engine.Exact, []string{line[1], line[0]}, line[2]}, // a transposition to the same position
		{engine.Upper, line[:2], ""},
		{engine.Estimate, line[:2], ""},
	} {
		var soFar engine.SoFar
		p := enginetest.PlayMoves(t, start, c.moves...)
		<-engine.Ask(t.Context(), decided{engine.Decision{Move: line[0], Proof: c.proof, Line: line}}, start, engine.Clock{}, &soFar).Answer
		a := <-engine.Ask(t.Context(), asked{choose: func(context.Context) (string, error) { panic("no") }}, p, engine.Clock{}, &soFar).Answer
		if d, m, ok := soFar.Move(p); a.Err == nil || ok != (c.want != "") || ok && (d.Move != c.want || d.Source != engine.Fallback || p.MoveString(m) != c.want) {
			t.Errorf("%v, %s: %+v, want %q", c.moves, c.proof, d, c.want)
		}
	}
}

// decided is a player with one decision.
type decided struct{ d engine.Decision }

func (decided) Name() string { return "decided" }

func (p decided) Choose(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
	return p.d, nil
}

// Pondering ends when it is stopped; a panic during it is returned as an error.
func TestPonder(t *testing.T) {
	p, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	inside := make(chan bool)
	stop := engine.StartPonder(t.Context(), asked{ponder: func(ctx context.Context) { inside <- true; <-ctx.Done(); panic("out of ideas") }}, p,
		func(err error) {
			if !strings.Contains(err.Error(), "out of ideas") {
				t.Error(err)
			}
			close(inside)
		})
	<-inside
	stop()
	if _, open := <-inside; open {
		t.Error("the panic was not reported")
	}
	if err := engine.Ponder(t.Context(), struct{ engine.Player }{}, p); err != nil {
		t.Errorf("a player that cannot ponder: %v", err)
	}
}

package book

import (
	"context"
	"errors"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// fixed answers everything with one move.
type fixed struct {
	name string
	move string
	wait func(context.Context)
}

func (f fixed) Name() string { return f.name }

func (f fixed) Improve(ctx context.Context, q *Question) (enough bool, err error) {
	if f.wait != nil {
		f.wait(ctx)
	}
	if f.move == "" {
		return false, nil
	}
	m, err := q.Position.ParseMove(f.move)
	if err == nil {
		q.Known.Estimate(f.name, 0, Guess{Move: m})
	}
	return true, err
}

func start(t *testing.T) engine.Position {
	t.Helper()
	p, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	return p
}

func TestWhatIsEnoughIsNotAskedFurther(t *testing.T) {
	l := &Lookup{Sources: []Source{fixed{name: "empty"}, fixed{name: "full", move: "0,0,top"}, fixed{name: "late", move: "1,1,top"}}}
	d, err := l.Decide(context.Background(), Question{Position: start(t)})
	if err != nil || d.Move != "0,0,top" || d.Source != "full" {
		t.Errorf("%+v, %v", d, err)
	}
	l.Sources = l.Sources[:1]
	if _, err := l.Decide(context.Background(), Question{Position: start(t)}); err == nil {
		t.Error("nobody knows, and there is no error")
	}
}

// A source that ignores its context must not cost the game.
func TestAnOverrunningSourceIsLeftBehind(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	l := &Lookup{
		Sources: []Source{fixed{name: "stuck", move: "0,0,top", wait: func(context.Context) { <-release }}},
		Instant: fixed{name: "instant", move: "1,1,top"},
	}
	d, err := l.Decide(context.Background(), Question{Position: start(t), Clock: engine.ClockFor(50 * time.Millisecond)})
	if err != nil || d.Source != "instant" {
		t.Errorf("%+v, %v", d, err)
	}
}

// cut gives up with its context's error.
type cut struct{ started chan struct{} }

func (cut) Name() string { return "table" }

func (c cut) Improve(ctx context.Context, _ *Question) (enough bool, err error) {
	close(c.started)
	<-ctx.Done()
	return false, ctx.Err()
}

// A source that gives up as its time ends costs no answer, unless it was the
// caller who ended it.
func TestASourceCutShortIsNoError(t *testing.T) {
	ask := func(ctx context.Context, source cut, limit time.Duration) (engine.Decision, error) {
		l := &Lookup{Sources: []Source{source}, Instant: fixed{name: "instant", move: "1,1,top"}}
		return l.Decide(ctx, Question{Position: start(t), Clock: engine.ClockFor(limit)})
	}
	if d, err := ask(context.Background(), cut{make(chan struct{})}, 50*time.Millisecond); err != nil || d.Source != "instant" {
		t.Errorf("%+v, %v", d, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	source := cut{make(chan struct{})}
	go func() {
		<-source.started
		cancel()
	}()
	if d, err := ask(ctx, source, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestSourcesSeeLessThanTheDeadline(t *testing.T) {
	deadline := time.Now().Add(time.Minute)
	var seen time.Time
	l := &Lookup{
		Sources: []Source{fixed{name: "s", move: "0,0,top", wait: func(ctx context.Context) { seen, _ = ctx.Deadline() }}},
		Instant: fixed{name: "instant", move: "1,1,top"},
	}
	if _, err := l.Decide(context.Background(), Question{Position: start(t), Clock: engine.Clock{Deadline: deadline}}); err != nil {
		t.Fatal(err)
	}
	if !seen.Before(deadline) {
		t.Errorf("the sources may think until %v, the deadline is %v", seen, deadline)
	}
}

func TestAFinishedGameHasNoMove(t *testing.T) {
	p, err := circuitwars.Parse("1x1:f:0-1:1:2")
	testenv.OK(t, err)
	l := &Lookup{Sources: []Source{fixed{name: "full", move: "0,0,top"}}}
	if d, err := l.Decide(context.Background(), Question{Position: p}); !errors.Is(err, engine.ErrGameOver) || d.Move != "" {
		t.Errorf("%+v, %v", d, err)
	}
}

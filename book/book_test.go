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

// source is a Source made of a function.
type source struct {
	name    string
	improve func(ctx context.Context, q *Question) (enough bool, err error)
}

func (s source) Name() string { return s.name }

func (s source) Improve(ctx context.Context, q *Question) (enough bool, err error) {
	return s.improve(ctx, q)
}

// fixed returns a source that chooses one move in every position.
func fixed(name, move string) source {
	return source{name, func(_ context.Context, q *Question) (enough bool, err error) {
		m, err := q.Position.ParseMove(move)
		if err == nil {
			q.Known.Estimate(name, 0, Estimate{Move: m})
		}
		return true, err
	}}
}

func start(t *testing.T) engine.Position {
	t.Helper()
	p, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	return p
}

func TestLookupStopsAtSufficientSource(t *testing.T) {
	empty := source{"empty", func(context.Context, *Question) (bool, error) { return false, nil }}
	l := &Lookup{Sources: []Source{empty, fixed("full", "0,0,top"), fixed("late", "1,1,top")}}
	d, err := l.Decide(context.Background(), Question{Position: start(t)})
	if err != nil || d.Move != "0,0,top" || d.Source != "full" {
		t.Errorf("%+v, %v", d, err)
	}
	l.Sources = l.Sources[:1]
	if _, err := l.Decide(context.Background(), Question{Position: start(t)}); err == nil {
		t.Error("no source has an answer, and there is no error")
	}
}

// A source that ignores its context must not cost the game.
func TestOverrunningSourceDoesNotDelayAnswer(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	l := &Lookup{
		Sources:   []Source{source{"stuck", func(context.Context, *Question) (bool, error) { <-release; return false, nil }}},
		Heuristic: fixed("heuristic", "1,1,top"),
	}
	d, err := l.Decide(context.Background(), Question{Position: start(t), Clock: engine.ClockFor(50 * time.Millisecond), Play: true})
	if err != nil || d.Source != "heuristic" {
		t.Errorf("%+v, %v", d, err)
	}
}

// A source that stops when its time ends is no error, unless the caller cancelled it.
func TestStoppedSourceIsNoError(t *testing.T) {
	ask := func(ctx context.Context, started func(), limit time.Duration) (engine.Decision, error) {
		cut := source{"table", func(ctx context.Context, _ *Question) (enough bool, err error) {
			started()
			<-ctx.Done()
			return false, ctx.Err()
		}}
		l := &Lookup{Sources: []Source{cut}, Heuristic: fixed("heuristic", "1,1,top")}
		return l.Decide(ctx, Question{Position: start(t), Clock: engine.ClockFor(limit), Play: true})
	}
	if d, err := ask(context.Background(), func() {}, 50*time.Millisecond); err != nil || d.Source != "heuristic" {
		t.Errorf("%+v, %v", d, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if d, err := ask(ctx, cancel, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestSourcesSeeLessThanTheDeadline(t *testing.T) {
	deadline := time.Now().Add(time.Minute)
	var seen time.Time
	l := &Lookup{
		Sources:   []Source{source{"s", func(ctx context.Context, _ *Question) (bool, error) { seen, _ = ctx.Deadline(); return false, nil }}},
		Heuristic: fixed("heuristic", "1,1,top"),
	}
	if _, err := l.Decide(context.Background(), Question{Position: start(t), Clock: engine.Clock{Deadline: deadline}}); err != nil {
		t.Fatal(err)
	}
	if !seen.Before(deadline) {
		t.Errorf("the sources may think until %v, the deadline is %v", seen, deadline)
	}
}

func TestFinishedGameHasNoMove(t *testing.T) {
	p, err := circuitwars.Parse("1x1:f:0-1:1:2")
	testenv.OK(t, err)
	l := &Lookup{Sources: []Source{fixed("full", "0,0,top")}}
	if d, err := l.Decide(context.Background(), Question{Position: p}); !errors.Is(err, engine.ErrGameOver) || d.Move != "" || d.Line == nil || d.Moves == nil { // null in JSON
		t.Errorf("%+v, %v", d, err)
	}
}

package book

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// After one short stop of the process the thinking time is as before. On a machine that
// always wakes the process late, each move's time is shortened by the delay once, and
// delays are forgotten within seconds, however many moves were made.
func TestThinkingTimeOnBusyMachine(t *testing.T) {
	const (
		ms       = time.Millisecond
		moveTime = 500 * ms
	)
	usual := moveTime - engine.Reserve(moveTime, 0)
	for name, c := range map[string]struct {
		late func(n int) time.Duration // recorded at the n-th move
		want func(n int) time.Duration // thinking time of that move
	}{
		"one stall at the fourth move": {
			func(n int) time.Duration { return map[int]time.Duration{4: 300 * ms}[n] },
			func(int) time.Duration { return usual },
		},
		"two stalls, in the fourth and the fifth second": {
			func(n int) time.Duration { return map[int]time.Duration{8: 300 * ms, 10: 60 * ms}[n] },
			func(n int) time.Duration {
				if n > 10 && n <= 29 {
					return moveTime - engine.Reserve(moveTime, 60*ms)
				}
				return usual
			},
		},
		"late by 20 ms at every move from the second on": {
			func(int) time.Duration { return 20 * ms },
			func(n int) time.Duration {
				if n <= 2 {
					return usual
				}
				return moveTime - engine.Reserve(moveTime, 20*ms)
			},
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			var thought []time.Duration
			thinker := source{"thinker", func(ctx context.Context, q *Question) (enough bool, err error) {
				begin := time.Now()
				<-ctx.Done()
				thought = append(thought, time.Since(begin))
				q.Known.Estimate("thinker", 1, Estimate{Move: q.Position.Moves()[0]})
				return false, nil
			}}
			l := &Lookup{Sources: []Source{thinker}, wakeDelay: engine.NewWakeDelay(time.Sleep)}
			p, err := dotsandboxes.Game{}.Start("")
			testenv.OK(t, err)
			for n := 1; n <= 40; n++ {
				begin := time.Now()
				if _, err := l.Decide(t.Context(), Question{Position: p, Clock: engine.ClockFor(moveTime), Play: true}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Until(begin.Add(moveTime))) // the opponent's time
				now := time.Now()
				l.wakeDelay.Note(c.late(n), now)
				if got, want := thought[n-1], c.want(n); got < want-2*minInterval || got > want+2*minInterval {
					t.Errorf("%s: move %d thinks for %v, want %v", name, n, got, want)
				}
			}
		})
	}
}

// A result that needs no time is played although the clock has run out.
func TestProvedMoveNeedsNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := dotsandboxes.Game{}.Start("")
		testenv.OK(t, err)
		for range 100 {
			prompt := source{"prompt", func(_ context.Context, q *Question) (enough bool, err error) {
				moves := q.Position.Moves()
				q.Known.Estimate("prompt", 2, Estimate{Move: moves[len(moves)-1]})
				return false, nil
			}}
			l := &Lookup{Heuristic: first, Sources: []Source{prompt}, wakeDelay: engine.NewWakeDelay(time.Sleep)}
			d, err := l.Decide(t.Context(), Question{Position: p, Clock: engine.Clock{Deadline: time.Now().Add(-time.Second)}})
			if err != nil || d.Source != "prompt" {
				t.Fatalf("source %q, %v", d.Source, err)
			}
		}
	})
}

// The time for a move is spent once: what a source took is not left for those after it.
func TestMoveTimeIsSpentOnce(t *testing.T) {
	const aim, each = 100 * time.Millisecond, 30 * time.Millisecond
	p, err := dotsandboxes.Game{}.Start("")
	testenv.OK(t, err)
	for deadline, play := range map[time.Duration]bool{0: true, 3 * time.Second: true, 4 * time.Second: false} {
		synctest.Test(t, func(t *testing.T) {
			var left []time.Duration
			slow := source{"slow", func(_ context.Context, q *Question) (enough bool, err error) {
				for range 2 {
					d, _ := q.Clock.Remaining()
					left = append(left, d)
					time.Sleep(each)
				}
				return false, nil
			}}
			store := slowStore{source{"store", func(context.Context, *Question) (enough bool, err error) {
				time.Sleep(each)
				return false, nil
			}}}
			c := engine.Clock{MoveTime: aim}
			if deadline > 0 {
				c.Deadline = time.Now().Add(deadline)
			}
			l := &Lookup{Heuristic: first, Sources: []Source{slow, slow, store}, wakeDelay: engine.NewWakeDelay(time.Sleep)}
			_, err := l.Decide(t.Context(), Question{Position: p, Clock: c, Play: play})
			if testenv.OK(t, err); !slices.Equal(left, []time.Duration{aim, aim - each, aim - 2*each, aim - 3*each}) {
				t.Errorf("deadline %v: the sources have %v", deadline, left)
			}
		})
	}
}

// slowStore is a stored source that takes longer than the time of a question.
type slowStore struct{ source }

func (slowStore) Stored() {}

// Outside a game, opening and reading a store does not count against the time: its answer
// is used, and the sources after it still have all their time.
func TestStoresDoNotUseTimeOfQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := dotsandboxes.Game{}.Start("")
		testenv.OK(t, err)
		moves := p.Moves()
		var left time.Duration
		store := slowStore{source{"store", func(_ context.Context, q *Question) (enough bool, err error) {
			time.Sleep(3 * time.Second)
			q.Known.Prove("store", Claim{Move: moves[3], Lower: 1, Upper: 5})
			return false, nil
		}}}
		search := source{"search", func(_ context.Context, q *Question) (enough bool, err error) {
			left, _ = q.Clock.Remaining()
			return false, nil
		}}
		l := &Lookup{Heuristic: first, Sources: []Source{search, store}, wakeDelay: engine.NewWakeDelay(time.Sleep)}
		d, err := l.Decide(t.Context(), Question{Position: p, Clock: engine.ClockFor(time.Second)})
		if err != nil || d.Source != "store" || left < 500*time.Millisecond {
			t.Errorf("source %q, %v; %v were left for the search", d.Source, err, left)
		}
	})
}

// Outside a game a source that had too little processor time is called again with more
// time, until it has answered, has expanded minNodes positions, or cannot use the time.
// In a game it is not.
func TestQuestionOutsideGameIsRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		play  bool
		limit time.Duration
		nodes uint64 // per try
		tries int    // the source answers in the last one
		want  int
	}{
		"in a game":                   {play: true, limit: time.Second, tries: 2, want: 1},
		"no time at all":              {limit: -time.Second, tries: 4, want: 4},
		"one nanosecond":              {limit: 1, tries: 4, want: 4},
		"seconds without a node":      {limit: 3 * time.Second, tries: 2, want: 2},
		"enough nodes":                {limit: time.Second, nodes: minNodes, tries: 2, want: 1},
		"enough nodes in three tries": {limit: time.Second, nodes: minNodes/3 + 1, tries: 9, want: 3},
		"no answer":                   {limit: time.Second, tries: 99, want: 3},
		"a long limit":                {limit: maxRepeatedTime, tries: 2, want: 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			slow := source{"slow", func(ctx context.Context, q *Question) (enough bool, err error) {
				if asked++; asked < c.tries {
					<-ctx.Done()
				}
				q.Known.Count(c.nodes)
				return false, ctx.Err()
			}}
			l := &Lookup{Heuristic: first, Sources: []Source{slow}, wakeDelay: engine.NewWakeDelay(time.Sleep)}
			q := Question{Position: start(t), Clock: engine.ClockFor(c.limit), Play: c.play}
			if _, err := l.Decide(t.Context(), q); err != nil || asked != c.want {
				t.Errorf("%s: asked %d times, want %d, %v", name, asked, c.want, err)
			}
		})
	}
}

// first prefers the first move.
var first = source{"first", func(_ context.Context, q *Question) (enough bool, err error) {
	q.Known.Estimate("first", 0, Estimate{Move: q.Position.Moves()[0]})
	return false, nil
}}

// deaf is a source that ponders, and answers, long after it was stopped.
type deaf struct {
	source
	panics bool
}

func (d deaf) Ponder(ctx context.Context, _ engine.Position) {
	<-ctx.Done()
	if d.panics {
		panic("out of ideas")
	}
	time.Sleep(1300 * time.Millisecond)
}

func (d deaf) Improve(ctx context.Context, q *Question) (enough bool, err error) {
	d.Ponder(ctx, q.Position)
	return d.source.Improve(ctx, q)
}

// A source that overruns delays neither the end of pondering nor the answer after it, and a
// panic in one is an error.
func TestOverrunningSourcesDelayNothing(t *testing.T) {
	for _, panics := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p, err := dotsandboxes.Game{}.Start("")
			testenv.OK(t, err)
			l := &Lookup{Heuristic: first, Sources: []Source{deaf{first, panics}}, wakeDelay: engine.NewWakeDelay(time.Sleep)}
			begin := time.Now()
			stop := engine.StartPonder(t.Context(), Player{Lookup: l}, p, nil)
			time.Sleep(time.Second)
			stop()
			d, err := l.Decide(t.Context(), Question{Position: p, Clock: engine.ClockFor(500 * time.Millisecond), Play: true})
			if took := time.Since(begin); took > 1500*time.Millisecond {
				t.Errorf("it took %v", took)
			}
			if err == nil && d.Source != "first" {
				t.Errorf("source %q", d.Source)
			}
			if err := l.Close(); err != nil || time.Since(begin) < 2*time.Second && !panics {
				t.Errorf("closed after %v, %v", time.Since(begin), err)
			}
		})
	}
}

// Improved is called with an estimate, then with a bound, each once, and last with the
// proved answer.
func TestImprovedIsCalledInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := dotsandboxes.Game{}.Parse("1x1 h0,0 h1,0 v0,0")
		testenv.OK(t, err)
		slow := source{"slow", func(_ context.Context, q *Question) (enough bool, err error) { // proves more every second
			m := q.Position.Moves()[0]
			q.Known.Estimate("slow", 1, Estimate{Move: m})
			time.Sleep(time.Second)
			q.Known.Prove("slow", Claim{Move: m, Lower: 0, Upper: 1})
			time.Sleep(time.Second)
			q.Known.Prove("slow", Claim{Move: m, Lower: 1, Upper: 1})
			return true, nil
		}}
		var proofs []engine.Proof
		d, err := (&Lookup{Game: dotsandboxes.Game{}, Sources: []Source{slow}}).Decide(t.Context(), Question{Position: p, Clock: engine.ClockFor(10 * time.Second), Improved: func(d engine.Decision) {
			proofs = append(proofs, d.Proof)
		}})
		if err != nil || d.Proof != engine.Exact || len(proofs) != 2 || proofs[0] != engine.Estimate || proofs[1] != engine.Lower {
			t.Errorf("reported %v, then %v, %v", proofs, d.Proof, err)
		}
	})
}

// A panic in Improved costs no decision.
func TestImprovedMayPanic(t *testing.T) {
	p, err := dotsandboxes.Game{}.Parse("1x1 h0,0 h1,0 v0,0")
	testenv.OK(t, err)
	reported := make(chan bool)
	slow := source{"slow", func(_ context.Context, q *Question) (enough bool, err error) {
		<-reported
		q.Known.Prove("slow", Claim{Move: q.Position.Moves()[0], Lower: 1, Upper: 1})
		return true, nil
	}}
	first := source{"first", func(_ context.Context, q *Question) (enough bool, err error) {
		q.Known.Estimate("first", 1, Estimate{Move: q.Position.Moves()[0]})
		return false, nil
	}}
	var log bytes.Buffer
	l := &Lookup{Game: dotsandboxes.Game{}, Sources: []Source{first, slow}, Log: slog.New(slog.NewTextHandler(&log, nil))}
	d, err := l.Decide(t.Context(), Question{Position: p, Improved: func(engine.Decision) {
		defer close(reported)
		panic("the listener fails")
	}})
	if err != nil || d.Proof != engine.Exact || !strings.Contains(log.String(), "the listener fails") {
		t.Errorf("%v, %v, log %q", d.Proof, err, &log)
	}
}

package arena

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// script is a player made of functions.
type script struct {
	name    string
	choose  func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error)
	observe func(engine.Side, engine.Move, engine.Position)
	finish  func(Result)
	close   func()
}

func (s *script) Name() string { return s.name }

func (s *script) Choose(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
	if s.choose == nil {
		return firstMove(p), nil
	}
	return s.choose(ctx, p, c)
}

func (s *script) Observe(_ context.Context, by engine.Side, m engine.Move, after engine.Position) error {
	if s.observe != nil {
		s.observe(by, m, after)
	}
	return nil
}

func (s *script) Finish(r Result) {
	if s.finish != nil {
		s.finish(r)
	}
}

func (s *script) Close() error {
	if s.close != nil {
		s.close()
	}
	return nil
}

func firstMove(p engine.Position) engine.Decision {
	return engine.Decision{Move: p.MoveString(p.Moves()[0])}
}

func participant(name string, open func(Setup) (engine.Player, error)) Participant {
	return Participant{Name: name, Spec: name, Open: func(_ context.Context, s Setup) (engine.Player, error) { return open(s) }}
}

// scripted returns a participant that is the same player in all games.
func scripted(s *script) Participant {
	return participant(s.name, func(Setup) (engine.Player, error) { return s, nil })
}

// plain returns a participant that plays the first legal move.
func plain(name string) Participant { return scripted(&script{name: name}) }

// level returns a built-in level.
func level(n int) Participant {
	name := "level" + string(rune('0'+n))
	return participant(name, func(s Setup) (engine.Player, error) { return levels.New(n, s.Seed) })
}

func config(t *testing.T, board string, limit time.Duration) Config {
	t.Helper()
	first, err := circuitwars.Game{}.Start(board)
	testenv.OK(t, err)
	return Config{Rules: Rules{Game: circuitwars.Game{}, ForfeitScore: allSquares}, First: first, Time: limit}
}

// allSquares scores every square for the winner.
func allSquares(p engine.Position, w engine.Side) (s [2]int) {
	if w != engine.None {
		s[w-1] = p.(circuitwars.Position).Board().Squares()
	}
	return s
}

// misbehaving returns a participant for every way to forfeit, with the expected endings.
// Those that never return are released at the end of the test.
func misbehaving(t *testing.T) (participants []Participant, endings map[string]Ending) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	endings = map[string]Ending{}
	add := func(end Ending, e Participant) {
		participants = append(participants, e)
		endings[e.Name] = end
	}
	choosing := func(name string, f func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error)) Participant {
		return scripted(&script{name: name, choose: f})
	}
	move := func(text string) func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		return func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			return engine.Decision{Move: text}, nil
		}
	}
	add(Illegal, choosing("garbage", move("\x00\xff no move\n/move/x/0,0,top")))
	add(Illegal, choosing("empty", move("")))
	add(Illegal, choosing("long", move(strings.Repeat("9", 1<<16))))
	add(Illegal, choosing("outside", move("9,9,top")))
	add(Illegal, choosing("repeats", func(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
		return engine.Decision{Move: "0,0,top"}, nil
	}))
	add(Crash, choosing("panics", func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) { panic("out of ideas") }))
	add(Crash, choosing("fails", func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		return engine.Decision{}, errors.New("no idea\nat all")
	}))
	add(Timeout, choosing("stalls", func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		<-release
		return engine.Decision{}, nil
	}))
	add(Timeout, choosing("late", func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
		<-ctx.Done()
		return firstMove(p), nil
	}))
	add(Timeout, choosing("gives-up", func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
		<-ctx.Done()
		return engine.Decision{}, ctx.Err()
	}))
	add(Crash, participant("absent", func(Setup) (engine.Player, error) { return nil, errors.New("connection refused") }))
	add(Crash, participant("absent", func(Setup) (engine.Player, error) { return nil, nil }))
	add(Crash, participant("stillborn", func(Setup) (engine.Player, error) { panic("no memory") }))
	add(Crash, participant("watcher", func(Setup) (engine.Player, error) {
		return &script{name: "watcher", observe: func(engine.Side, engine.Move, engine.Position) { panic("saw it") }}, nil
	}))
	add(Illegal, participant("impatient", func(s Setup) (engine.Player, error) {
		return &script{name: "impatient", choose: func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
			s.Forfeit(Fault{End: Illegal, Reason: "moved out of turn", Move: "0,0,left"})
			<-ctx.Done()
			return engine.Decision{}, ctx.Err()
		}}, nil
	}))
	return participants, endings
}

// games is a Source that stores the results of its games.
type games struct {
	left    []Fixture
	results []Result
}

func (g *games) Next() (Fixture, bool) {
	if len(g.left) == 0 {
		return Fixture{}, false
	}
	f := g.left[0]
	g.left = g.left[1:]
	return f, true
}

func (g *games) Record(r Result) { g.results = append(g.results, r) }

// A misbehaving player loses exactly its own game, and the fault names the player and the
// reason.
func TestMisbehavingPlayersLoseTheirGameOnly(t *testing.T) {
	t.Parallel()
	bad, endings := misbehaving(t)
	h := config(t, "3x3", 100*time.Millisecond)
	h.Grace = time.Second // for the well-behaved player, on a busy machine
	var all games
	for _, b := range bad {
		for i, players := range [][2]Participant{{level(1), b}, {b, level(1)}} {
			all.left = append(all.left, NewFixture(fmt.Sprint(b.Name, i), players[0], players[1], 0))
		}
	}
	want := len(all.left)
	// Most of the players only wait, so all games are played concurrently.
	testenv.OK(t, Run(t.Context(), h.Play, &all, want, nil, nil))
	if len(all.results) != want {
		t.Fatalf("%d games, want %d", len(all.results), want)
	}
	for _, r := range all.results {
		loser := r.Players[0]
		if loser == "level1" {
			loser = r.Players[1]
		}
		if r.Winner == engine.None || r.Players[r.Winner-1] != "level1" || r.End != endings[loser] {
			t.Errorf("%s: winner %v, end %s, want a loss by %s: %s", r.ID, r.Winner, r.End, endings[loser], r.Fault)
		}
		if !strings.HasPrefix(r.Fault, loser+" (player ") || strings.ContainsAny(r.Fault, "\n\x00") || len(r.Fault) > maxReason+100 ||
			strings.Count(r.Fault, "illegal move") > 1 {
			t.Errorf("%s: fault %q", r.ID, r.Fault)
		}
		if r.Score[r.Winner-1] != 9 || r.Score[r.Loser()-1] != 0 {
			t.Errorf("%s: score %v", r.ID, r.Score)
		}
		if strings.ContainsAny(r.BadMove, "\n\x00") || len(r.BadMove) > maxBadMove+len("…") {
			t.Errorf("%s: bad move %q", r.ID, r.BadMove)
		}
	}
}

// If neither player can be opened, both lose.
func TestNeitherPlayerOpens(t *testing.T) {
	h := config(t, "2x2", 0)
	absent := func(name string) Participant {
		return participant(name, func(Setup) (engine.Player, error) { return nil, errors.New(name + " is away") })
	}
	r, err := h.Play(context.Background(), Fixture{ID: "x", Players: [2]Participant{absent("a"), absent("b")}})
	testenv.OK(t, err)
	if r.End != NoPlayer || r.Winner != engine.None || r.Points(engine.First) != 0 || r.Points(engine.Second) != 0 || !strings.Contains(r.Fault, "b is away") {
		t.Errorf("%+v", r)
	}
}

// The moves of a result replay to its score; both sides observe every move, receive the
// result and are closed.
func TestPlayersObserveTheWholeGame(t *testing.T) {
	h := config(t, "3x3", 0)
	var observed, finished, closed atomic.Int32
	recording := func(name string) Participant {
		return participant(name, func(s Setup) (engine.Player, error) {
			if s.Game != "g" || s.Opponent == name || len(s.Opening) != 2 {
				t.Errorf("setup %+v", s)
			}
			turn := s.Start.Turn()
			return &script{
				name: name,
				observe: func(by engine.Side, m engine.Move, after engine.Position) {
					if by != turn {
						t.Errorf("%s sees a move by %v, want %v", name, by, turn)
					}
					turn = after.Turn()
					observed.Add(1)
				},
				finish: func(Result) { finished.Add(1) },
				close:  func() { closed.Add(1) },
			}, nil
		})
	}
	opening := []engine.Move{3, 7}
	r, err := h.Play(context.Background(), Fixture{ID: "g", Players: [2]Participant{recording("a"), recording("b")}, Opening: opening})
	testenv.OK(t, err)
	p := h.First
	for _, text := range append(r.Opening, r.Moves...) {
		m, err := p.ParseMove(text)
		testenv.OK(t, err)
		p, err = p.Play(m)
		testenv.OK(t, err)
	}
	if !p.Over() || p.Score() != r.Score || r.End != Played || engine.Winner(p) != r.Winner {
		t.Errorf("%+v replays to %s", r, p)
	}
	if int(observed.Load()) != 2*len(r.Moves) || finished.Load() != 2 || closed.Load() != 2 {
		t.Errorf("%d moves: %d observed, %d finished, %d closed", len(r.Moves), observed.Load(), finished.Load(), closed.Load())
	}
	if r.Time[0].Moves+r.Time[1].Moves != len(r.Moves) {
		t.Errorf("time %+v for %d moves", r.Time, len(r.Moves))
	}
}

// If a player moves and then forfeits, as a program that sends two moves does, its move
// counts first.
func TestForfeitComesAfterTheMove(t *testing.T) {
	h := config(t, "2x2", 0)
	twice := participant("twice", func(s Setup) (engine.Player, error) {
		return &script{name: "twice", choose: func(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
			s.Forfeit(Fault{End: Illegal, Reason: "a second move", Move: "1,1,right"})
			return firstMove(p), nil
		}}, nil
	})
	for range 50 {
		r, err := h.Play(context.Background(), Fixture{ID: "x", Players: [2]Participant{twice, plain("b")}})
		if err != nil || r.End != Illegal || r.Winner != engine.Second || len(r.Moves) != 1 || r.BadMove != "1,1,right" || !strings.Contains(r.Fault, "at move 2:") {
			t.Fatalf("%+v, %v", r, err)
		}
	}
}

// A forfeit with an earlier turn removes the moves since then.
func TestForfeitOfAnEarlierTurnRemovesMoves(t *testing.T) {
	h := config(t, "2x2", 0)
	for _, last := range []int{5, 12} { // during the game, and with its last move
		var setup Setup
		late := participant("late", func(s Setup) (engine.Player, error) {
			setup = s
			return &script{name: "late"}, nil
		})
		moves := 0
		other := scripted(&script{name: "b", observe: func(engine.Side, engine.Move, engine.Position) {
			if moves++; moves == last {
				setup.Forfeit(Fault{End: Illegal, Reason: "long ago", Turn: 3})
			}
		}})
		r, err := h.Play(context.Background(), Fixture{ID: "x", Players: [2]Participant{late, other}})
		if err != nil || r.End != Illegal || r.Winner != engine.Second || len(r.Moves) != 2 || !strings.Contains(r.Fault, "at move 3:") {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// A player that is thinking when its opponent forfeits is stopped, receives the result and
// is closed before Play returns.
func TestForfeitReachesAThinkingOpponent(t *testing.T) {
	h := config(t, "2x2", 0)
	var hasty Setup
	told := ""
	innocent := scripted(&script{
		name: "a",
		choose: func(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
			hasty.Forfeit(Fault{End: Illegal, Reason: "moved out of turn"})
			<-ctx.Done()
			return engine.Decision{}, ctx.Err()
		},
		finish: func(r Result) { told += string(r.End) },
		close:  func() { told += ", closed" },
	})
	b := participant("b", func(s Setup) (engine.Player, error) {
		hasty = s
		return &script{name: "b"}, nil
	})
	r, err := h.Play(t.Context(), Fixture{ID: "x", Players: [2]Participant{innocent, b}})
	if err != nil || r.End != Illegal || r.Winner != engine.First || told != "illegal, closed" {
		t.Errorf("told %q of %+v, %v", told, r, err)
	}
}

// An error of a player after the last move does not change the winner.
func TestErrorAfterTheLastMoveChangesNothing(t *testing.T) {
	h := config(t, "2x2", 0)
	want, err := h.Play(t.Context(), Fixture{ID: "x", Players: [2]Participant{plain("a"), plain("b")}})
	testenv.OK(t, err)
	faint := scripted(&script{
		name: "a",
		observe: func(_ engine.Side, _ engine.Move, after engine.Position) {
			if after.Over() {
				panic("is it over?")
			}
		},
		finish: func(Result) { panic("what?") },
		close:  func() { panic("why?") },
	})
	for _, players := range [][2]Participant{{faint, plain("b")}, {plain("b"), faint}} {
		got, err := h.Play(t.Context(), Fixture{ID: "x", Players: players})
		if err != nil || got.End != Played || got.Winner != want.Winner || got.Score != want.Score {
			t.Errorf("%+v, %v, want winner %v", got, err, want.Winner)
		}
	}
}

// An abandoned player may panic when it is closed.
func TestAbandonedPlayerMayPanic(t *testing.T) {
	h := config(t, "2x2", time.Millisecond)
	release, closed := make(chan struct{}), make(chan struct{})
	stuck := scripted(&script{
		name: "a",
		choose: func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
			<-release
			return engine.Decision{}, nil
		},
		close: func() { close(closed); panic("not now") },
	})
	r, err := h.Play(t.Context(), Fixture{ID: "x", Players: [2]Participant{stuck, plain("b")}})
	if err != nil || r.End != Timeout {
		t.Errorf("%+v, %v", r, err)
	}
	close(release)
	<-closed
}

// A player whose method returns after its time is closed then.
func TestPlayerThatReturnsLateIsClosed(t *testing.T) {
	release, closed := make(chan struct{}), make(chan struct{})
	p := &gamePlayer{Player: &script{close: func() { close(closed) }}}
	fault := p.call("observe", time.Millisecond, func() error { <-release; return errors.New("late") })
	if fault == nil || fault.End != Crash || !p.stuck {
		t.Errorf("fault %+v, stuck %v", fault, p.stuck)
	}
	close(release)
	<-closed
}

func TestMaxTurnsIsATie(t *testing.T) {
	h := config(t, "3x3", 0)
	h.MaxTurns = 3
	var said bytes.Buffer
	h.Log = slog.New(slog.NewTextHandler(&said, nil))
	r, err := h.Play(context.Background(), Fixture{ID: "x", Players: [2]Participant{plain("a"), plain("b")}})
	if err != nil || r.End != Stopped || r.Winner != engine.None || len(r.Moves) != 3 || r.Points(engine.First) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if log := said.String(); strings.Contains(log, "lost") || !strings.Contains(log, "stopped after 3 turns: a tie") {
		t.Errorf("the log says %q", log)
	}
}

// slowStarter takes twice the limit for its first move.
type slowStarter struct{ *script }

func (slowStarter) MoveTimeout(limit time.Duration, first bool) time.Duration {
	if first {
		return 2 * limit
	}
	return limit
}

// A player's clock shows the limit without the grace, and MoveTimeout can extend the first
// move.
func TestClockAndMoveTimeout(t *testing.T) {
	h := config(t, "1x2", time.Hour)
	h.Grace = time.Minute
	clock := participant("a", func(Setup) (engine.Player, error) {
		first := true
		return &slowStarter{&script{name: "a", choose: func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
			end, ok := ctx.Deadline()
			if left := time.Until(c.Deadline); !ok || left > time.Hour || left < 59*time.Minute {
				t.Errorf("clock %+v, context ends %v", c, end)
			}
			// The context ends with the limit and the grace.
			want := h.Grace
			if first {
				want += time.Hour
			}
			if extra := end.Sub(c.Deadline); extra != want {
				t.Errorf("first move %v: the context ends %v after the deadline", first, extra)
			}
			first = false
			return firstMove(p), nil
		}}}, nil
	})
	if r, err := h.Play(context.Background(), Fixture{ID: "x", Players: [2]Participant{clock, plain("b")}}); err != nil || r.End != Played {
		t.Errorf("%+v, %v", r, err)
	}
}

// Play returns when its context ends, even if a player never returns.
func TestPlayEndsWithItsContext(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	ctx, cancel := context.WithCancel(context.Background())
	stuck := scripted(&script{name: "a", choose: func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		cancel()
		<-release
		return engine.Decision{}, nil
	}})
	h := config(t, "2x2", 0)
	if _, err := h.Play(ctx, Fixture{ID: "x", Players: [2]Participant{stuck, plain("b")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
}

// A player that is opened after the match is closed. If Open failed, the player beside the
// error is not closed.
func TestLatePlayerIsClosed(t *testing.T) {
	closed := 0
	opened := make(chan error, 1)
	var p engine.Player = &script{close: func() { closed++ }}
	for _, err := range []error{nil, errors.New("refused")} {
		opened <- err
		closeLate(opened, &p)
		p = (*script)(nil)
	}
	if closed != 1 {
		t.Errorf("closed %d times, want once", closed)
	}
}

// diary is a Watcher that records its calls and fails at the given entry.
type diary struct {
	entries []string
	failAt  int
}

func (d *diary) note(text string) error {
	if d.entries = append(d.entries, text); len(d.entries) == d.failAt {
		return errors.New("no ink")
	}
	return nil
}

func (d *diary) Returned(side engine.Side, p engine.Player) error {
	return d.note("called " + p.Name() + " as " + side.String())
}
func (d *diary) Reached(p engine.Position) error { return d.note("reached " + p.String()) }
func (d *diary) Lost(side engine.Side, p engine.Player, f Fault) error {
	return d.note("lost " + side.String() + ": " + f.Reason)
}

// A Watcher is called for every step of a game in order, and its error ends the game.
func TestWatcher(t *testing.T) {
	h := config(t, "1x2", 0)
	want := []string{"called a as player 1", "called b as player 2", "reached " + h.First.String()}
	p := h.First
	for i := range 3 {
		next, err := p.Play(p.Moves()[0])
		testenv.OK(t, err)
		p = next
		order := []string{"called a as player 1", "reached " + p.String(), "called b as player 2"}
		if i%2 == 1 {
			order[0], order[2] = order[2], order[0]
		}
		want = append(want, order...)
	}
	// Player a fails when it observes the fourth move.
	next, err := p.Play(p.Moves()[0])
	testenv.OK(t, err)
	want = append(want, "called b as player 2", "reached "+next.String(), "lost player 1: enough")
	tired := participant("a", func(Setup) (engine.Player, error) { return &tiring{script: &script{name: "a"}, moves: 4}, nil })
	game := Fixture{ID: "x", Players: [2]Participant{tired, plain("b")}}
	d := &diary{}
	h.Watcher = d
	r, err := h.Play(t.Context(), game)
	if err != nil || r.End != Crash || r.Winner != engine.Second || len(r.Moves) != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	if !slices.Equal(d.entries, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(d.entries, "\n"), strings.Join(want, "\n"))
	}
	for failAt := 1; failAt <= len(want); failAt++ {
		d := &diary{failAt: failAt}
		h.Watcher = d
		if _, err := h.Play(t.Context(), game); err == nil || err.Error() != "no ink" || len(d.entries) != failAt {
			t.Errorf("entry %d: %v after %d", failAt, err, len(d.entries))
		}
	}
}

// tiring is a player whose Observe fails after a number of moves.
type tiring struct {
	*script
	moves int
}

func (p *tiring) Observe(context.Context, engine.Side, engine.Move, engine.Position) error {
	if p.moves--; p.moves == 0 {
		return errors.New("enough")
	}
	return nil
}

// Time spent in Observe counts against the player's next move.
func TestObservingTakesTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := config(t, "1x2", 300*time.Millisecond)
		slow := scripted(&script{name: "b",
			observe: func(engine.Side, engine.Move, engine.Position) { time.Sleep(200 * time.Millisecond) },
			choose: func(_ context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
				time.Sleep(150 * time.Millisecond)
				return firstMove(p), nil
			},
		})
		r, err := h.Play(t.Context(), Fixture{ID: "x", Players: [2]Participant{plain("a"), slow}})
		if err != nil || r.End != Timeout || r.Winner != engine.First || len(r.Moves) != 1 || r.Time[1].TotalMS < 350 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

package cwhttp_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
	"endwise/engine/wire/cwbot"
	"endwise/engine/wire/cwhttp"
)

// externalGame is an external player on a 2x2 board after some moves, with the client of its
// program.
type externalGame struct {
	*cwhttp.ExternalPlayer
	client *cwbot.Client
	p      circuitwars.Position
	lost   chan arena.Fault
	side   engine.Side
}

// anyTeam is an id that a server for two teams refuses.
const anyTeam = "Team Nº 1, the id of which is longer than any"

func newExternalGame(t *testing.T, side engine.Side, timeout time.Duration, moves string) *externalGame {
	t.Helper()
	p, err := circuitwars.Parse("2x2 " + moves)
	testenv.OK(t, err)
	lost := make(chan arena.Fault, 4)
	players, err := cwhttp.NewExternalPlayers(t.Context(), listen(t), cwhttp.ExternalConfig{Start: p, Side: side, Timeout: timeout, Lost: func(f arena.Fault) { lost <- f }})
	testenv.OK(t, err)
	g := players[side-1]
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	c, err := cwbot.NewClient(g.URL())
	testenv.OK(t, err)
	c.Interval = time.Millisecond
	return &externalGame{g, c, p, lost, side}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	return ln
}

// join registers the program.
func (g *externalGame) join(t *testing.T) {
	t.Helper()
	if side, err := g.client.Register(t.Context(), anyTeam); err != nil || side != g.side {
		t.Fatalf("registered as %v, %v", side, err)
	}
	<-g.Joined()
}

// send sends a move of the program.
func (g *externalGame) send(t *testing.T, text string) {
	t.Helper()
	if _, _, _, err := g.client.Move(t.Context(), anyTeam, text); err != nil {
		t.Fatal(err)
	}
}

// status returns the status that the program sees.
func (g *externalGame) status(t *testing.T) circuitwars.Status {
	t.Helper()
	st, _, err := g.client.Status(t.Context())
	testenv.OK(t, err)
	return st
}

// An external player on either side, from the empty board or with the second player to move, plays a
// whole game against the first free segment, and both sides see the same positions.
func TestExternalPlayerPlaysAGame(t *testing.T) {
	for _, side := range []engine.Side{engine.First, engine.Second} {
		for _, opening := range []string{"", "0,0,top"} {
			g := newExternalGame(t, side, time.Hour, opening)
			g.join(t)
			for !g.p.Over() {
				st := g.status(t)
				if st.Code != circuitwars.TurnOf1.For(g.p.Turn()) || st.Position.Free() != g.p.Free() || st.Position.Score() != g.p.Score() {
					t.Fatalf("the program sees %d %s, the game is at %s", st.Code, st.Position, g.p)
				}
				if st.TimeLeft > float64(time.Hour.Milliseconds()) {
					t.Errorf("the program sees %v ms left", st.TimeLeft)
				}
				mover, m := g.p.Turn(), engine.Move(g.p.Free().Segments()[0])
				if mover == side {
					g.send(t, g.p.MoveString(m))
					d, err := g.Choose(t.Context(), g.p, engine.Clock{})
					if err != nil || d.Move != g.p.MoveString(m) {
						t.Fatalf("the program plays %q, %v", d.Move, err)
					}
				}
				next, err := g.p.Occupy(int(m))
				testenv.OK(t, err)
				g.p = next
				testenv.OK(t, g.Observe(t.Context(), mover, m, g.p))
			}
			if st := g.status(t); st.Code != g.p.EndCode() {
				t.Errorf("the program sees %d at the end, want %d", st.Code, g.p.EndCode())
			}
			if len(g.lost) != 0 {
				t.Errorf("a forfeit: %v", <-g.lost)
			}
		}
	}
}

func TestExternalPlayerForfeits(t *testing.T) {
	for _, c := range []struct {
		name, opening, move string
	}{
		{"in turn", "", "0,0,inside"},
		{"taken", "0,0,top 0,0,left", "0,0,top"},
		{"out of turn", "0,0,top", "1,1,right"},
	} {
		g := newExternalGame(t, engine.First, 0, c.opening)
		g.join(t)
		g.send(t, c.move)
		_, err := g.Choose(t.Context(), g.p, engine.Clock{})
		fault := new(arena.Fault)
		if !errors.As(err, &fault) || fault.End != arena.Illegal || fault.Move != c.move || fault.Reason == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		if f := <-g.lost; f.End != arena.Illegal || f.Turn != 1 {
			t.Errorf("%s: told of %+v", c.name, f)
		}
		if st := g.status(t); st.Code != circuitwars.IllegalBy1 {
			t.Errorf("%s: the program sees %d", c.name, st.Code)
		}
	}
}

// The program's clock starts with the host's move and ends the game without a request.
func TestExternalPlayerTimeout(t *testing.T) {
	g := newExternalGame(t, engine.Second, 20*time.Millisecond, "")
	g.join(t)
	m := engine.Move(0)
	next, err := g.p.Occupy(int(m))
	testenv.OK(t, err)
	testenv.OK(t, g.Observe(t.Context(), engine.First, m, next))
	_, err = g.Choose(t.Context(), next, engine.Clock{})
	fault := new(arena.Fault)
	if !errors.As(err, &fault) || fault.End != arena.Timeout || fault.Turn != 2 || fault.Reason != "no move within 20ms" {
		t.Errorf("%v", err)
	}
}

// The program sees a forfeit of the host as on any server. Before the program has
// registered the host cannot lose.
func TestExternalPlayerSeesTheHostLose(t *testing.T) {
	g := newExternalGame(t, engine.Second, 0, "")
	g.Lose(engine.First, false)
	g.join(t)
	g.Lose(engine.First, true)
	g.Lose(engine.First, false)
	if st := g.status(t); st.Code != circuitwars.IllegalBy1 {
		t.Errorf("the program sees %d", st.Code)
	}
	if len(g.lost) != 0 {
		t.Errorf("the program lost: %v", <-g.lost)
	}
}

// A restart, a second team and a context that ends have no effect.
func TestExternalPlayersServerIsForOneGame(t *testing.T) {
	g := newExternalGame(t, engine.First, 0, "")
	testenv.OK(t, g.client.Restart(t.Context()))
	g.join(t)
	var refused cwhttp.RegisterCode
	if _, err := g.client.Register(t.Context(), "another"); !errors.As(err, &refused) || refused != cwhttp.GameStarted {
		t.Errorf("a second team: %v", err)
	}
	testenv.OK(t, g.client.Restart(t.Context()))
	if st := g.status(t); st.Code != circuitwars.TurnOf1 {
		t.Errorf("after a restart: %d", st.Code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Choose(ctx, g.p, engine.Clock{}); !errors.Is(err, context.Canceled) {
		t.Errorf("without a move: %v", err)
	}
	g.send(t, "0,0,top")
	if d, err := g.Choose(ctx, g.p, engine.Clock{}); err != nil || d.Move != "0,0,top" {
		t.Errorf("a move that is there: %+v, %v", d, err)
	}
	if _, err := cwhttp.NewExternalPlayers(t.Context(), nil, cwhttp.ExternalConfig{Start: g.p}); err == nil {
		t.Error("an external player without a side")
	}
}

// With two external players on one server each sees the other's move immediately, and only
// the side that forfeits receives its forfeit.
func TestTwoExternalPlayersOnOneServer(t *testing.T) {
	p, err := circuitwars.Parse("1x2 0,0,top")
	testenv.OK(t, err)
	lost := make(chan engine.Side, 4)
	cfg := func(side engine.Side) cwhttp.ExternalConfig {
		return cwhttp.ExternalConfig{Start: p, Side: side, Timeout: time.Hour, Lost: func(arena.Fault) { lost <- side }}
	}
	players, err := cwhttp.NewExternalPlayers(t.Context(), listen(t), cfg(engine.First), cfg(engine.Second))
	testenv.OK(t, err)
	c, err := cwbot.NewClient(players[0].URL())
	testenv.OK(t, err)
	c.Interval = time.Millisecond
	for i, team := range []string{"one", "two"} {
		if _, err := c.Register(t.Context(), team); err != nil {
			t.Fatal(err)
		}
		<-players[i].Joined()
	}
	for p.Drawn().Len() < 3 {
		side, m := p.Turn(), engine.Move(p.Free().Segments()[0])
		if _, _, _, err := c.Move(t.Context(), []string{"one", "two"}[side-1], p.MoveString(m)); err != nil {
			t.Fatal(err)
		}
		if d, err := players[side-1].Choose(t.Context(), p, engine.Clock{}); err != nil || d.Move != p.MoveString(m) {
			t.Fatalf("%v plays %q, %v", side, d.Move, err)
		}
		p, err = p.Occupy(int(m))
		testenv.OK(t, err)
		for _, g := range players {
			testenv.OK(t, g.Observe(t.Context(), side, m, p))
		}
	}
	waits := p.Turn().Other()
	if _, _, _, err := c.Move(t.Context(), []string{"one", "two"}[waits-1], "0,0,left"); err != nil {
		t.Fatal(err)
	}
	fault := new(arena.Fault)
	if _, err := players[waits-1].Choose(t.Context(), p, engine.Clock{}); !errors.As(err, &fault) || <-lost != waits || len(lost) > 0 {
		t.Errorf("a move out of turn: %v", err)
	}
	if err := players[0].Close(); err != nil {
		t.Error(err)
	}
	if st, _, err := c.Status(t.Context()); err != nil || st.Code != circuitwars.IllegalBy1.For(waits) {
		t.Errorf("the other one sees %d, %v", st.Code, err)
	}
	if err := players[1].Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := c.Status(t.Context()); err == nil {
		t.Error("the server goes on")
	}
}

// The programs may be many moves ahead of Choose.
func TestMovesWaitForChoose(t *testing.T) {
	p, err := circuitwars.Parse("2x3")
	testenv.OK(t, err)
	cfg := func(side engine.Side) cwhttp.ExternalConfig {
		return cwhttp.ExternalConfig{Start: p, Side: side, Timeout: time.Hour}
	}
	players, err := cwhttp.NewExternalPlayers(t.Context(), listen(t), cfg(engine.First), cfg(engine.Second))
	testenv.OK(t, err)
	c, err := cwbot.NewClient(players[0].URL())
	testenv.OK(t, err)
	c.Interval = time.Millisecond
	teams := []string{"one", "two"}
	for _, team := range teams {
		if _, err := c.Register(t.Context(), team); err != nil {
			t.Fatal(err)
		}
	}
	for last := p; !last.Over(); {
		m := last.Free().Segments()[0]
		if _, _, _, err := c.Move(t.Context(), teams[last.Turn()-1], last.MoveString(engine.Move(m))); err != nil {
			t.Fatal(err)
		}
		last, err = last.Occupy(m)
		testenv.OK(t, err)
	}
	for !p.Over() {
		m := p.Free().Segments()[0]
		if d, err := players[p.Turn()-1].Choose(t.Context(), p, engine.Clock{}); err != nil || d.Move != p.MoveString(engine.Move(m)) {
			t.Fatalf("after %d moves: %q, %v", p.Drawn().Len(), d.Move, err)
		}
		p, err = p.Occupy(m)
		testenv.OK(t, err)
	}
	for _, g := range players {
		testenv.OK(t, g.Close())
	}
}

package cwhttp

import (
	"context"
	"errors"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
)

// guestGame is a guest at a 2x2 board after some moves, and the client of the
// program that plays it.
type guestGame struct {
	*Guest
	client *Client
	p      circuitwars.Position
	lost   chan *GuestLoss
}

func newGuestGame(t *testing.T, side engine.Side, timeout time.Duration, moves string) *guestGame {
	t.Helper()
	p, err := circuitwars.Parse("2x2 " + moves)
	if err != nil {
		t.Fatal(err)
	}
	lost := make(chan *GuestLoss, 4)
	g, err := NewGuest(t.Context(), GuestConfig{Start: p, Side: side, Timeout: timeout, Lost: func(l *GuestLoss) { lost <- l }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	c, err := NewClient(g.URL())
	if err != nil {
		t.Fatal(err)
	}
	c.Interval = time.Millisecond
	return &guestGame{g, c, p, lost}
}

// join registers the program.
func (g *guestGame) join(t *testing.T) {
	t.Helper()
	if side, err := g.client.Register(t.Context(), "team"); err != nil || side != g.cfg.Side {
		t.Fatalf("registered as %v, %v", side, err)
	}
	<-g.Joined()
}

// send lets the program send a move.
func (g *guestGame) send(t *testing.T, text string) {
	t.Helper()
	if _, _, _, err := g.client.Move(t.Context(), "team", text); err != nil {
		t.Fatal(err)
	}
}

// status is what the program sees.
func (g *guestGame) status(t *testing.T) circuitwars.Status {
	t.Helper()
	st, _, err := g.client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A guest on either side, from the empty board or with the second player to
// move, plays a whole game against the first free segment, and both ends see
// the same positions.
func TestGuestPlaysAGame(t *testing.T) {
	for _, side := range []engine.Side{engine.First, engine.Second} {
		for _, opening := range []string{"", "0,0,top"} {
			g := newGuestGame(t, side, time.Hour, opening)
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
						t.Fatalf("the guest plays %q, %v", d.Move, err)
					}
				}
				next, err := g.p.Occupy(int(m))
				if err != nil {
					t.Fatal(err)
				}
				g.p = next
				g.Observe(mover, m, g.p)
			}
			if st := g.status(t); st.Code != g.p.EndCode() {
				t.Errorf("the program sees %d at the end, want %d", st.Code, g.p.EndCode())
			}
			if len(g.lost) != 0 {
				t.Errorf("a loss by rule: %v", <-g.lost)
			}
		}
	}
}

func TestGuestLosesByRule(t *testing.T) {
	for _, c := range []struct {
		name, opening, move string
		code                circuitwars.Code
	}{
		{"in turn", "", "0,0,inside", circuitwars.IllegalBy1},
		{"taken", "0,0,top 0,0,left", "0,0,top", circuitwars.IllegalBy1},
		{"out of turn", "0,0,top", "1,1,right", circuitwars.IllegalBy1},
	} {
		g := newGuestGame(t, engine.First, 0, c.opening)
		g.join(t)
		g.send(t, c.move)
		_, err := g.Choose(t.Context(), g.p, engine.Clock{})
		loss := new(GuestLoss)
		if !errors.As(err, &loss) || loss.Code != c.code || loss.Move != c.move || loss.Cause == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		if l := <-g.lost; l.Code != c.code || l.Turn != 1 {
			t.Errorf("%s: told of %+v", c.name, l)
		}
		if st := g.status(t); st.Code != c.code {
			t.Errorf("%s: the program sees %d", c.name, st.Code)
		}
	}
}

// The guest's clock runs from the host's move on and ends the game by itself.
func TestGuestTimeout(t *testing.T) {
	g := newGuestGame(t, engine.Second, 20*time.Millisecond, "")
	g.join(t)
	m := engine.Move(0)
	next, err := g.p.Occupy(int(m))
	if err != nil {
		t.Fatal(err)
	}
	g.Observe(engine.First, m, next)
	_, err = g.Choose(t.Context(), next, engine.Clock{})
	loss := new(GuestLoss)
	if !errors.As(err, &loss) || loss.Code != circuitwars.TimeoutBy1.For(engine.Second) || loss.Turn != 2 {
		t.Errorf("%v", err)
	}
}

// What the host's side does wrong the program sees as on any server; before
// it has come there is nothing to see.
func TestGuestSeesTheHostLose(t *testing.T) {
	g := newGuestGame(t, engine.Second, 0, "")
	g.Lose(engine.First, false)
	g.join(t)
	g.Lose(engine.First, true)
	g.Lose(engine.First, false)
	if st := g.status(t); st.Code != circuitwars.IllegalBy1 {
		t.Errorf("the program sees %d", st.Code)
	}
	if len(g.lost) != 0 {
		t.Errorf("the guest lost: %v", <-g.lost)
	}
}

// A restart, a second team and a context that ends change nothing.
func TestGuestServerIsForOneGame(t *testing.T) {
	g := newGuestGame(t, engine.First, 0, "")
	if err := g.client.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.join(t)
	var refused RegisterCode
	if _, err := g.client.Register(t.Context(), "another"); !errors.As(err, &refused) || refused != GameStarted {
		t.Errorf("a second team: %v", err)
	}
	if err := g.client.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
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
	if _, err := NewGuest(t.Context(), GuestConfig{Start: g.p}); err == nil {
		t.Error("a guest without a side")
	}
}

package dabws

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// ponderer is a player that reports the positions it ponders and continues until it is
// stopped. It fails the test if it is called to ponder two positions concurrently, or one
// while it chooses a move.
type ponderer struct {
	engine.Player
	t         *testing.T
	mu        sync.Mutex
	pondering int
	choosing  int
	ponders   atomic.Int32
	asked     chan dotsandboxes.Position // receives the pondered positions; may be nil
	hold      chan struct{}              // releases moves; nil means immediately
	ended     chan struct{}              // receives a value at each end of pondering; may be nil
	panics    bool
}

func (p *ponderer) count(what *int, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*what += by
	if p.pondering > 1 || p.pondering > 0 && p.choosing > 0 {
		p.t.Errorf("ponders %d positions and chooses %d moves", p.pondering, p.choosing)
	}
}

func (p *ponderer) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	p.count(&p.choosing, 1)
	defer p.count(&p.choosing, -1)
	if p.hold != nil {
		<-p.hold
	}
	return p.Player.Choose(ctx, pos, c)
}

func (p *ponderer) Ponder(ctx context.Context, pos engine.Position) {
	p.count(&p.pondering, 1)
	defer func() {
		p.count(&p.pondering, -1)
		if p.ended != nil {
			p.ended <- struct{}{}
		}
	}()
	p.ponders.Add(1)
	if p.asked != nil {
		p.asked <- pos.(dotsandboxes.Position)
	}
	if p.panics {
		panic("out of ideas")
	}
	<-ctx.Done()
}

func servePonderer(t *testing.T, p *ponderer, ponder bool) string {
	t.Helper()
	p.t, p.Player = t, level(t, 2)
	return listen(t, &Agent{Player: p, Ponder: ponder})
}

// opponent is the game's side of one game against the agent.
type opponent struct {
	*client
	id  string
	us  engine.Side // the agent
	pos dotsandboxes.Position
}

// begin starts a game with a long time limit.
func (c *client) begin(id string, us engine.Side, rows, cols int) *opponent {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"type":"start","player":%d,"timelimit":600,"grid":[%d,%d],"game":%q}`, us, rows, cols, id))
	return &opponent{c, id, us, empty(c.t, rows, cols)}
}

// draw draws a line and sends it to the agent.
func (g *opponent) draw(m engine.Move) {
	g.t.Helper()
	by := g.pos.Turn()
	next, err := g.pos.DrawLine(m)
	if err != nil {
		g.t.Fatal(err)
	}
	g.pos = next
	if next.Over() {
		g.send(fmt.Sprintf(`{"type":"end","game":%q,"nextplayer":0,"winner":0}`, g.id))
		return
	}
	g.send(sent(g.t, lineMessage(g.id, by, m, next)))
}

// In one game over a socket, the agent ponders the position of the game in each of the
// opponent's turns, and never while it chooses.
func TestPonder(t *testing.T) {
	for _, us := range []engine.Side{engine.First, engine.Second} {
		p := &ponderer{asked: make(chan dotsandboxes.Position), ended: make(chan struct{})}
		g := connect(t, servePonderer(t, p, true)).begin("a", us, 2, 3)
		turns := 0
		for !g.pos.Over() {
			if g.pos.Turn() == us {
				g.draw(g.answer(g.pos))
				continue
			}
			turns++
			if pos := <-p.asked; pos != g.pos {
				t.Fatalf("ponders %s, the game is at %s", pos, g.pos)
			}
			g.draw(g.pos.QuickMove())
			<-p.ended
		}
		g.conn.Close(websocket.StatusNormalClosure, "")
		if n := int(p.ponders.Load()); n != turns || turns == 0 {
			t.Errorf("player %d: pondered %d times in %d turns", us, n, turns)
		}
	}
}

// A game that must move first stops the pondering of another one, which resumes after the
// answer; an ended game is no longer pondered.
func TestAnswersStopPondering(t *testing.T) {
	p := &ponderer{asked: make(chan dotsandboxes.Position), ended: make(chan struct{}), hold: make(chan struct{})}
	address := servePonderer(t, p, true)
	one := connect(t, address).begin("a", engine.Second, 3, 3)
	if pos := <-p.asked; pos != one.pos {
		t.Fatalf("ponders %s", pos)
	}
	for range 3 {
		other := connect(t, address).begin("a", engine.First, 2, 2) // the same id on another connection
		<-p.ended                                                   // immediately; the answer is still pending
		p.hold <- struct{}{}
		other.answer(other.pos)
		if pos := <-p.asked; pos != one.pos {
			t.Fatalf("ponders %s, want to go on with %s", pos, one.pos)
		}
		other.conn.Close(websocket.StatusNormalClosure, "")
	}
	// Two games whose opponents think are pondered one after the other.
	two := connect(t, address).begin("b", engine.Second, 3, 4)
	one.send(`{"type":"end","game":"a","nextplayer":0,"winner":0}`)
	<-p.ended
	if pos := <-p.asked; pos != two.pos {
		t.Fatalf("ponders %s, want %s", pos, two.pos)
	}
	two.conn.Close(websocket.StatusNormalClosure, "")
	<-p.ended
}

// Pondering ends with the opponent's time limit, and with the agent.
func TestPonderEnds(t *testing.T) {
	p := &ponderer{asked: make(chan dotsandboxes.Position, 1), ended: make(chan struct{}, 1)}
	c := connect(t, servePonderer(t, p, true))
	c.send(`{"type":"start","player":2,"timelimit":0.02,"grid":[2,2],"game":"x"}`)
	<-p.asked
	<-p.ended // after the limit, without a move

	p = &ponderer{asked: make(chan dotsandboxes.Position, 1), ended: make(chan struct{}, 1)}
	p.t, p.Player = t, level(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, &Agent{Player: p, Ponder: true}) }()
	connect(t, "ws://"+ln.Addr().String()).begin("y", engine.Second, 2, 2)
	<-p.asked
	cancel()
	<-p.ended
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// An agent without Ponder does not ponder; one whose pondering fails still plays.
func TestPonderOffOrFailing(t *testing.T) {
	for _, ponder := range []bool{false, true} {
		p := &ponderer{panics: true}
		g := connect(t, servePonderer(t, p, ponder)).begin("a", engine.First, 2, 2)
		for !g.pos.Over() {
			m := g.pos.QuickMove()
			if g.pos.Turn() == engine.First {
				m = g.answer(g.pos)
			}
			g.draw(m)
		}
		if n := p.ponders.Load(); n > 0 && !ponder {
			t.Errorf("pondered %d times although it was switched off", n)
		}
	}
}

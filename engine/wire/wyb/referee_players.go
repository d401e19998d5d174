package wyb

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

// Local is a player in this process with limits.
type Local struct {
	engine.Player
	Limits Limits
	// Spender sets the clock of each move. If Spender.Pace is zero, the player receives the arena's clock.
	Spender Spender

	mu   sync.Mutex
	cpu  time.Duration // processor time in the game so far
	most uint64        // the largest memory use seen
}

// Choose calls the player. Processor time that this process uses meanwhile counts as the
// player's. If the player has exceeded the limits, the error is an *[arena.Fault].
func (l *Local) Choose(ctx context.Context, p engine.Position, c engine.Clock) (d engine.Decision, err error) {
	q, err := engine.As[watchyourback.Position](p)
	if err != nil {
		return d, err
	}
	spent := l.Spender.Spend(ctx, q, l.Used().CPU, func(ctx context.Context, own engine.Clock) {
		if l.Spender.Pace != (Pace{}) {
			c = own
		}
		d, err = l.Player.Choose(ctx, p, c)
	})
	l.mu.Lock()
	l.cpu += spent
	l.mu.Unlock()
	if err == nil {
		err = l.Limits.Check(l.Used())
	}
	return d, err
}

// Used returns the player's usage. The memory is that of the whole process.
func (l *Local) Used() program.Usage {
	now := program.OwnSpace()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.most = max(l.most, now)
	return program.Usage{CPU: l.cpu, Space: now, Peak: l.most}
}

// Human plays from a terminal. The person types an action as (x,y), (xa,ya)->(xb,yb) or None; quit or
// exit resigns.
type Human struct {
	In   *bufio.Reader
	Out  io.Writer
	Side engine.Side
}

func (h *Human) Name() string { return "human" }

func (h *Human) MoveTimeout(time.Duration, bool) time.Duration { return 0 }

// Choose reads an action. The end of the input resigns. If ctx ends first, Choose returns, but a
// goroutine still reads the next line.
func (h *Human) Choose(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	for {
		fmt.Fprintf(h.Out, "%s to play> ", Colour(h.Side))
		var text string
		var err error
		typed := make(chan struct{})
		go func() {
			defer close(typed)
			text, err = h.In.ReadString('\n')
		}()
		select {
		case <-ctx.Done():
			return engine.Decision{}, ctx.Err()
		case <-typed:
		}
		switch word := strings.TrimSpace(text); {
		case err != nil && word == "":
			return engine.Decision{}, h.resigned(": end of input")
		case word == "quit", word == "exit":
			return engine.Decision{}, h.resigned("")
		case word == "help":
			fmt.Fprintf(h.Out, "an action, for instance %s; or quit\n", ActionOf(p.Moves()[0]))
			continue
		}
		m, err := p.ParseMove(text)
		if err != nil {
			fmt.Fprintf(h.Out, "%v\n", err)
			continue
		}
		return engine.Decision{Move: p.MoveString(m)}, nil
	}
}

func (h *Human) resigned(why string) error {
	return &arena.Fault{End: arena.Crash, Reason: Colour(h.Side) + " gave up" + why}
}

// Observe shows an action of the opponent.
func (h *Human) Observe(_ context.Context, by engine.Side, m engine.Move, _ engine.Position) error {
	if by == h.Side {
		return nil
	}
	_, err := fmt.Fprintf(h.Out, "the opponent played %s\n", ActionOf(m))
	return err
}

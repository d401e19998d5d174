package wyb

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

// Bot answers the line protocol for an engine.Player. It answers an illegal action with an error message.
type Bot struct {
	Player  engine.Player
	Spender Spender
	// Ponder lets a Player that is an [engine.Ponderer] think in the opponent's time.
	Ponder bool
	// Log, if not nil, receives unusable messages and fields, and failures of the player.
	Log *slog.Logger
	// Think, if not nil, is called with every decision.
	Think func(p watchyourback.Position, d engine.Decision)

	pos  watchyourback.Position
	side engine.Side
	used time.Duration // processor time of this process when the game began

	soFar engine.SoFar
}

// Serve answers messages from in on out. It returns nil at the end of the input and after an "end"
// message, and otherwise the error of ctx, of reading or of writing.
func (b *Bot) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := make(chan reply)
	done := make(chan struct{})
	defer close(done)
	go readLines(in, lines, done)
	enc := json.NewEncoder(out)
	stopPondering := func() {}
	defer func() { stopPondering() }()
	for {
		var r reply
		select {
		case <-ctx.Done():
			return ctx.Err()
		case r = <-lines:
		}
		stopPondering()
		stopPondering = func() {}
		if errors.Is(r.err, io.EOF) {
			return nil
		}
		if r.err != nil {
			return fmt.Errorf("standard input: %w", r.err)
		}
		answer, end := b.answer(ctx, r.line)
		if end {
			return nil
		}
		if answer == nil {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := enc.Encode(answer); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
		if b.Ponder && b.side != engine.None && b.pos.Turn() != b.side && !b.pos.Over() {
			stopPondering = engine.StartPonder(ctx, b.Player, b.pos, nil)
		}
	}
}

func problem(format string, args ...any) Message {
	return Message{Type: typeError, Text: fmt.Sprintf(format, args...)}
}

// answer returns the answer to a line, nil for none. end reports whether the line ends the session.
func (b *Bot) answer(ctx context.Context, line []byte) (answer any, end bool) {
	log := cmp.Or(b.Log, slog.New(slog.DiscardHandler))
	m, odd, err := decode(line)
	if err != nil {
		if len(line) > 0 {
			log.Warn("ignored: no message of the protocol", "cause", err, "line", engine.OneLine(string(line), 80))
		}
		return nil, false
	}
	if odd != nil {
		log.Warn("a field cannot be read", "cause", odd)
	}
	if b.side == engine.None && m.Type != typeStart && m.Type != typeEnd {
		return problem("%q before \"start\"", engine.OneLine(m.Type, 40)), false
	}
	switch m.Type {
	case typeStart:
		return b.start(m), false
	case typeEnd:
		return nil, true
	case typeUpdate:
		return b.update(m), false
	case typeAction:
		if !m.Turns.IsZero() && !m.Turns.Is(b.pos.Turns()) {
			turns := engine.OneLine(m.Turns.String(), 40)
			log.Warn("the referee counts other turns", "turns", turns, "by the actions so far", b.pos.Turns())
		}
		a, err := b.act(ctx)
		if err != nil {
			return problem("%v", err), false
		}
		return Message{Type: typeAction, Action: a}, false
	}
	return problem("type %q: want start, action, update or end", engine.OneLine(m.Type, 40)), false
}

// start begins a game and returns the answer to a start message.
func (b *Bot) start(m Message) Message {
	if b.side != engine.None { // the start of the process counts in the first game
		b.used = program.OwnCPU()
	}
	switch strings.ToLower(strings.TrimSpace(m.Colour)) {
	case "white":
		b.side = engine.First
	case "black":
		b.side = engine.Second
	default:
		return problem("colour %q: want white or black", engine.OneLine(m.Colour, 40))
	}
	b.pos = watchyourback.New(m.Strict)
	return Message{Type: typeReady}
}

// update plays the opponent's action and returns the answer to an update message.
func (b *Bot) update(m Message) Message {
	if m.badAction != nil {
		return problem("update: %v", m.badAction)
	}
	if !m.Action.given {
		return problem("update without an action")
	}
	if err := b.play(m.Action); err != nil {
		return problem("update %s: %v", m.Action, err)
	}
	return Message{Type: typeOK}
}

// play plays an action of the opponent, or returns an error and changes nothing.
func (b *Bot) play(a Action) error {
	if b.pos.Turn() == b.side {
		return fmt.Errorf("it is %s's turn", Colour(b.pos.Turn()))
	}
	m, err := a.Move()
	if err != nil {
		return err
	}
	next, err := b.pos.PlayMove(m)
	if err != nil {
		return err
	}
	b.pos = next
	return nil
}

// act chooses a move, plays it and returns it as an action. If the player fails, act plays the move of
// [engine.SoFar.Move]; it returns an error if there is none or if ctx has ended.
func (b *Bot) act(ctx context.Context) (Action, error) {
	if b.pos.Turn() != b.side {
		return Action{}, fmt.Errorf("it is %s's turn", Colour(b.pos.Turn()))
	}
	var a engine.Answer
	b.Spender.Spend(ctx, b.pos, program.OwnCPU()-b.used, func(ctx context.Context, c engine.Clock) {
		a = <-engine.Ask(ctx, b.Player, b.pos, c, &b.soFar).Answer
	})
	if a.Err != nil {
		d, m, ok := b.soFar.Move(b.pos)
		if !ok || ctx.Err() != nil {
			return Action{}, a.Err
		}
		log := cmp.Or(b.Log, slog.New(slog.DiscardHandler))
		log.Warn("the player failed, playing the last move it reported", "cause", a.Err)
		a.Decision, a.Move = d, m
	}
	if b.Think != nil {
		b.Think(b.pos, a.Decision)
	}
	b.pos = b.pos.Next(a.Move)
	return ActionOf(a.Move), nil
}

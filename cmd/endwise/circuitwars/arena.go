package circuitwars

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/wire/cwhttp"
	"endwise/engine/wire/program"
)

const (
	// joinTime is how long a program may take to register.
	joinTime = 30 * time.Second
	// firstMoveTime is how long a program may take for the first move of a
	// game, which the protocol does not time.
	firstMoveTime = time.Minute
	// leaveTime is what a program has to see the result and end by itself.
	leaveTime = time.Second
)

// allSquares scores a game of Circuit Wars lost by rule: all squares to none.
func allSquares(last engine.Position, winner engine.Side) (score [2]int) {
	if p, ok := last.(circuitwars.Position); ok && winner != engine.None {
		score[winner-1] = p.Board().Squares()
	}
	return score
}

// writeLog writes a game as the championship's server logs it. A
// random opening is part of the game: its moves are the teams'. A game that a
// program crashed in, or never came to, is a timeout there.
func writeLog(w io.Writer, _ engine.Position, r arena.Result) error {
	g := circuitwars.Log{Teams: r.Players, Score: r.Score}
	for _, moves := range [][]string{r.Opening, r.Moves} {
		for _, m := range moves {
			g.Moves = append(g.Moves, circuitwars.LogMove{Team: r.Players[len(g.Moves)%2], Text: m})
		}
	}
	switch {
	case r.End == arena.Illegal:
		g.Code = circuitwars.IllegalBy1.For(r.Loser())
		g.Moves = append(g.Moves, circuitwars.LogMove{Team: r.Players[r.Loser()-1], Text: r.BadMove})
	case r.End == arena.NoPlayer:
		g.Code = circuitwars.TimeoutBy1
	case r.Forfeited():
		g.Code = circuitwars.TimeoutBy1.For(r.Loser())
	case r.Winner == engine.First:
		g.Code = circuitwars.WonBy1
	default:
		// The server has no code for a tie: the first player did not win.
		g.Code = circuitwars.WonBy1.For(engine.Second)
	}
	return circuitwars.WriteLog(w, g)
}

// openProgram opens players that are programs which play on a game
// server: each game starts the command with the server's address and the team
// name as arguments, and as ENDWISE_SERVER and ENDWISE_TEAM.
func openProgram(env cli.ProgramEnv, command string) (func(context.Context, arena.Seat) (engine.Player, error), error) {
	if strings.TrimSpace(command) == "" {
		return nil, errors.New("cmd: no command")
	}
	if err := program.Startable(command); err != nil {
		return nil, fmt.Errorf("cmd: %w", err)
	}
	return func(ctx context.Context, seat arena.Seat) (engine.Player, error) {
		start, ok := seat.Start.(circuitwars.Position)
		if !ok {
			return nil, fmt.Errorf("a position of %s", seat.Start.Game())
		}
		p := &guest{side: seat.Side}
		var err error
		p.Guest, err = cwhttp.NewGuest(ctx, cwhttp.GuestConfig{
			Start: start, Side: seat.Side, Timeout: seat.Time, Margin: seat.Margin,
			Lost: func(l *cwhttp.GuestLoss) { seat.Forfeit(*guestFault(l)) },
		})
		if err != nil {
			return nil, err
		}
		cfg := program.Config{
			Command: command,
			Args:    []string{p.URL(), env.Name},
			Env:     []string{"ENDWISE_SERVER=" + p.URL(), "ENDWISE_TEAM=" + env.Name},
		}
		if env.Output != "" {
			if p.output, err = os.Create(filepath.Join(env.Output, seat.Game+"."+env.Name+".out")); err != nil {
				p.Guest.Close()
				return nil, err
			}
			cfg.Output = p.output
		}
		if p.program, err = program.Start(ctx, cfg); err != nil {
			p.Close()
			return nil, err
		}
		if err := p.join(ctx); err != nil {
			p.Close()
			return nil, err
		}
		return p, nil
	}, nil
}

// guestFault is the arena's word for a loss on the guest's server.
func guestFault(l *cwhttp.GuestLoss) *arena.Fault {
	if l.Code.Kind() == circuitwars.IllegalBy1.Kind() {
		return &arena.Fault{End: arena.Illegal, Reason: l.Error(), Move: l.Move, Turn: l.Turn}
	}
	return &arena.Fault{End: arena.Timeout, Reason: l.Error(), Turn: l.Turn}
}

// guest is a program at one game.
type guest struct {
	*cwhttp.Guest
	side    engine.Side
	program *program.Program
	output  *os.File
}

// join waits until the program has registered.
func (p *guest) join(ctx context.Context) error {
	t := time.NewTimer(joinTime)
	defer t.Stop()
	ended := p.program.Done()
	for {
		select {
		case <-p.Joined():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			return &arena.Fault{End: arena.Timeout, Reason: fmt.Sprintf("did not register within %v", joinTime)}
		case <-ended:
			if err := p.program.Failed(); err != nil {
				return err
			}
			// It may have left the playing to a program in the background.
			ended = nil
		}
	}
}

// FirstMove is the arena's patience for a move that the protocol does not time.
func (p *guest) FirstMove(time.Duration) time.Duration { return firstMoveTime }

// Choose waits for the program's move. A program that ends with an error has
// crashed.
func (p *guest) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	watched := make(chan struct{})
	defer func() { stop(); <-watched }()
	go func() {
		defer close(watched)
		select {
		case <-waiting.Done():
		case <-p.program.Done():
			if p.program.Failed() != nil {
				stop()
			}
		}
	}()
	d, err := p.Guest.Choose(waiting, pos, c)
	loss := new(cwhttp.GuestLoss)
	switch failed := p.program.Failed(); {
	case errors.As(err, &loss):
		return d, guestFault(loss)
	case err != nil && ctx.Err() == nil && failed != nil:
		return d, failed
	}
	return d, err
}

// Finish shows the program a result that its server can't know.
func (p *guest) Finish(r arena.Result) {
	if r.Forfeited() && r.Loser() != engine.None {
		p.Lose(r.Loser(), r.End == arena.Illegal)
	}
}

// Close ends the program and its server.
func (p *guest) Close() error {
	if p.program != nil {
		p.program.End(leaveTime)
	}
	err := p.Guest.Close()
	if p.output != nil {
		err = errors.Join(err, p.output.Close())
	}
	return err
}

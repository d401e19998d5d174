package circuitwars

import (
	"context"
	"errors"
	"fmt"
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
	joinTime      = 30 * time.Second // to register
	firstMoveTime = time.Minute      // the minimum; the protocol does not time the first move
	leaveTime     = time.Second      // to see the result and exit
)

// programPort is the address of programs if they cannot have their own networks.
var programPort = &sharedPort{address: studentAddress}

// openProgram checks a command that starts a program for a game server, and returns a function that
// starts it for one game. Each program has its own network; if the system does not allow that, one game
// is played at a time. Before the first game the program must register once.
func openProgram(env cli.ProgramEnv, command string) (func(context.Context, arena.Setup) (engine.Player, error), error) {
	if strings.TrimSpace(command) == "" {
		return nil, errors.New("cmd: no command")
	}
	if err := program.Startable(command); err != nil {
		return nil, fmt.Errorf("cmd: %w", err)
	}
	o := programOpener{env: env, command: command}
	if err := program.OwnNetwork(); err != nil {
		o.port = programPort
		if err := o.port.checkFree(); err != nil {
			return nil, fmt.Errorf("cmd: %w", err)
		}
	}
	env.Before(func(ctx context.Context, trial arena.Setup) error {
		trialOpener := o
		trialOpener.env.Output = ""
		p, err := trialOpener.open(ctx, trial)
		if err != nil {
			return err
		}
		joined := p.(*externalProgram)
		joined.program.End(0)
		return joined.Close()
	})
	return o.open, nil
}

type programOpener struct {
	env     cli.ProgramEnv
	command string
	port    *sharedPort // nil if each program has its own network
}

func (o programOpener) open(ctx context.Context, setup arena.Setup) (engine.Player, error) {
	start, err := engine.As[circuitwars.Position](setup.Start)
	if err != nil {
		return nil, err
	}
	p := &externalProgram{}
	if err := o.start(ctx, p, setup, cwhttp.ExternalConfig{
		Start: start, Side: setup.Side, Timeout: setup.Time, Grace: setup.Grace,
		Lost: setup.Forfeit,
	}); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// start starts the server of side and the program, and waits until the program has registered. If the opponent
// leaves a shared port before, start returns nil without the program. p must be closed also after an error.
func (o programOpener) start(ctx context.Context, p *externalProgram, setup arena.Setup,
	side cwhttp.ExternalConfig) (err error) {
	address := studentAddress
	var game *portGame
	if o.port != nil {
		address = o.port.address
		p.ExternalPlayer, game, err = o.port.enter(ctx, setup.Game, side, !o.env.IsProgram(setup.Opponent))
		if game != nil {
			p.leave = func() error { return o.port.leave(game, p.ExternalPlayer) }
		}
		if err != nil {
			return err
		}
	}
	cfg := program.Config{
		Command: o.command,
		Args:    []string{"http://" + address, o.env.Name},
		Env:     []string{"ENDWISE_SERVER=http://" + address, "ENDWISE_TEAM=" + o.env.Name},
	}
	if o.env.Output != "" {
		if p.output, err = os.Create(filepath.Join(o.env.Output, setup.Game+"."+o.env.Name+".out")); err != nil {
			return err
		}
		cfg.Output = p.output
	}
	if o.port == nil {
		cfg.Network = address
		if p.program, err = program.Start(ctx, cfg); err != nil {
			return err
		}
		players, err := cwhttp.NewExternalPlayers(ctx, p.program.Listener(), side)
		if err != nil {
			return err
		}
		p.ExternalPlayer = players[setup.Side-1]
		p.leave = p.ExternalPlayer.Close
		return p.join(ctx)
	}
	if !game.waitTurn(ctx, setup.Side) {
		return ctx.Err() // nil: the opponent forfeits without a move
	}
	if p.program, err = program.Start(ctx, cfg); err != nil {
		return err
	}
	return p.join(ctx)
}

// externalProgram is a program in one game.
type externalProgram struct {
	*cwhttp.ExternalPlayer
	leave   func() error // ends its part on the server
	program *program.Program
	output  *os.File
}

// join waits until the program has registered, at most for joinTime.
func (p *externalProgram) join(ctx context.Context) error {
	t := time.NewTimer(joinTime)
	defer t.Stop()
	for {
		select {
		case <-p.Joined():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			return fmt.Errorf("the program did not register at %s within %v; it must use the server and the team that it is given", p.URL(), joinTime)
		case <-p.program.Done():
			select {
			case <-p.Joined(): // it registered before
				return nil
			default:
			}
			if err := p.program.Failed(); err != nil {
				return err
			}
			return fmt.Errorf("no registration at the server; %w", p.program.Exited())
		}
	}
}

// MoveTimeout implements [arena.Timed].
func (p *externalProgram) MoveTimeout(limit time.Duration, first bool) time.Duration {
	if first {
		return max(limit, firstMoveTime)
	}
	return limit
}

// Choose waits for the program's move, or until the program exits with an error.
func (p *externalProgram) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	waiting, stop := context.WithCancel(ctx)
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
	d, err := p.ExternalPlayer.Choose(waiting, pos, c)
	if failed := p.program.Failed(); failed != nil && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return d, failed
	}
	return d, err
}

// Finish shows the program the result if a player forfeited the game.
func (p *externalProgram) Finish(r arena.Result) {
	if r.Forfeited() && r.Loser() != engine.None {
		p.Lose(r.Loser(), r.End == arena.Illegal)
	}
}

// Close ends the program and its part on the server, as far as they have been started.
func (p *externalProgram) Close() error {
	if p.program != nil {
		p.program.End(leaveTime)
	}
	var err error
	if p.leave != nil {
		err = p.leave()
	}
	if p.output != nil {
		err = errors.Join(err, p.output.Close())
	}
	return err
}

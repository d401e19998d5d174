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
	// joinTime is the time for a program to register.
	joinTime = 30 * time.Second
	// firstMoveTime is the time for the first move of a game, which the protocol does not
	// time.
	firstMoveTime = time.Minute
	// leaveTime is the time for a program to see the result and exit.
	leaveTime = time.Second
)

// programPort is the address of programs if they cannot have their own networks.
var programPort = &sharedPort{address: studentAddress}

// openProgram opens players that are programs for a game server. For each game the command is
// started with the server's address and the team name as arguments and as ENDWISE_SERVER and
// ENDWISE_TEAM. The address is the one built into programs of the championship. Each program has its
// own network with that address; if the system does not allow that, one game is played at a time.
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
		if err := o.port.check(); err != nil {
			return nil, fmt.Errorf("cmd: %w", err)
		}
	}
	return o.open, nil
}

// programOpener starts a program for each game.
type programOpener struct {
	env     cli.ProgramEnv
	command string
	port    *sharedPort // nil if each program has its own network
}

// open starts the program for a game and returns it as a player.
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

// start starts the server and the program of p, and waits until the program has registered.
// p must be closed also after an error.
func (o programOpener) start(ctx context.Context, p *externalProgram, setup arena.Setup,
	rules cwhttp.ExternalConfig) (err error) {
	address := studentAddress
	if o.port != nil {
		address = o.port.address
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
		players, err := cwhttp.NewExternalPlayers(ctx, p.program.Listener(), rules)
		if err != nil {
			return err
		}
		p.ExternalPlayer = players[setup.Side-1]
		p.leave = p.ExternalPlayer.Close
		return p.join(ctx)
	}
	var game *portGame
	if p.ExternalPlayer, game, err = o.port.enter(ctx, setup.Game, rules, !o.env.IsProgram(setup.Opponent)); err != nil {
		return err
	}
	p.leave = func() error { return o.port.leave(game, p.ExternalPlayer) }
	if !game.turn(ctx, setup.Side) {
		return ctx.Err() // the opponent forfeited without a move
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

// join waits until the program has registered. It returns an error if the program ends before
// that or does not register within joinTime.
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
			return fmt.Errorf("it did not register at %s within %v", p.URL(), joinTime)
		case <-p.program.Done():
			select {
			case <-p.Joined(): // it registered before
				return nil
			default:
			}
			if err := p.program.Failed(); err != nil {
				return err
			}
			return fmt.Errorf("it did not register: %w", p.program.Exited())
		}
	}
}

// MoveTimeout allows more for the first move, which the protocol does not time.
func (p *externalProgram) MoveTimeout(limit time.Duration, first bool) time.Duration {
	if first {
		return max(limit, firstMoveTime)
	}
	return limit
}

// Choose waits for the program's move. If the program exits with an error, Choose returns
// that error.
func (p *externalProgram) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
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
	d, err := p.ExternalPlayer.Choose(waiting, pos, c)
	if failed := p.program.Failed(); failed != nil && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return d, failed
	}
	return d, err
}

// Finish ends the game on the program's server if a player forfeited it, so that the program sees the
// result.
func (p *externalProgram) Finish(r arena.Result) {
	if r.Forfeited() && r.Loser() != engine.None {
		p.Lose(r.Loser(), r.End == arena.Illegal)
	}
}

// Close ends the program and its part on the server, and closes the file of its output.
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

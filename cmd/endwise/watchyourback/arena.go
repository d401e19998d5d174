package watchyourback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/wire/program"
	"endwise/engine/wire/wyb"
)

// writeLog writes a game in the form of the referee's output, without its lines on time and space.
func writeLog(w io.Writer, start engine.Position, r arena.Result) error {
	if _, err := fmt.Fprintf(w, "White (O): %s\nBlack (@): %s\n\n", r.Players[0], r.Players[1]); err != nil {
		return err
	}
	out, p := wyb.NewPrinter(w), start
	if err := out.Reached(p); err != nil {
		return err
	}
	for _, text := range slices.Concat(r.Opening, r.Moves) {
		m, err := p.ParseMove(text)
		if err != nil {
			return err
		}
		if p, err = p.Play(m); err != nil {
			return err
		}
		if err := out.Reached(p); err != nil {
			return err
		}
	}
	if loser := r.Loser(); r.Forfeited() && loser != engine.None {
		_, reason, _ := strings.Cut(r.Fault, ": ")
		if err := out.Lost(loser, nil, arena.Fault{End: r.End, Reason: cmp.Or(r.BadMove, reason)}); err != nil {
			return err
		}
	}
	if r.Fault != "" {
		if _, err := fmt.Fprintln(w, r.Fault); err != nil {
			return err
		}
	}
	return out.Winner(r.Winner)
}

// openCommand opens programs that use the line protocol.
func openCommand(env cli.ProgramEnv, command string) (cli.OpenPlayer, error) {
	if err := program.Startable(command); err != nil {
		return nil, fmt.Errorf("cmd: %w", err)
	}
	return openProcess(env, func(l wyb.Limits, log io.Writer) (*wyb.Process, error) {
		return wyb.NewCommand(command, l, log)
	})
}

// openPython opens Python modules with a class Player.
func openPython(env cli.ProgramEnv, module string) (cli.OpenPlayer, error) {
	return openProcess(env, func(l wyb.Limits, log io.Writer) (*wyb.Process, error) {
		return wyb.NewPython("", module, l, log)
	})
}

const trialTime = 5 * time.Second // the maximum for the first move of a trial

// trials limits the number of trials that run concurrently, because a player may compute in its first move.
var trials = make(chan struct{}, cli.Processors)

// openProcess returns a function that starts a process for each game. create returns a process that has not
// started and writes its standard error to log, nil for none; its error is returned early. Before the first
// game, a process must start and must not crash on its first move.
func openProcess(env cli.ProgramEnv, create func(l wyb.Limits, log io.Writer) (*wyb.Process, error)) (cli.OpenPlayer, error) {
	if env.Openings > 0 {
		return nil, errors.New("the referee's protocol begins at the first placement: leave out --openings")
	}
	if _, err := create(wyb.Limits{}, nil); err != nil {
		return nil, err
	}
	open := func(ctx context.Context, setup arena.Setup, output string) (engine.Player, error) {
		limits := wyb.Limits{Start: max(10*time.Second, setup.Time)}
		if setup.Time > 0 {
			limits.Answer = setup.Time + setup.Grace
		}
		p := new(recorded)
		var log io.Writer
		if output != "" {
			var err error
			if p.output, err = os.Create(filepath.Join(output, setup.Game+"."+env.Name+".out")); err != nil {
				return nil, err
			}
			log = p.output
		}
		var err error
		if p.Process, err = create(limits, log); err == nil {
			err = p.Start(ctx, setup)
		}
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
		return p, nil
	}
	env.Before(func(ctx context.Context, trial arena.Setup) error {
		trials <- struct{}{}
		defer func() { <-trials }()
		p, err := open(ctx, trial, "")
		if err != nil {
			return err
		}
		defer p.(*recorded).Close()
		choosing, stop := context.WithTimeout(ctx, trialTime)
		defer stop()
		_, err = p.Choose(choosing, trial.Start, engine.Clock{})
		if fault := new(arena.Fault); errors.As(err, &fault) && fault.End == arena.Crash {
			return err
		}
		return ctx.Err() // another first move forfeits games
	})
	return func(ctx context.Context, setup arena.Setup) (engine.Player, error) {
		return open(ctx, setup, env.Output)
	}, nil
}

// recorded is a program whose standard error is written to output, nil for none.
type recorded struct {
	*wyb.Process
	output *os.File
}

func (p *recorded) Close() error {
	var errs []error
	if p.Process != nil {
		errs = append(errs, p.Process.Close())
	}
	if p.output != nil {
		errs = append(errs, p.output.Close())
	}
	return errors.Join(errs...)
}

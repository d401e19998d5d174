package watchyourback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
	"endwise/engine/wire/wyb"
)

const (
	// actorStart is how long a program of Watch Your Back may take to be
	// ready, at least.
	actorStart = 10 * time.Second
	// actorEnd is what it has to take in the last action.
	actorEnd = time.Second
)

// writeLog writes a game as the referee shows it, without its
// lines on time and space: boards, progress and closing lines.
func writeLog(w io.Writer, start engine.Position, r arena.Result) error {
	_, err := fmt.Fprintf(w, "White (O): %s\nBlack (@): %s\n\n", r.Players[0], r.Players[1])
	p, ok := start.(watchyourback.Position)
	if !ok {
		return fmt.Errorf("a position of %s", start.Game())
	}
	show := func() {
		if err == nil {
			err = p.Draw(w, engine.DrawStyle{})
		}
		if err != nil {
			return
		}
		if p.Over() {
			_, err = fmt.Fprintln(w, "game over!")
		} else {
			_, err = fmt.Fprintf(w, "%d turns into the %s phase\n", p.Turns(), p.Phase())
		}
	}
	show()
	for _, moves := range [][]string{r.Opening, r.Moves} {
		for _, text := range moves {
			m, parseErr := p.ParseMove(text)
			if parseErr != nil {
				return parseErr
			}
			p = p.Next(m)
			show()
		}
	}
	if err == nil && r.Fault != "" {
		if r.End == arena.Illegal {
			_, err = fmt.Fprintf(w, "invalid action (%s): %s\n", whiteOrBlack(r.Loser()), r.BadMove)
		}
		if err == nil {
			_, err = fmt.Fprintln(w, r.Fault)
		}
	}
	if err != nil {
		return err
	}
	if r.Winner == engine.None {
		_, err = fmt.Fprintln(w, "winner: draw!")
	} else {
		_, err = fmt.Fprintf(w, "winner: %s!\n", whiteOrBlack(r.Winner))
	}
	return err
}

func whiteOrBlack(s engine.Side) string {
	if s == engine.First {
		return "W"
	}
	return "B"
}

// openCommand opens programs that speak the referee's line protocol.
func openCommand(env cli.ProgramEnv, command string) (func(context.Context, arena.Seat) (engine.Player, error), error) {
	if err := program.Startable(command); err != nil {
		return nil, fmt.Errorf("cmd: %w", err)
	}
	return openProcess(env, func(l wyb.Limits, log io.Writer) (*wyb.Process, error) { return wyb.NewCommand(command, l, log) })
}

// openPython opens Python modules with a Player class.
func openPython(env cli.ProgramEnv, module string) (func(context.Context, arena.Seat) (engine.Player, error), error) {
	return openProcess(env, func(l wyb.Limits, log io.Writer) (*wyb.Process, error) { return wyb.NewPython("", module, l, log) })
}

// openProcess opens a process for each game.
func openProcess(env cli.ProgramEnv, make func(wyb.Limits, io.Writer) (*wyb.Process, error)) (func(context.Context, arena.Seat) (engine.Player, error), error) {
	if env.Openings > 0 {
		return nil, errors.New("the referee's protocol begins at the first placement: leave out --openings")
	}
	if _, err := make(wyb.Limits{}, nil); err != nil {
		return nil, err
	}
	return func(ctx context.Context, seat arena.Seat) (engine.Player, error) {
		start, ok := seat.Start.(watchyourback.Position)
		if !ok {
			return nil, fmt.Errorf("a position of %s", seat.Start.Game())
		}
		p := &actor{side: seat.Side}
		var log io.Writer
		if env.Output != "" {
			var err error
			if p.output, err = os.Create(filepath.Join(env.Output, seat.Game+"."+env.Name+".out")); err != nil {
				return nil, err
			}
			log = p.output
		}
		var err error
		if p.Process, err = make(wyb.Limits{Answer: max(actorStart, seat.Time)}, log); err == nil {
			err = p.Start(ctx, seat.Side, start.Strict())
		}
		if err != nil {
			p.Close()
			return nil, actorFault(err)
		}
		p.Limits.Answer = 0 // the referee's own limit
		if seat.Time > 0 {
			p.Limits.Answer = seat.Time + seat.Margin
		}
		return p, nil
	}, nil
}

// actor is a program of Watch Your Back at one game.
type actor struct {
	*wyb.Process
	side   engine.Side
	output *os.File
	// untold are the opponent's actions that it has not been told yet, with
	// the positions after them.
	untold []toldAction
}

type toldAction struct {
	action wyb.Action
	after  watchyourback.Position
}

// Observe keeps the opponent's action for the program's next turn.
func (p *actor) Observe(by engine.Side, m engine.Move, after engine.Position) {
	if q, ok := after.(watchyourback.Position); ok && by != p.side {
		p.untold = append(p.untold, toldAction{wyb.ActionOf(m), q})
	}
}

// tell tells the program what it has not been told.
func (p *actor) tell(ctx context.Context) error {
	for len(p.untold) > 0 {
		u := p.untold[0]
		p.untold = p.untold[1:]
		if err := p.Update(ctx, u.action, u.after); err != nil {
			return err
		}
	}
	return nil
}

// Choose asks the program for its action.
func (p *actor) Choose(ctx context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	q, ok := pos.(watchyourback.Position)
	if !ok {
		return engine.Decision{}, fmt.Errorf("a position of %s", pos.Game())
	}
	if err := p.tell(ctx); err != nil {
		return engine.Decision{}, actorFault(err)
	}
	a, err := p.Act(ctx, q)
	if err != nil {
		return engine.Decision{}, actorFault(err)
	}
	m, err := a.Move()
	if err == nil {
		_, err = q.Play(m)
	}
	if err != nil {
		return engine.Decision{}, &arena.Fault{End: arena.Illegal, Reason: fmt.Sprintf("%s: %v", a, err), Move: a.String()}
	}
	return engine.Decision{Move: q.MoveString(m), Source: "program"}, nil
}

// actorFault is the arena's word for a player's failure.
func actorFault(err error) error {
	f := new(wyb.Failure)
	if !errors.As(err, &f) {
		return err
	}
	switch f.Kind {
	case wyb.Illegal, wyb.Garbage:
		return &arena.Fault{End: arena.Illegal, Reason: f.Why}
	case wyb.OutOfTime:
		return &arena.Fault{End: arena.Timeout, Reason: f.Why}
	}
	return &arena.Fault{End: arena.Crash, Reason: f.Why}
}

// Finish tells the last action and the winner. A program that fails now has
// its result already.
func (p *actor) Finish(r arena.Result) {
	ctx, cancel := context.WithTimeout(context.Background(), actorEnd)
	defer cancel()
	if !r.Forfeited() {
		// An error means that it does not want to know.
		_ = p.tell(ctx)
	}
	p.End(r.Winner)
}

// Close ends the program and everything it has started.
func (p *actor) Close() error {
	var errs []error
	if p.Process != nil {
		errs = append(errs, p.Process.Close())
	}
	if p.output != nil {
		errs = append(errs, p.output.Close())
	}
	return errors.Join(errs...)
}

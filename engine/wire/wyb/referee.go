package wyb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

// Banner is what a session begins with, in the form of the real referee's.
const Banner = `Referee of Endwise, in the manner of referee version 1.2 (May 07 2018)
Plays a game of Watch Your Back! between two players of any kind
Allows for resource limiting to simulate performance constraints used in marking
Run ` + "`endwise referee -h`" + ` for help and additional usage information

`

// Rules are how a game is refereed.
type Rules struct {
	// Delay is the pause before each turn.
	Delay time.Duration
	// MaxTurns ends a game as a draw after so many turns of the moving
	// phase; 0 for no end.
	MaxTurns int
	// Strict leaves out the end of endless games.
	Strict bool
	// Out gets boards, progress and closing lines, as the real referee
	// prints them; nil for none.
	Out io.Writer
}

// Result is how a game ended.
type Result struct {
	// Winner is engine.None for a draw.
	Winner engine.Side
	// Failed is how the loser lost if not on the board, and Why a sentence
	// for every end that the board alone does not show.
	Failed *Failure
	Why    string
	// Position is the last one.
	Position watchyourback.Position
	// Used is what White and Black have used.
	Used [2]program.Usage
	// Moves holds the actions played.
	Moves []engine.Move
}

// Referee plays one game between two players, which it starts and, whatever
// happens, tells the end; closing them is the caller's. A player that fails
// loses; only a cancelled context and an Out that cannot be written to are
// errors.
func Referee(ctx context.Context, white, black Competitor, rules Rules) (Result, error) {
	out := io.Discard
	if rules.Out != nil {
		out = rules.Out
	}
	g := &game{
		players: [2]Competitor{white, black}, rules: rules,
		out: bufio.NewWriter(out), pos: watchyourback.New(rules.Strict),
	}
	err := g.play(ctx)
	var f *Failure
	switch {
	case errors.As(err, &f):
		g.res.Winner, g.res.Failed, g.res.Why = g.active.Other(), f, f.Why
		fmt.Fprintf(g.out, "%s (%s): %s\n", f.Kind, letter(g.active), f.Why)
	case err != nil:
		white.End(engine.None)
		black.End(engine.None)
		g.out.Flush()
		return g.res, err
	}
	g.res.Position = g.pos
	for i, p := range g.players {
		g.res.Used[i] = p.Used()
		p.End(g.res.Winner)
	}
	if g.res.Winner == engine.None {
		fmt.Fprintln(g.out, "winner: draw!")
	} else {
		fmt.Fprintf(g.out, "winner: %s!\n", letter(g.res.Winner))
	}
	return g.res, g.out.Flush()
}

func letter(s engine.Side) string {
	if s == engine.First {
		return "W"
	}
	return "B"
}

type game struct {
	players [2]Competitor
	rules   Rules
	out     *bufio.Writer
	pos     watchyourback.Position
	active  engine.Side // whose call is under way
	res     Result
}

// call runs a call of one player and prints the lines that follow each.
func (g *game) call(side engine.Side, f func(c Competitor) error) error {
	g.active = side
	c := g.players[side-1]
	before := c.Used().CPU
	if err := f(c); err != nil {
		return err
	}
	u := c.Used()
	fmt.Fprintf(g.out, "time: %.3fs (this turn), %.3fs (total)\n", max(0, u.CPU-before).Seconds(), u.CPU.Seconds())
	o := g.players[side.Other()-1].Used()
	space, most := u.Space+o.Space, u.Peak+o.Peak
	if g.shareProcess() {
		space, most = u.Space, max(u.Peak, o.Peak)
	}
	fmt.Fprintf(g.out, "space: %.3fMB (current usage) %.3fMB (max usage) (both players)\n", float64(space)/1e6, float64(most)/1e6)
	return g.out.Flush()
}

// shareProcess says whether both players' memory is this process's.
func (g *game) shareProcess() bool {
	_, a := g.players[0].(*Local)
	_, b := g.players[1].(*Local)
	return a && b
}

func (g *game) play(ctx context.Context) error {
	for _, side := range [2]engine.Side{engine.First, engine.Second} {
		if err := g.call(side, func(c Competitor) error { return c.Start(ctx, side, g.rules.Strict) }); err != nil {
			return err
		}
	}
	if err := g.show(); err != nil {
		return err
	}
	for !g.pos.Over() {
		if g.capped() {
			g.res.Why = fmt.Sprintf("a draw after %d turns of the moving phase, the limit", g.rules.MaxTurns)
			fmt.Fprintln(g.out, g.res.Why)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(g.rules.Delay):
		}
		side := g.pos.Turn()
		var a Action
		var m engine.Move
		err := g.call(side, func(c Competitor) (err error) {
			a, err = c.Act(ctx, g.pos)
			return err
		})
		if err != nil {
			return err
		}
		if m, err = a.Move(); err != nil {
			return failure(Illegal, "%v", err)
		}
		next, err := g.pos.Do(m)
		if err != nil {
			return failure(Illegal, "%s: %s", a, strings.TrimPrefix(err.Error(), engine.ErrIllegalMove.Error()+": "))
		}
		g.pos = next
		g.res.Moves = append(g.res.Moves, m)
		if err := g.show(); err != nil {
			return err
		}
		if err := g.call(side.Other(), func(c Competitor) error { return c.Update(ctx, a, g.pos) }); err != nil {
			// A result on the board stands whatever the player does then.
			if f := new(Failure); !g.pos.Over() || !errors.As(err, &f) {
				return err
			}
		}
	}
	g.res.Winner = g.pos.Winner()
	if g.res.Winner == engine.None {
		switch s := g.pos.Score(); {
		case s[0] < 2 && s[1] < 2:
			g.res.Why = "both sides have fewer than two pieces"
		case g.pos.Quiet() >= watchyourback.QuietLimit:
			g.res.Why = fmt.Sprintf("a draw: %d turns without an elimination on the 4x4 board", watchyourback.QuietLimit)
		default:
			g.res.Why = "a draw: both sides are blocked"
		}
	}
	return nil
}

func (g *game) capped() bool {
	return g.rules.MaxTurns > 0 && g.pos.Phase() == watchyourback.Moving && g.pos.Turns() >= g.rules.MaxTurns
}

// show prints the board and the line below it.
func (g *game) show() error {
	if err := g.pos.Draw(g.out, engine.DrawStyle{}); err != nil {
		return err
	}
	if g.pos.Over() {
		fmt.Fprintln(g.out, "game over!")
	} else {
		fmt.Fprintf(g.out, "%d turns into the %s phase\n", g.pos.Turns(), g.pos.Phase())
	}
	return g.out.Flush()
}

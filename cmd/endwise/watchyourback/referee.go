package watchyourback

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	wybbook "endwise/book/watchyourback"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/levels"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
	"endwise/engine/wire/wyb"
	"endwise/solver/farm"
)

// refereeFlags are the options of the referee command.
type refereeFlags struct {
	delay, cpu, space  float64 // seconds, seconds, megabytes, as the real referee takes them
	answer             time.Duration
	moveTime, gameTime time.Duration
	games, maxTurns    int
	strict, quiet      bool
	noSolve            bool
	python             string
	seed               uint64
	sources            cli.LookupFlags
}

func newRefereeCmd(a *cli.App) *cobra.Command {
	var f refereeFlags
	c := &cobra.Command{
		Use:   "referee WHITE BLACK",
		Short: "Referee games of Watch Your Back! between players of any kind",
		Long: `Plays Watch Your Back! between two players and prints boards, progress and
closing lines as the real referee does. A player is
  ` + strings.Join(levels.WatchYourBackNames(), ", ") + `
                 a built-in opponent
  endwise        this program
  py:MODULE      a Python file (or module name) with a Player class, run in a
                 process of its own
  cmd:COMMAND    a program that speaks the line protocol, run by the shell
  human          you, at this terminal: (x,y), (xa,ya)->(xb,yb) or None
A player that crashes, hangs, breaks a limit, answers nonsense or plays an
invalid action loses, and the last lines say why.

With --games the players change colours after every game. Without --strict a
game on the 4x4 board is a draw when both are blocked or after ` + fmt.Sprint(watchyourback.QuietLimit) + ` turns without
an elimination; the real rules have no end there.`,
		Example: "  endwise referee endwise greedy\n  endwise referee py:bots/mine.py endwise -t 60 --games 10 --quiet",
		Args:    cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			cli.AddSpareThreads()
			if err := f.check(); err != nil {
				return cli.BadInput(err)
			}
			if (f.cpu > 0 || f.gameTime > 0) && !cmd.Flags().Changed("threads") {
				f.sources.Threads = 1 // processor time counts: a second thread spends as much and finds less
			}
			return referee(cmd.Context(), a, rest[0], rest[1], &f)
		},
	}
	fl := c.Flags()
	fl.Float64VarP(&f.delay, "delay", "d", 0, "seconds to wait before each turn")
	fl.Float64VarP(&f.cpu, "time", "t", 0, "seconds of processor time a player may use in a game (default no limit)")
	fl.Float64VarP(&f.space, "space", "s", 0, "megabytes a player may use; players of this program itself are measured together (default no limit)")
	fl.DurationVar(&f.answer, "wall", wyb.DefaultAnswer, "wall-clock limit of one answer, for everybody but humans")
	fl.DurationVar(&f.moveTime, "move-time", 3*time.Second, "most that endwise spends on a move")
	fl.DurationVar(&f.gameTime, "game-time", 0, "processor time that endwise spends on a game (default nine tenths of -t, else no limit)")
	fl.IntVar(&f.games, "games", 1, "number of games")
	fl.IntVar(&f.maxTurns, "max-turns", 0, "end a game as a draw after so many turns of the moving phase")
	fl.BoolVar(&f.strict, "strict", false, "the real rules: no end by blocking or shuffling on the 4x4 board")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no boards, one line a game")
	fl.BoolVar(&f.noSolve, "no-solve", false, "let endwise play without the 6x6 tables that the store lacks instead of solving them first")
	fl.StringVar(&f.python, "python", "python3", "Python interpreter for py: players")
	fl.Uint64Var(&f.seed, "seed", 0, "repeat the choices of built-in opponents; 0 for new ones")
	f.sources.RegisterSources(c)
	return c
}

func (f *refereeFlags) check() error {
	switch {
	case f.delay < 0:
		return fmt.Errorf("-d %v: want 0 or more seconds", f.delay)
	case f.cpu < 0:
		return fmt.Errorf("-t %v: want 0 or more seconds", f.cpu)
	case f.space < 0:
		return fmt.Errorf("-s %v: want 0 or more megabytes", f.space)
	case f.answer <= 0:
		return fmt.Errorf("--wall %v: want a time above 0", f.answer)
	case f.moveTime <= 0:
		return fmt.Errorf("--move-time %v: want a time above 0", f.moveTime)
	case f.gameTime < 0:
		return fmt.Errorf("--game-time %v: want a time above 0", f.gameTime)
	case f.games < 1:
		return fmt.Errorf("--games %d: want 1 or more", f.games)
	case f.maxTurns < 0:
		return fmt.Errorf("--max-turns %d: want 0 or more", f.maxTurns)
	}
	return nil
}

func (f *refereeFlags) limits() wyb.Limits {
	return wyb.Limits{
		CPU:    time.Duration(f.cpu * float64(time.Second)),
		Space:  uint64(f.space * 1e6),
		Answer: f.answer,
	}
}

// seats makes the competitors of a referee session, new ones for each game.
type seats struct {
	app    *cli.App
	flags  *refereeFlags
	stdin  *bufio.Reader
	lookup *book.Lookup // shared by all games of endwise
}

// check refuses a spec that no game could be played with.
func (s *seats) check(spec string) error {
	if command, ok := strings.CutPrefix(spec, "cmd:"); ok {
		if err := program.Startable(command); err != nil {
			return cli.BadInput(fmt.Errorf("cmd: %w", err))
		}
	}
	c, err := s.open(spec, 1)
	if err != nil {
		return cli.BadInput(err)
	}
	return c.Close()
}

func (s *seats) open(spec string, seed uint64) (wyb.Competitor, error) {
	kind, rest, colon := strings.Cut(spec, ":")
	limits := s.flags.limits()
	switch {
	case kind == "py" && colon:
		return wyb.NewPython(s.flags.python, rest, limits, s.app.Stderr)
	case kind == "cmd" && colon:
		return wyb.NewCommand(rest, limits, s.app.Stderr)
	case spec == "human":
		return &wyb.Human{In: s.stdin, Out: s.app.Stderr}, nil
	case spec == "endwise":
		pace := wyb.Pace{Game: s.flags.gameTime, Move: s.flags.moveTime, Threads: s.flags.sources.Threads}
		if pace.Game == 0 {
			pace.Game = limits.CPU * 9 / 10
		}
		return &wyb.Local{Player: book.Player{Label: spec, Lookup: s.lookup}, Limits: limits, Pace: pace}, nil
	}
	l, err := levels.NewWatchYourBack(spec, seed)
	if err != nil {
		return nil, fmt.Errorf("player %q: want %s, endwise, py:MODULE, cmd:COMMAND or human", spec, strings.Join(levels.WatchYourBackNames(), ", "))
	}
	return &wyb.Local{Player: l, Limits: limits}, nil
}

// tally counts games from one player's view.
type tally struct{ won, drawn, lost, failed int }

func referee(ctx context.Context, a *cli.App, white, black string, f *refereeFlags) (err error) {
	s := &seats{app: a, flags: f, stdin: bufio.NewReader(a.Stdin)}
	names := [2]string{white, black}
	for _, spec := range names {
		if err := s.check(spec); err != nil {
			return err
		}
	}
	if white == "endwise" || black == "endwise" {
		o, err := f.sources.Options(a)
		if err != nil {
			return err
		}
		if !f.noSolve {
			solveSmallTables(ctx, a, o)
		}
		g, err := cli.GameNamed(watchyourback.Name)
		if err != nil {
			return err
		}
		if s.lookup, err = f.sources.Open(g, o); err != nil {
			return err
		}
		defer s.lookup.Close()
	}
	defer program.KillOrphans()
	if !f.quiet {
		if _, err := io.WriteString(a.Stdout, wyb.Banner); err != nil {
			return err
		}
	}
	var sum [2]tally
	for g := range f.games {
		seed := f.seed + uint64(g)
		if f.seed == 0 {
			seed = rand.Uint64()
		}
		first := g % 2 // the player who has White
		res, err := s.game(ctx, [2]string{names[first], names[1-first]}, seed)
		if err != nil {
			return err
		}
		for i := range sum {
			sum[i].count(res, i == first)
		}
		if f.quiet || f.games > 1 {
			if _, err := fmt.Fprintln(a.Stdout, gameLine(g+1, names[first], names[1-first], res)); err != nil {
				return err
			}
		}
	}
	if f.games > 1 {
		for i, n := range names {
			fmt.Fprintf(a.Stdout, "%s: %d won, %d drawn, %d lost, of these %d off the board\n", n, sum[i].won, sum[i].drawn, sum[i].lost, sum[i].failed)
		}
	}
	return nil
}

func (t *tally) count(r wyb.Result, white bool) {
	switch {
	case r.Winner == engine.None:
		t.drawn++
	case (r.Winner == engine.First) == white:
		t.won++
	default:
		t.lost++
		if r.Failed != nil {
			t.failed++
		}
	}
}

// game plays one game and ends its players.
func (s *seats) game(ctx context.Context, names [2]string, seed uint64) (res wyb.Result, err error) {
	var players [2]wyb.Competitor
	defer func() {
		for _, p := range players {
			if p != nil {
				err = errors.Join(err, p.Close())
			}
		}
	}()
	for i, spec := range names {
		if players[i], err = s.open(spec, seed+uint64(i)<<32); err != nil {
			return res, err
		}
	}
	rules := wyb.Rules{
		Delay:    time.Duration(s.flags.delay * float64(time.Second)),
		MaxTurns: s.flags.maxTurns, Strict: s.flags.strict,
	}
	if !s.flags.quiet {
		rules.Out = s.app.Stdout
	}
	return wyb.Referee(ctx, players[0], players[1], rules)
}

// gameLine sums a game up.
func gameLine(n int, white, black string, r wyb.Result) string {
	result := "draw"
	switch r.Winner {
	case engine.First:
		result = white + " wins with white"
	case engine.Second:
		result = black + " wins with black"
	}
	score := r.Position.Score()
	line := fmt.Sprintf("game %d: %s, %d turns, %d-%d pieces, time %.2fs and %.2fs", n, result, len(r.Moves), score[0], score[1],
		r.Used[0].CPU.Seconds(), r.Used[1].CPU.Seconds())
	if r.Failed != nil {
		line += fmt.Sprintf(" (%v)", r.Failed)
	} else if r.Why != "" {
		line += " (" + r.Why + ")"
	}
	return line
}

// smallPieces is how many pieces the 6x6 tables have that playing commands
// solve by themselves: three seconds of processor time, once.
const smallPieces = 5

// solveSmallTables builds the small 6x6 tables if the store lacks them. If it
// cannot be done, play goes on without.
func solveSmallTables(ctx context.Context, a *cli.App, o book.Options) {
	if o.Store == "" || wybbook.Has(o.Store, smallPieces) {
		return
	}
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	log.Info("solving the 6x6 tables of up to 5 pieces, once", "store", o.Store)
	here := farm.NewInProcess(cli.JobKinds(), runtime.GOMAXPROCS(0))
	defer here.Close()
	if _, err := wybbook.Solve(ctx, o.Store, smallPieces, 1000, here, nil); err != nil && ctx.Err() == nil {
		log.Warn("playing without 6x6 tables", "err", err)
	}
}

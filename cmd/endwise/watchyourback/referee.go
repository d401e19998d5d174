package watchyourback

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"endwise/book"
	wybbook "endwise/book/watchyourback"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/levels"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
	"endwise/engine/wire/wyb"
	"endwise/solver/farm"
)

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
		Use:   "watchyourback WHITE BLACK",
		Short: "Referee games of Watch Your Back! between players of any kind",
		Long: `Plays Watch Your Back! between two players and prints boards, progress and
closing lines as the real referee does. A player is
  ` + levels.Wanted(watchyourback.Name) + `
                 a practice level
  endwise        this program
  py:MODULE      a Python file (or module name) with a class Player, run in
                 its own process
  cmd:COMMAND    a program that uses the line protocol, run by the shell
  human          you, at this terminal: (x,y), (xa,ya)->(xb,yb) or None
A player that crashes, hangs, exceeds a limit, sends an invalid answer or plays an
invalid action loses, and the last lines give the reason.

With --games the players change colours after every game. Without --strict a
game on the 4x4 board is a draw when both are blocked or after ` + fmt.Sprint(watchyourback.QuietLimit) + ` turns without
an elimination; the real rules have no end there.`,
		Example: "  endwise referee watchyourback endwise greedy\n  endwise referee watchyourback py:MINE.py endwise -t 60 --games 10 --quiet",
		Args:    cli.Args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			cli.AddSpareThreads()
			if err := f.check(); err != nil {
				return err
			}
			if (f.cpu > 0 || f.gameTime > 0) && !cmd.Flags().Changed("threads") {
				f.sources.Threads = 1 // processor time is limited: a second thread uses as much and finds less
			}
			if f.space > 0 && !cmd.Flags().Changed("hash") {
				f.sources.HashMB = hashWithin(f.space)
			}
			return runReferee(cmd.Context(), a, rest[0], rest[1], &f)
		},
	}
	fl := c.Flags()
	fl.SetNormalizeFunc(realNames)
	fl.Float64VarP(&f.delay, "delay", "d", 0, "seconds to wait before each turn")
	fl.Float64VarP(&f.cpu, "time-limit", "t", 0, "seconds of processor time a player may use in a game (default no limit)")
	fl.Float64VarP(&f.space, "space-limit", "s", 0, "memory of a player in megabytes; players in this process are measured together (default no limit)")
	fl.DurationVar(&f.answer, "wall", wyb.DefaultAnswer, "wall-clock limit of one answer, except for humans")
	fl.DurationVar(&f.moveTime, "time", 3*time.Second, cli.TimeUsage+"; of endwise")
	fl.DurationVar(&f.gameTime, "game-time", 0, cli.GameTimeUsage+"; of endwise (default nine tenths of -t, else no limit)")
	fl.IntVar(&f.games, "games", 1, "games to play")
	fl.IntVar(&f.maxTurns, "max-turns", 0, "number of turns after which a game is a tie; turns of the moving phase (default no limit)")
	fl.BoolVar(&f.strict, "strict", false, "the real rules: no end by blocking or shuffling on the 4x4 board")
	fl.BoolVarP(&f.quiet, "quiet", "q", false, "no boards, one line per game")
	fl.BoolVar(&f.noSolve, "no-solve", false, "play without missing 6x6 tables; by default endwise solves them first")
	fl.StringVar(&f.python, "python", "python3", "Python interpreter for py: players")
	fl.Uint64Var(&f.seed, "seed", 0, cli.SeedUsage+"; 0 for a new one")
	f.sources.RegisterSources(c)
	return c
}

// realNames accepts the names of flags of the real referee, which contain underscores.
func realNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
}

func (f *refereeFlags) check() error {
	return cmp.Or(
		cli.Want(f.delay >= 0, "-d", f.delay, "0 or more seconds"),
		cli.Want(f.cpu >= 0, "-t", f.cpu, "0 or more seconds"),
		cli.Want(f.space >= 0, "-s", f.space, "0 or more megabytes"),
		cli.Want(f.answer > 0, "--wall", f.answer, "a time above 0"),
		cli.Want(f.moveTime > 0, "--time", f.moveTime, "a time above 0"),
		cli.Want(f.gameTime >= 0, "--game-time", f.gameTime, "a time above 0"),
		cli.Want(f.games >= 1, "--games", f.games, "1 or more"),
		cli.Want(f.maxTurns >= 0, "--max-turns", f.maxTurns, "0 or more"),
	)
}

// playerFactory opens the players of a run.
type playerFactory struct {
	app    *cli.App
	flags  *refereeFlags
	stdin  *bufio.Reader
	lookup *book.Lookup // shared by all games of endwise; set before the first
}

// participant returns the participant that spec describes. An error is bad input.
func (s *playerFactory) participant(spec string) (arena.Participant, error) {
	e := arena.Participant{Name: spec, Spec: spec}
	kind, rest, colon := strings.Cut(spec, ":")
	limits := wyb.Limits{
		CPU: time.Duration(s.flags.cpu * float64(time.Second)), Space: uint64(s.flags.space * 1e6), Answer: s.flags.answer,
	}
	switch {
	case kind == "py" && colon:
		return e, s.setProcess(&e, func() (*wyb.Process, error) {
			return wyb.NewPython(s.flags.python, rest, limits, s.app.Stderr)
		})
	case kind == "cmd" && colon:
		if err := program.Startable(rest); err != nil {
			return e, fmt.Errorf("cmd: %w", err)
		}
		return e, s.setProcess(&e, func() (*wyb.Process, error) { return wyb.NewCommand(rest, limits, s.app.Stderr) })
	case spec == "human":
		e.Open = func(_ context.Context, setup arena.Setup) (engine.Player, error) {
			return &wyb.Human{In: s.stdin, Out: s.app.Stderr, Side: setup.Side}, nil
		}
	case spec == "endwise":
		pace := wyb.Pace{Game: s.flags.gameTime, Move: s.flags.moveTime, Threads: s.flags.sources.Threads}
		if pace.Game == 0 {
			pace.Game = limits.CPU * 9 / 10
		}
		e.Open = func(context.Context, arena.Setup) (engine.Player, error) {
			player := book.Player{Label: spec, Lookup: s.lookup}
			return &wyb.Local{Player: player, Limits: limits, Spender: wyb.Spender{Pace: pace}}, nil
		}
	default:
		if _, ok := levels.Named(watchyourback.Name, spec, 0); !ok {
			return e, Game().Arena.UnknownPlayer(spec, levels.Wanted(watchyourback.Name)+", endwise, py:MODULE, cmd:COMMAND or human")
		}
		e.Open = func(_ context.Context, setup arena.Setup) (engine.Player, error) {
			l, _ := levels.Named(watchyourback.Name, spec, setup.Seed)
			return &wyb.Local{Player: l, Limits: limits}, nil
		}
	}
	return e, nil
}

// setProcess sets e.Open to a function that creates and starts a process. It calls create once, to return
// its error early.
func (s *playerFactory) setProcess(e *arena.Participant, create func() (*wyb.Process, error)) error {
	e.Open = func(ctx context.Context, setup arena.Setup) (engine.Player, error) {
		p, err := create()
		if err != nil {
			return nil, err
		}
		return p, p.Start(ctx, setup)
	}
	_, err := create()
	return err
}

// runReferee opens the players, solves missing tables for endwise, and plays and prints the games.
func runReferee(ctx context.Context, a *cli.App, white, black string, f *refereeFlags) error {
	s := &playerFactory{app: a, flags: f, stdin: bufio.NewReader(engine.Text(a.Stdin))}
	var players [2]arena.Participant
	for i, spec := range [2]string{white, black} {
		var err error
		if players[i], err = s.participant(spec); err != nil {
			return cli.BadInput(err)
		}
	}
	if white == "endwise" || black == "endwise" {
		o, err := f.sources.Options(a)
		if err != nil {
			return err
		}
		switch {
		case f.noSolve:
		case f.space > 0: // solving needs more memory than most limits allow
			warnMissingTables(a.Events(false, false), o.Store)
		default:
			solveSmallTables(ctx, a, o)
		}
		g, err := a.Games.Named(watchyourback.Name)
		if err != nil {
			return err
		}
		if s.lookup, err = f.sources.Open(g, o); err != nil {
			return err
		}
		defer s.lookup.Close()
	}
	defer program.KillOrphans()
	r := wyb.Referee{
		Delay: time.Duration(f.delay * float64(time.Second)), Answer: f.answer,
		MaxTurns: f.maxTurns, Strict: f.strict,
	}
	if !f.quiet {
		r.Out = a.Stdout
		if _, err := io.WriteString(a.Stdout, wyb.Banner); err != nil {
			return err
		}
	}
	return f.playGames(ctx, a, r, players)
}

// playGames plays the games with changing colours and prints their lines and, of several, the sums.
func (f *refereeFlags) playGames(ctx context.Context, a *cli.App, r wyb.Referee, players [2]arena.Participant) error {
	var games [2][3]int // of each player: lost, tied and won
	var forfeits [2]int
	hinted := false
	for g := range f.games {
		seed := f.seed + uint64(g)
		if f.seed == 0 {
			seed = rand.Uint64()
		}
		first := g % 2 // the player of White
		res, err := r.Play(ctx, players[first], players[1-first], seed)
		if err != nil {
			return err
		}
		for i := range players {
			points := res.Points(engine.First + engine.Side((i+first)%2))
			games[i][points]++
			if points == 0 && res.Forfeited() {
				forfeits[i]++
			}
		}
		if !hinted && f.exceededTime(res) {
			hinted = true
			fmt.Fprintf(a.Stderr, "endwise: %s is too slow: %s; the protocol does not contain the limit, so a program must know it "+
				"(endwise bot and shim: --game-time)\n", res.Players[res.Loser()-1], strings.TrimPrefix(res.Why, "out of time: "))
		}
		if f.quiet || f.games > 1 {
			if _, err := fmt.Fprintln(a.Stdout, gameLine(g+1, res)); err != nil {
				return err
			}
		}
	}
	if f.games > 1 {
		for i, p := range players {
			fmt.Fprintf(a.Stdout, "%s: %d won, %d tied, %d lost, %d of them by forfeit\n",
				p.Name, games[i][2], games[i][1], games[i][0], forfeits[i])
		}
	}
	return nil
}

// exceededTime reports whether an external program lost by exceeding the processor time of -t.
func (f *refereeFlags) exceededTime(r wyb.Result) bool {
	loser := r.Loser()
	if f.cpu == 0 || r.End != arena.Timeout || loser == engine.None {
		return false
	}
	kind, _, _ := strings.Cut(r.Players[loser-1], ":")
	return kind == "py" || kind == "cmd"
}

// gameLine describes the result of game n, from 1.
func gameLine(n int, r wyb.Result) string {
	result := "draw"
	switch r.Winner {
	case engine.First:
		result = r.Players[0] + " wins with white"
	case engine.Second:
		result = r.Players[1] + " wins with black"
	}
	line := fmt.Sprintf("game %d: %s, %s, %d-%d pieces, time %.2fs and %.2fs", n, result, cli.Count(len(r.Moves), "turn"),
		r.Score[0], r.Score[1], r.Used[0].CPU.Seconds(), r.Used[1].CPU.Seconds())
	if r.Why != "" {
		line += " (" + r.Why + ")"
	}
	return line
}

// smallPieces is the maximum number of pieces of the 6x6 tables that playing commands solve.
const smallPieces = 5

// solveSmallTables solves the 6x6 tables if they are missing in the store of o. A failure is only logged.
func solveSmallTables(ctx context.Context, a *cli.App, o book.Options) {
	if o.Store == "" || wybbook.Has(o.Store, smallPieces) {
		return
	}
	log := a.Events(false, false)
	log.Info("solving the 6x6 tables of up to 5 pieces, once", "store", o.Store)
	const samples = 1000 // values of each table to compare with those after each move
	_, err := wybbook.Solve(ctx, o.Store, smallPieces, samples, farm.InProcess(cli.Processors), nil)
	if err != nil && ctx.Err() == nil {
		log.Warn("playing without 6x6 tables", "why", err)
	}
}

// hashWithin returns the size of the transposition table, in megabytes, at least 1, within space
// megabytes in all: 60 are for the program, its tables and garbage, and a third of the rest stays free.
func hashWithin(space float64) int {
	return max(1, int((space-60)*2/3))
}

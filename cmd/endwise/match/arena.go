// Package match implements the commands arena and championship. Package arena plays the games.
package match

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/grid"
	"endwise/engine/levels"
	"endwise/solver/farm"
)

type matchFlags struct {
	board   string
	start   string // of arena only
	time    time.Duration
	margin  time.Duration
	jobs    int
	seed    uint64
	logs    string
	results string
	asJSON  bool
}

func (f *matchFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.board, "board", "", cli.BoardUsage+" (default the game's usual one)")
	c.Flags().DurationVar(&f.time, "time", 3*time.Second, cli.TimeUsage+", 0 for no limit")
	c.Flags().DurationVar(&f.margin, "margin", 0, "additional time before a late move loses, for busy machines")
	c.Flags().IntVar(&f.jobs, "jobs", 0, cli.JobsUsage+" (default the cores divided by the threads of a player)")
	c.Flags().Uint64Var(&f.seed, "seed", 1, cli.SeedUsage)
	c.Flags().StringVar(&f.logs, "logs", "", "directory for the logs of all games")
	c.Flags().BoolVar(&f.asJSON, "json", false, cli.JsonUsage)
}

// config checks the flags and returns the configuration of the games. log is used only with --json.
func (f *matchFlags) config(g cli.Game, log *slog.Logger) (arena.Config, error) {
	if err := cmp.Or(
		cli.Want(f.margin >= 0, "--margin", f.margin, "0 or more"),
		cli.Want(f.time >= 0, "--time", f.time, "a positive duration, or 0 for no limit"),
		cli.Want(f.jobs >= 0, "--jobs", f.jobs, "1 or more, or 0 for the default"),
	); err != nil {
		return arena.Config{}, err
	}
	first, err := g.Start(cli.BoardAndStart(f.board, f.start))
	if err != nil {
		return arena.Config{}, cli.BadInput(err)
	}
	board := cmp.Or(f.board, g.Boards()[0])
	if rows, cols, err := grid.ParseSize(board); err == nil { // 7 is 7x7
		board = fmt.Sprintf("%dx%d", rows, cols)
	}
	if !f.asJSON { // the text report lists the forfeits
		log = nil
	}
	return arena.Config{Rules: g.Arena.Rules, First: first, Board: cli.BoardAndStart(board, f.start), Time: f.time, Grace: f.margin, Log: log}, nil
}

// concurrency returns the number of parallel games; threads is the most that a player uses.
func (f *matchFlags) concurrency(threads int) int {
	if f.jobs > 0 {
		return f.jobs
	}
	return max(1, cli.Processors/max(1, threads))
}

// runHeader is the first line of a results file. A run resumes only from a file with the same header.
type runHeader struct {
	Run     string   `json:"run"` // command and game, for instance "arena circuitwars"
	Rules   int      `json:"rules"`
	Flags   []string `json:"flags"`             // those that determine the games, in a fixed order
	Players []string `json:"players,omitempty"` // NAME=SPEC; none in a championship, whose teams may change
}

// header returns the header of a run, without players. more are further flags that determine the games.
func (f *matchFlags) header(command string, config arena.Config, more ...string) runHeader {
	flags := []string{"--board " + strings.Replace(config.Board, " ", " --start ", 1), fmt.Sprint("--time ", config.Time), fmt.Sprint("--seed ", f.seed)}
	return runHeader{Run: command + " " + config.Rules.Name(), Rules: config.Rules.RulesVersion(), Flags: append(flags, more...)}
}

// otherRun describes how the run of a results file, whose header is line, differs from the run of h.
func (h runHeader) otherRun(line []byte) string {
	const advice = "name another file with --results"
	var file runHeader
	if json.Unmarshal(line, &file) != nil || file.Run != h.Run || file.Rules != h.Rules {
		return fmt.Sprintf("not the results of %s by today's rules; %s", h.Run, advice)
	}
	only := func(in, except []string, between string) string {
		var found []string
		for _, text := range in {
			if !slices.Contains(except, text) {
				found = append(found, engine.OneLine(text, 80))
			}
		}
		return cmp.Or(strings.Join(found, between), "none")
	}
	if !slices.Equal(file.Flags, h.Flags) {
		return fmt.Sprintf("the results of a run with %s, not %s; repeat its flags to resume it, or %s",
			only(file.Flags, h.Flags, " "), only(h.Flags, file.Flags, " "), advice)
	}
	return fmt.Sprintf("the results of other players, or in another order; only there: %s; only in this run: %s; %s",
		only(file.Players, h.Players, ", "), only(h.Players, file.Players, ", "), advice)
}

// openJournal opens the file of --results and returns the results in it. Without --results it returns nil.
func (f *matchFlags) openJournal(h runHeader) (journal *arena.Journal, earlier []arena.Result, err error) {
	if f.results == "" {
		return nil, nil, nil
	}
	journal, earlier, err = arena.OpenJournal(f.results, h)
	switch pathErr, other := new(fs.PathError), new(arena.OtherRunError); {
	case errors.As(err, &other):
		err = cli.BadInput(fmt.Errorf("results %s: %s", f.results, h.otherRun(other.Header)))
	case err != nil && !errors.As(err, &pathErr):
		err = cli.BadInput(err)
	}
	return journal, earlier, err
}

const maxSPRTGames = 20000

type arenaOptions struct {
	matchFlags
	games    int // per pairing
	openings int // number of random moves before each pair of games
	sprt     string
	gauntlet bool
	maxTurns int
}

// NewArenaCmd returns the command arena.
func NewArenaCmd(a *cli.App) *cobra.Command {
	var o arenaOptions
	c := &cobra.Command{
		Use:   "arena GAME PLAYER PLAYER…",
		Short: "Play matches between players and report who is stronger",
		Long: `Plays matches between all players (or the first and each other one) in pairs of
games from the same start with the sides swapped, and reports wins, losses, score
difference, Elo with 95 % error bars and the time used. ` + forfeitHelp(a.Games) + `

` + playersHelp(a.Games) + `

With --sprt ELO0,ELO1 a match ends when the test (5 % for either error)
decides whether the first player is stronger by ELO1 rather than ELO0.

With --results FILE every finished game is stored; the same command with the same
file resumes, and with a larger --games it adds games.`,
		Example: "  endwise arena circuitwars level3 level2 --games 20 --board 5x5\n  endwise arena circuitwars endwise level4 --time 500ms --sprt 0,10 --openings 6",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			if o.sprt != "" && !cmd.Flags().Changed("games") {
				o.games = maxSPRTGames
			}
			return o.run(cmd.Context(), a, rest[0], rest[1:])
		},
	}
	o.register(c)
	c.Flags().StringVar(&o.start, "start", "", cli.StartUsage)
	c.Flags().IntVar(&o.games, "games", 100, fmt.Sprintf("games to play; per pairing, an even number; with --sprt the maximum (default %d then)", maxSPRTGames))
	c.Flags().IntVar(&o.openings, "openings", 0, "random moves before each pair of games that leave the game balanced")
	c.Flags().StringVar(&o.sprt, "sprt", "", "end the match by a sequential test of two Elo differences, for instance 0,10")
	c.Flags().BoolVar(&o.gauntlet, "gauntlet", false, "only the first player against each other one")
	c.Flags().IntVar(&o.maxTurns, "max-turns", 0, fmt.Sprintf("number of turns after which a game is a tie (default %d)", arena.DefaultMaxTurns))
	c.Flags().StringVar(&o.results, "results", "", "file of the results; the same command resumes from it")
	return c
}

func (o *arenaOptions) run(ctx context.Context, a *cli.App, game string, specs []string) error {
	cli.AddSpareThreads()
	g, err := a.Games.Named(game)
	if err != nil {
		return err
	}
	programs := slices.ContainsFunc(specs, func(text string) bool {
		_, spec := splitName(text)
		return isProgram(g, spec)
	})
	switch {
	case len(specs) < 2:
		return cli.BadInput(fmt.Errorf("%s: want two or more", cli.Count(len(specs), "player")))
	case o.games < 2 || o.games%2 != 0:
		return cli.BadInput(fmt.Errorf("--games %d: want an even number, games come in pairs with the sides swapped", o.games))
	case o.start != "" && programs:
		return cli.BadInput(errors.New("--start: programs begin at the empty board"))
	case o.openings < 0 || o.maxTurns < 0:
		return cli.BadInput(errors.New("--openings and --max-turns: want 0 or more"))
	}
	log := a.Events(false, o.asJSON)
	m, err := o.newMatch(g, log)
	if err != nil {
		return err
	}
	field := lineup{Output: o.logs, Openings: o.openings}
	defer field.Close()
	for _, spec := range specs {
		if err := field.Add(a, g, spec, log); err != nil {
			return err
		}
	}
	if err := field.Prepare(ctx, a, m.Config); err != nil {
		if o.results != "" {
			err = cli.Resumable(err)
		}
		return err
	}
	m.Participants, m.Concurrency = field.Participants, o.concurrency(field.Threads)
	note := ""
	if programs {
		note = g.Arena.TimeNote
	}
	return runArena(ctx, a, m, o.matchFlags, note)
}

// newMatch returns the match of the flags, without participants.
func (o *arenaOptions) newMatch(g cli.Game, log *slog.Logger) (*arena.Match, error) {
	h, err := o.config(g, log)
	if err != nil {
		return nil, err
	}
	h.MaxTurns = o.maxTurns
	m := &arena.Match{
		Config: h, Gauntlet: o.gauntlet, Games: o.games, Seed: o.seed,
		Openings: arena.Openings{First: h.First, Plies: o.openings, Seed: o.seed, Judge: openingJudge},
	}
	if o.sprt != "" {
		if m.SPRT, err = parseSPRT(o.sprt); err != nil {
			return nil, cli.BadInput(err)
		}
	}
	return m, nil
}

func openingJudge(seed uint64) engine.Player {
	l, err := levels.New(levels.Count, seed)
	if err != nil {
		panic(err) // cannot fail: the number of levels is a level
	}
	return l
}

func parseSPRT(text string) (*arena.SPRT, error) {
	a, b, ok := strings.Cut(text, ",")
	elo0, err0 := strconv.ParseFloat(strings.TrimSpace(a), 64)
	elo1, err1 := strconv.ParseFloat(strings.TrimSpace(b), 64)
	if !ok || err0 != nil || err1 != nil {
		return nil, fmt.Errorf("--sprt %q: want two numbers like 0,10", text)
	}
	t, err := arena.NewSPRT(elo0, elo1)
	if err != nil {
		return nil, err
	}
	return &t, nil
}

// runArena plays the match and prints its report, of the finished games after an error. note is a
// sentence below the report, "" for none.
func runArena(ctx context.Context, a *cli.App, m *arena.Match, f matchFlags, note string) error {
	head := f.header("arena", m.Config, fmt.Sprint("--openings ", m.Openings.Plies), fmt.Sprint("--gauntlet=", m.Gauntlet))
	for _, e := range m.Participants {
		head.Players = append(head.Players, e.Name+"="+e.Spec)
	}
	journal, earlier, err := f.openJournal(head)
	if err != nil {
		return err
	}
	if m.Journal = journal; journal != nil {
		defer journal.Close()
	}
	logs := gameLogs{f.logs, m.Config.Rules, m.Config.First}
	isGame := func(id string) bool {
		return slices.ContainsFunc(m.Participants, func(p arena.Participant) bool {
			return slices.ContainsFunc(m.Participants, func(q arena.Participant) bool { return isOfArena([2]string{p.Name, q.Name}, id) })
		})
	}
	if err := logs.setAside(a.Stderr, isGame, earlier); err != nil {
		return err
	}
	earlier, games, err := m.Counted(earlier) // --games may be lower than in the earlier run
	if err != nil {
		return cli.BadInput(err)
	}
	isProgram := func(p arena.Participant) bool {
		return strings.Contains(p.Spec, ":") && !strings.HasPrefix(p.Spec, "endwise:")
	}
	if len(earlier) > 0 && slices.ContainsFunc(m.Participants, isProgram) {
		fmt.Fprintf(a.Stderr, "%s kept: after a change of a program, use another --results FILE\n", cli.Count(len(earlier), "game"))
	}
	if n := logs.others(earlier); n > 0 {
		fmt.Fprintf(a.Stderr, "%s contains %s of other games, which analyze reads too\n", f.logs, cli.Count(n, "log"))
	}
	if err := logs.writeMissing(earlier); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.Participants = endIfUnreachable(m.Participants, cancel, f.results != "")
	var shown farm.Progress
	shown.Begin("arena", "games", uint64(len(earlier)), uint64(games))
	stop := cli.ShowProgress(a.Stderr, &shown)
	defer stop(nil)
	var failed error
	m.OnResult = func(r arena.Result, p *arena.Pairing) {
		if err := logs.write(r); err != nil {
			failed = cmp.Or(failed, err)
			cancel(err)
		}
		shown.Note(progressNote(p))
		shown.Add(1)
	}
	played, err := m.Run(ctx, earlier)
	err = cmp.Or(failed, err)
	stop(err)
	results := arena.Results(played)
	if err != nil && len(results) == 0 && !f.asJSON {
		fmt.Fprintln(a.Stderr, "no game has ended, so there is no report")
		return err
	}
	report := m.Report(played, err != nil)
	err = errors.Join(err, printReport(a, f.asJSON, report, report.WriteText))
	if !f.asJSON {
		printTimeouts(a, m.Config, results)
		printLostGame(a, m.Participants[0].Name, results, logs)
		if note != "" {
			fmt.Fprintf(a.Stdout, "\n%s\n", cli.Wrap(note, "", a.Columns()))
		}
	}
	if journal == nil {
		return err
	}
	return cli.Resumable(err)
}

// endIfUnreachable returns the players with an Open that ends the run with cancel if an agent is
// unreachable. The game is then not counted. stored reports whether the run has --results.
func endIfUnreachable(players []arena.Participant, cancel context.CancelCauseFunc, stored bool) []arena.Participant {
	next := "start it again and repeat the command; with --results FILE it would resume"
	if stored {
		next = "start it again; the same command resumes"
	}
	players = slices.Clone(players)
	for i := range players {
		open := players[i].Open
		players[i].Open = func(ctx context.Context, s arena.Setup) (engine.Player, error) {
			p, err := open(ctx, s)
			if gone := new(arena.Unreachable); errors.As(err, &gone) {
				cancel(fmt.Errorf("%w: %s", gone, next))
			}
			return p, err
		}
	}
	return players
}

// progressNote returns the score of a pairing and the forfeits in it.
func progressNote(p *arena.Pairing) string {
	note := fmt.Sprintf("%s %s against %s", p.A.Name, p.Tally.All(), p.B.Name)
	for i, name := range []string{p.A.Name, p.B.Name} {
		if n := p.Tally.Forfeits[i]; n > 0 {
			note += fmt.Sprintf(", %s by %s", cli.Count(n, "forfeit"), name)
		}
	}
	return note + "; " + p.Tally.Pairs.Text()
}

// printLostGame prints the command that analyses the log of a game that a player lost, if there is one.
func printLostGame(a *cli.App, player string, results []arena.Result, logs gameLogs) {
	isLost := func(r arena.Result) bool { l := r.Loser(); return l != engine.None && r.Players[l-1] == player }
	if i := slices.IndexFunc(results, isLost); i >= 0 && logs.dir != "" {
		fmt.Fprintf(a.Stdout, "\nA game that %s lost: endwise analyze %s\n", player, cli.ShellQuoted(logs.file(results[i])))
	}
}

func printReport(a *cli.App, asJSON bool, report any, text func(w io.Writer, color bool, columns int) error) error {
	if asJSON {
		return cli.WriteJSON(a.Stdout, report)
	}
	return text(a.Stdout, a.Color(), a.Columns())
}

// printTimeouts names the players that lost games because they sent no move within the limit, if any.
func printTimeouts(a *cli.App, c arena.Config, results []arena.Result) {
	limit := c.Time + c.Grace
	n, losers := 0, map[string]bool{}
	for _, r := range results {
		if r.End == arena.Timeout && r.Loser() != engine.None && r.Time[r.Loser()-1].MaxMS > float64(limit.Milliseconds()) {
			n++
			losers[r.Players[r.Loser()-1]] = true
		}
	}
	if n > 0 {
		text := fmt.Sprintf("%s sent no move within %v in %s: the program hangs or is too slow; --margin %v or --jobs 1 helps only if the machine is busy",
			strings.Join(slices.Sorted(maps.Keys(losers)), ", "), limit, cli.Count(n, "game"), max(time.Second, 2*c.Grace))
		fmt.Fprintf(a.Stdout, "\n%s\n", cli.Wrap(text, "", a.Columns()))
	}
}

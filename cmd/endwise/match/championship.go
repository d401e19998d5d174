package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/cli"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

type championshipFlags struct {
	matchFlags
	teams   string
	report  string
	repeat  []string // teams whose games are played again
	advance int
	title   string // "" for the default
	serve   string // address of the live page, "" for none
	hosts   []string
}

// NewChampionshipCmd returns the command championship.
func NewChampionshipCmd(a *cli.App) *cobra.Command {
	var f championshipFlags
	c := &cobra.Command{
		Use:   "championship GAME --teams FILE | LOG…",
		Short: "Run a championship: groups, then a knockout",
		Long: `Plays the groups as double round robins: each team meets every other team of its
group twice, once on either side. A win is a point, a tie half a point; equal points
are ranked by score ratio (squares for : against). Until a group is complete, points
per game played decide. The best two of each group enter a knockout of two games per
pairing, one on either side: more wins decide, then the score ratio over both games,
then the better seed. Teams of a group that are
equal in points and ratio are ordered by name; the tables name them.

Bonus points: 2 for winning a group and 1 for its second place; also 8 for winning
the final and 5 for losing it.

FILE has a line "group NAME" for each group, followed by a line "TEAM PLAYER" for
each team; # begins a comment. A name has at most 40 letters of any script, digits,
spaces, _ - . or '.

` + playersHelp(a.Games) + `

` + forfeitHelp(a.Games) + `
Every finished game is stored (--results, by default FILE.results); the same
command resumes. FILE may change before that: games between unchanged teams are
kept. --repeat TEAM plays the games of a team again whose program has changed. A
team whose program never makes a move forfeits its games. Until the knockout begins,
the same command plays these games again. In the directory of --logs, logs of games
that no longer count are renamed to NAME.log.old, and then to NAME.log.old2 and so on.

With LOG, a folder or files, nothing is played: the command reads the logs of a
championship, replays them by the rules on the board that they fit and prints the
tables, and a knockout if there are games of one. A log is named GROUP-TEAM-TEAM, or
TEAM-TEAM or TEAM_vs_TEAM in a folder GROUP, group-GROUP or, for instance,
quarterfinals, with or without .log.`,
		Example: "  endwise championship circuitwars --teams TEAMS.txt --logs logs --report report\n  endwise championship circuitwars logs",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			return f.run(cmd.Context(), a, rest[0], rest[1:])
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.teams, "teams", "", "file of the groups and teams")
	c.Flags().StringVar(&f.results, "results", "", "file of the results; the same command resumes from it (default FILE.results)")
	c.Flags().StringVar(&f.report, "report", "", "directory for standings.md and standings.json, rewritten after each game, and for report.html, a report on mistakes written at the end")
	c.Flags().StringVar(&f.serve, "serve", "", "HOST:PORT of a page with standings, running boards, results and a report on mistakes, for a projector; it stays until Ctrl-C")
	c.Flags().StringVar(&f.title, "title", "", "title of the report and the exercises; today's date follows unless the title contains a date (default \"GAME championship\"); the standings have the title only if it is given, without the date")
	c.Flags().StringArrayVar(&f.repeat, "repeat", nil, "play all games of this team again, for instance of a repaired program; repeatable")
	cli.AllowHost(c, &f.hosts)
	c.Flags().IntVar(&f.advance, "advance", 2, "teams of each group that enter the knockout, 0 for no knockout")
	return c
}

func (f championshipFlags) run(ctx context.Context, a *cli.App, game string, logs []string) error {
	cli.AddSpareThreads()
	g, err := a.Games.Named(game)
	if err != nil {
		return err
	}
	log := a.Events(false, f.asJSON)
	if err := cli.Want(f.advance >= 0, "--advance", f.advance, "0 or more"); err != nil {
		return err
	}
	config, err := f.config(g, log)
	if err != nil {
		return err
	}
	cup := &championship.Championship{Title: f.title, Config: config, Advance: f.advance, Seed: f.seed}
	switch {
	case len(logs) > 0 && f.teams != "":
		return cli.BadInput(errors.New("both --teams and logs: want one of them"))
	case len(logs) > 0 && (f.serve != "" || len(f.repeat) > 0):
		return cli.BadInput(errors.New("--serve and --repeat are for games that are played: want --teams FILE in place of logs"))
	case len(logs) > 0:
		return reportLogs(a, g, cup, f, logs)
	case f.teams == "":
		return cli.BadInput(errors.New("want --teams FILE, or the logs of games that are played already"))
	}
	field := lineup{Output: f.logs}
	defer field.Close()
	if info, err := os.Stat(f.teams); err == nil && info.IsDir() {
		return cli.BadInput(fmt.Errorf("--teams %s: a directory: want a file of groups and teams; for the logs of played games: endwise championship %s %[1]s", f.teams, g.Name()))
	}
	text, err := cli.ReadLimited(f.teams, 1<<20)
	if err != nil {
		return cli.BadInput(err)
	}
	if cup.Groups, err = parseTeams(a, string(text), f.teams, g, &field, log); err != nil {
		return err
	}
	for _, group := range cup.Groups {
		if n := len(group.Teams); n < f.advance && n >= 2 {
			return cli.BadInput(fmt.Errorf("--advance %d: group %q of %s has %s", f.advance, group.Name, f.teams, cli.Count(n, "team")))
		}
	}
	for _, team := range f.repeat {
		if !slices.ContainsFunc(field.Participants, func(p arena.Participant) bool { return p.Name == team }) {
			return cli.BadInput(fmt.Errorf("--repeat %s: %s has no team of this name", team, f.teams))
		}
	}
	switch err := field.Prepare(ctx, a, config); {
	case cli.Interrupted(err):
		return cli.Resumable(err)
	case err != nil:
		return fmt.Errorf("%w; to play without a team, put # before its line in %s; without the # the same command adds its games", err, f.teams)
	}
	cup.Concurrency = f.concurrency(field.Threads)
	if f.serve == "" && f.report == "" {
		return runChampionship(ctx, a, cup, f, nil)
	}
	if f.serve != "" && f.jobs == 0 { // the report needs a processor
		cup.Concurrency = max(1, cup.Concurrency-1)
	}
	sources := cli.LookupFlags{Threads: 1, HashMB: 64}
	open := func() (*book.Lookup, error) { return sources.OpenSources(a, g) }
	return runChampionship(ctx, a, cup, f, newClassReport(g, cli.WithDate(cmp.Or(f.title, g.Title()+" championship")), config.First, open, log))
}

// quoted matches a player in quotes, as a shell needs them.
var quoted = regexp.MustCompile(`^(?:"([^"]*)"|'([^']*)')$`)

// parseTeams reads the text of the teams file at path and adds the teams to field. Teams before the first
// group line are in a group "1". The error lists all wrong lines.
func parseTeams(a *cli.App, text, path string, g cli.Game, field *lineup, log *slog.Logger) ([]championship.Group, error) {
	var groups []championship.Group
	add := func(line string) error {
		if line == "" || line[0] == '#' {
			return nil
		}
		word, rest := line, ""
		if i := strings.IndexAny(line, " \t"); i > 0 {
			word, rest = line[:i], strings.TrimSpace(line[i:])
		}
		if name, spec := splitName(line); name != "" { // TEAM=PLAYER
			word, rest = name, spec
		}
		if strings.EqualFold(word, "group") {
			if !validName(rest) || strings.Contains(rest, "-") {
				return fmt.Errorf("group %q: want %s, without -", rest, wantName)
			}
			groups = append(groups, championship.Group{Name: rest})
			return nil
		}
		if m := quoted.FindStringSubmatch(rest); m != nil {
			rest = m[1] + m[2]
		}
		if more, player := spacedName(g, rest); more != "" {
			word, rest = strings.Trim(word+" "+more, `"`), player
		}
		switch {
		case !validName(word):
			return fmt.Errorf("team %q: want %s", word, wantName)
		case rest == "":
			return fmt.Errorf("team %s: no player", word)
		case field.hasName(word):
			return fmt.Errorf("a second team is named %s, case ignored", word)
		case len(groups) == 0:
			groups = append(groups, championship.Group{Name: "1"})
		}
		if err := field.addNamed(a, g, word, rest, log); err != nil {
			return err
		}
		last := &groups[len(groups)-1]
		last.Teams = append(last.Teams, field.Participants[len(field.Participants)-1])
		return nil
	}
	var wrong []string
	for i, line := range strings.Split(text, "\n") {
		if err := add(strings.TrimSpace(line)); err != nil {
			wrong = append(wrong, fmt.Sprintf("line %d: %v", i+1, err))
		}
	}
	if len(groups) == 0 && len(wrong) == 0 {
		wrong = append(wrong, "no teams")
	}
	if len(wrong) > 0 {
		return nil, cli.BadInput(fmt.Errorf("%s: %s", path, strings.Join(wrong, "; ")))
	}
	return groups, nil
}

// championshipRun is a championship while it is played.
type championshipRun struct {
	*championship.Championship
	app     *cli.App
	flags   championshipFlags
	logs    gameLogs
	results []arena.Result
	now     championship.Outcome // of results
	report  *classReport         // nil without --serve and --report
	live    *livePage            // nil without --serve
}

// runChampionship plays the games that the results file lacks, and reports the championship. report is
// nil without --serve and --report.
func runChampionship(ctx context.Context, a *cli.App, cup *championship.Championship, f championshipFlags,
	report *classReport) (failed error) {
	r := &championshipRun{Championship: cup, app: a, flags: f, report: report}
	if err := r.open(); err != nil {
		return err
	}
	defer cup.Journal.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if report != nil {
		report.queue = make(chan arena.Result, r.now.Games)
		report.add(r.now.Results())
	}
	if f.serve != "" {
		r.live = newLivePage(report, r.now, append(f.hosts, f.serve))
		ended, err := r.live.serve(ctx, a, f.serve)
		if err != nil {
			return err
		}
		report.run(ctx, 1)
		cup.Config.OnPosition = r.live.reached
		// This runs before the deferred cancel, so the page stays until ctx ends.
		defer func() { failed = cmp.Or(failed, <-ended) }()
	}
	err := r.play(ctx, cancel)
	err = errors.Join(err, printOutcome(a, r.now, f))
	if !f.asJSON {
		printTimeouts(a, cup.Config, r.now.Results())
	}
	if r.live != nil && err == nil {
		fmt.Fprintln(a.Stderr, "the live page stays until Ctrl-C")
	}
	if report != nil {
		err = cmp.Or(err, report.finish(ctx, a.Stderr, cup.Concurrency, f.report))
	}
	err = cli.Resumable(err)
	if unfinished := new(cli.Unfinished); len(f.repeat) > 0 && errors.As(err, &unfinished) {
		unfinished.Next = "what is done is kept, and the same command without --repeat resumes"
	}
	return err
}

// open checks the groups and opens the journal, which the caller closes unless open fails, and the
// directories of reports and logs.
func (r *championshipRun) open() (err error) {
	f := &r.flags
	if _, err := r.Outcome(nil); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", cmp.Or(f.teams, "teams"), err))
	}
	if f.report != "" {
		if err := disk.MkdirAll(f.report, 0o755); err != nil {
			return cli.BadInput(fmt.Errorf("--report: want a directory: %w", err))
		}
	}
	f.results = cmp.Or(f.results, f.teams+".results")
	r.logs = gameLogs{f.logs, r.Config.Rules, r.Config.First}
	if err := r.logs.claim(f.results); err != nil {
		return err
	}
	if r.Journal, r.results, err = f.openJournal(f.header("championship", r.Config)); err != nil {
		return err
	}
	if r.results, r.now, err = resumed(r.app.Stderr, r.Championship, r.results, f.repeat); err == nil {
		err = cmp.Or(r.logs.writeMissing(r.now.Results()), r.logs.setAside(r.app.Stderr, r.isGame, r.now.Results()))
	}
	if err != nil {
		r.Journal.Close()
	}
	return err
}

// isGame reports whether id is the ID of a game of the knockout or of one of the groups.
func (r *championshipRun) isGame(id string) bool {
	return championship.IsKnockout(id) ||
		slices.ContainsFunc(r.Groups, func(g championship.Group) bool { return strings.HasPrefix(id, g.Name+"-") })
}

// play plays the remaining games. If a result cannot be recorded, it calls cancel and returns that error.
func (r *championshipRun) play(ctx context.Context, cancel context.CancelCauseFunc) error {
	var progress farm.Progress
	progress.Begin("championship", "games", uint64(r.now.Played), uint64(r.now.Games))
	stop := cli.ShowProgress(r.app.Stderr, &progress)
	defer stop(nil)
	absent := newAbsences()
	var failed error
	played := 0
	r.OnResult = func(result arena.Result) {
		if gone := absent.note(result); gone != nil {
			fmt.Fprintf(r.app.Stderr, "\nendwise: %v\n\n", gone)
		}
		before := r.now.Played
		if err := r.add(result); err != nil {
			failed = cmp.Or(failed, err)
			cancel(err)
		}
		progress.Note(result.ID + " " + championship.ScoreText(result, nil))
		progress.Add(1)
		progress.Found(uint64(max(0, r.now.Played-before-1))) // earlier games of the knockout just drawn
		played++
	}
	_, err := r.Run(ctx, slices.Clone(r.results))
	err = cmp.Or(failed, err)
	stop(err)
	if r.now.Played > played && played > 0 {
		fmt.Fprintf(r.app.Stderr, "played %s, kept %d\n", cli.Count(played, "game"), r.now.Played-played)
	}
	return err
}

// add records a result in the outcome, the report, the live page, the logs and the standings.
func (r *championshipRun) add(result arena.Result) (err error) {
	r.results = append(r.results, result)
	if r.now, err = r.Outcome(r.results); err != nil {
		return err
	}
	if r.report != nil {
		r.report.add(r.now.Results())
	}
	if r.live != nil {
		r.live.update(r.now)
	}
	return errors.Join(r.logs.writeMissing(r.now.Results()), writeStandings(r.now, r.flags.report))
}

// writeStandings writes standings.md and standings.json into dir, unless dir is "".
func writeStandings(out championship.Outcome, dir string) error {
	if dir == "" {
		return nil
	}
	if err := disk.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(
		disk.WriteFile(filepath.Join(dir, "standings.md"), 0o644, out.WriteMarkdown),
		disk.WriteFile(filepath.Join(dir, "standings.json"), 0o644, func(w io.Writer) error { return cli.WriteJSON(w, out) }))
}

func printOutcome(a *cli.App, out championship.Outcome, f championshipFlags) error {
	err := errors.Join(writeStandings(out, f.report), printReport(a, f.asJSON, out, out.WriteText))
	if f.report != "" && err == nil {
		fmt.Fprintf(a.Stderr, "%s: the standings\n", filepath.Join(f.report, "standings.md"))
	}
	return err
}

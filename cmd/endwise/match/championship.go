package match

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/arena/championship"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

// maxTeamsFile is the maximum size of a teams file in bytes.
const maxTeamsFile = 1 << 20

// versus separates the teams in the name of a log of the course championship.
const versus = "_vs_"

// championshipFlags are the flags of championship.
type championshipFlags struct {
	matchFlags
	teams   string
	report  string
	advance int
	title   string // of the live page and its report, "" for the game's
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
then the better seed.

Bonus points: 2 for winning a group and 1 for its second place; also 8 for winning
the final and 5 for losing it.

FILE has a line "group NAME" for each group, followed by a line "TEAM PLAYER" for
each team; # begins a comment.

` + playersHelp(a.Games) + `

A team that crashes, exceeds its time (practice levels excepted) or makes an
illegal move loses that game, in games with scores with all squares to none. Every
finished game is stored (--results, by default FILE.results); the same command
resumes. A team whose program never makes a move forfeits its games. Until the
knockout begins, the same command plays these games again.

With LOG, a folder or files, nothing is played: the command reads the logs of a
Circuit Wars championship, replays them by the rules and prints the tables, and a
knockout if there are games of one. A log is named GROUP-TEAM-TEAM, or TEAM-TEAM
or TEAM_vs_TEAM in a folder GROUP, group-GROUP or, for instance,
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
	c.Flags().StringVar(&f.report, "report", "", "directory for standings.md and standings.json, rewritten after each game")
	c.Flags().StringVar(&f.serve, "serve", "", "HOST:PORT of a page with standings, running boards, results and a report on mistakes, for a projector; it stays until Ctrl-C")
	c.Flags().StringVar(&f.title, "title", "", "title of the report and the exercises; also of the page of --serve. The report carries today's date (default \"GAME championship\")")
	cli.AllowHost(c, &f.hosts)
	c.Flags().IntVar(&f.advance, "advance", 2, "teams of each group that enter the knockout, 0 for no knockout")
	return c
}

// run plays the championship of --teams, or prints the tables of recorded games if there are
// logs.
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
	cup := &championship.Championship{Config: config, Advance: f.advance, Seed: f.seed}
	switch {
	case len(logs) > 0 && f.teams != "":
		return cli.BadInput(errors.New("both --teams and logs: want one of them"))
	case len(logs) > 0 && f.serve != "":
		return cli.BadInput(errors.New("--serve shows games while they are played: want --teams FILE in place of logs"))
	case len(logs) > 0:
		return reportLogs(a, g, cup, f, logs)
	case f.teams == "":
		return cli.BadInput(errors.New("want --teams FILE, or the logs of games that are played already"))
	}
	field := lineup{Output: f.logs}
	defer field.Close()
	if cup.Groups, err = readTeams(a, f.teams, g, &field, log); err != nil {
		return err
	}
	for _, group := range cup.Groups {
		if n := len(group.Teams); n < f.advance && n >= 2 {
			return cli.BadInput(fmt.Errorf("--advance %d: group %q of %s has %s", f.advance, group.Name, f.teams, cli.Count(n, "team")))
		}
	}
	if err := field.Prepare(ctx, a); err != nil {
		return err
	}
	cup.Concurrency = f.concurrency(field.Threads)
	if f.serve == "" {
		return runChampionship(ctx, a, cup, f, nil)
	}
	if f.jobs == 0 { // the report needs a processor
		cup.Concurrency = max(1, cup.Concurrency-1)
	}
	sources := cli.LookupFlags{Threads: 1, HashMB: 64}
	open := func() (*book.Lookup, error) { return sources.OpenSources(a, g) }
	return runChampionship(ctx, a, cup, f, newClassReport(g, cmp.Or(f.title, g.Title()+" championship"), config.First, open, log))
}

// readTeams reads the groups and their teams from the file at path, and adds the teams to
// field.
func readTeams(a *cli.App, path string, g cli.Game, field *lineup, log *slog.Logger) ([]championship.Group, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	defer file.Close()
	return parseTeams(a, file, path, g, field, log)
}

// parseTeams reads a teams file and adds the teams to field; path is the file's name in
// errors. Teams before the first group line are in a group "1".
func parseTeams(a *cli.App, file io.Reader, path string, g cli.Game, field *lineup, log *slog.Logger) ([]championship.Group, error) {
	var groups []championship.Group
	sc := bufio.NewScanner(io.LimitReader(engine.Text(file), maxTeamsFile))
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		fail := func(format string, args ...any) error {
			return cli.BadInput(fmt.Errorf("%s: line %d: %s", path, n, fmt.Sprintf(format, args...)))
		}
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest := line, ""
		if i := strings.IndexAny(line, " \t"); i > 0 {
			word, rest = line[:i], strings.TrimSpace(line[i:])
		}
		if strings.EqualFold(word, "group") {
			if !validName.MatchString(rest) || strings.Contains(rest, "-") {
				return nil, fail("group %q: want a name of letters, digits or _", rest)
			}
			groups = append(groups, championship.Group{Name: rest})
			continue
		}
		switch {
		case !validName.MatchString(word):
			return nil, fail("team %q: want 1 to %d letters, digits, - or _", word, maxName)
		case rest == "":
			return nil, fail("team %s: no player", word)
		case field.hasName(word):
			return nil, fail("a second team is named %s, case ignored", word)
		case len(groups) == 0:
			groups = append(groups, championship.Group{Name: "1"})
		}
		if err := field.addNamed(a, g, word, rest, log); err != nil {
			return nil, cli.BadInput(fmt.Errorf("%s: line %d: %w", path, n, err))
		}
		last := &groups[len(groups)-1]
		last.Teams = append(last.Teams, field.Participants[len(field.Participants)-1])
	}
	if err := sc.Err(); err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", path, err))
	}
	if len(groups) == 0 {
		return nil, cli.BadInput(fmt.Errorf("%s: no teams", path))
	}
	return groups, nil
}

// runChampionship plays the games of the championship that the results file lacks, and
// reports the championship, also after an interruption. report analyses the games for the
// live page; it is nil without --serve.
func runChampionship(ctx context.Context, a *cli.App, cup *championship.Championship, f championshipFlags,
	report *classReport) (failed error) {
	head := header("championship", cup.Config, cup.Seed)
	for _, g := range cup.Groups {
		for _, t := range g.Teams {
			head.Players = append(head.Players, fmt.Sprintf("%s: %s=%s", g.Name, t.Name, t.Spec))
		}
	}
	if f.results == "" {
		f.results = f.teams + ".results"
	}
	// Report wrong groups before creating a results file.
	if _, err := cup.Outcome(nil); err != nil {
		return cli.BadInput(fmt.Errorf("%s: %w", cmp.Or(f.teams, "teams"), err))
	}
	if f.report != "" {
		if err := disk.MkdirAll(f.report, 0o755); err != nil {
			return cli.BadInput(fmt.Errorf("--report: want a directory: %w", err))
		}
	}
	journal, earlier, logs, err := f.begin(head, &cup.Config)
	if err != nil {
		return err
	}
	defer journal.Close()
	cup.Journal = journal
	if earlier, err = replayForfeits(a, journal, earlier); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	now, err := cup.Outcome(earlier)
	if err != nil {
		return err
	}
	var live *livePage
	if f.serve != "" {
		live = newLivePage(report, earlier, now, append(f.hosts, f.serve))
		ended, err := live.serve(ctx, a, f.serve)
		if err != nil {
			return err
		}
		go report.run(ctx)
		cup.Config.OnPosition = live.reached
		// This runs before the deferred cancel, so the page stays until Ctrl-C, or until an error
		// has cancelled ctx.
		defer func() {
			if served := <-ended; failed == nil {
				failed = served
			}
		}()
	}
	var shown farm.Progress
	shown.Begin("championship", "games", uint64(now.Played), uint64(now.Games))
	stop := cli.ShowProgress(a.Stderr, &shown)
	defer stop(nil)
	absent := newAbsences("and loses them; the championship continues")
	var lost error
	cup.OnResult = func(r arena.Result) {
		earlier = append(earlier, r)
		now, err := cup.Outcome(earlier)
		if live != nil {
			live.ended(r, now)
		}
		if gone := absent.note(r); gone != nil {
			fmt.Fprintf(a.Stderr, "\nendwise: %v\n\n", gone)
		}
		if err := errors.Join(err, logs.write(r), writeStandings(now, f.report)); err != nil {
			lost = cmp.Or(lost, err)
			cancel(err)
		}
		shown.Note(r.ID + " " + championship.ScoreText(r, nil))
		shown.Add(1)
	}
	out, err := cup.Run(ctx, slices.Clone(earlier))
	err = cmp.Or(lost, err)
	stop(err)
	err = errors.Join(err, printOutcome(a, out, f))
	if !f.asJSON {
		printNarrowTimeouts(a, cup.Config, earlier)
	}
	return cli.Resumable(err)
}

// replayForfeits removes the games of teams that have never moved from an earlier run's results
// and from the journal, because their programs may have been repaired. Once the knockout has
// begun, the results stay. It returns the remaining results.
func replayForfeits(a *cli.App, journal *arena.Journal, earlier []arena.Result) ([]arena.Result, error) {
	absent := newAbsences("")
	for _, r := range earlier {
		if championship.IsKnockout(r.ID) {
			return earlier, nil
		}
		absent.note(r)
	}
	again := absent.games()
	if len(again) == 0 {
		return earlier, nil
	}
	fmt.Fprintf(a.Stderr, "%s of teams that have not made a move yet: played again\n", cli.Count(len(again), "game"))
	earlier = slices.DeleteFunc(earlier, func(r arena.Result) bool { return slices.Contains(again, r.ID) })
	return earlier, absent.takeBack(journal)
}

// writeStandings writes standings.md and standings.json to the directory dir, which it
// creates; without dir ("") it writes nothing.
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

// printOutcome prints the report and writes its files.
func printOutcome(a *cli.App, out championship.Outcome, f championshipFlags) error {
	return errors.Join(writeStandings(out, f.report), printReport(a, f.asJSON, out, out.WriteText))
}

// reportLogs prints the tables of recorded games.
func reportLogs(a *cli.App, g cli.Game, cup *championship.Championship, f championshipFlags, logs []string) error {
	results, unread, err := readLogs(a, g, cup.Config.First, logs)
	if err != nil {
		return cli.BadInput(err)
	}
	if len(results) > 0 {
		cup.Config.Time = 0 // not known from logs
		if err := printOutcome(a, cup.Recorded(results), f); err != nil {
			return err
		}
	}
	if unread > 0 {
		return cli.BadInput(fmt.Errorf("%s could not be read", cli.Count(unread, "log")))
	}
	return nil
}

// readLogs reads the results of the logs in and below the paths. It names logs that cannot
// be read, or contain no new game of two teams, on standard error; unread is their number.
// If the teams in a log and in its file name differ, the file name counts, with one notice
// per team. Case is ignored: a team is spelled like its first occurrence.
func readLogs(a *cli.App, g cli.Game, first engine.Position, paths []string) (out []arena.Result, unread int, err error) {
	if g.ReadResult == nil {
		return nil, 0, fmt.Errorf("championship: the logs of %s contain no results of teams; "+
			"endwise analyze reads them", g.Title())
	}
	files, err := a.Games.FilesBelow(a.Stderr, paths, ".log")
	fileOf := map[string]string{}   // by the ID of the game
	spelled := map[string]string{}  // names of teams, by the name in lower case
	noticed := map[[2]string]bool{} // a team's name and its name in the log
	read := func(file string) error {
		r, err := g.ReadResult(file, first)
		if err != nil {
			return err
		}
		inLog := r.Players
		round, err := nameGame(&r, file)
		if err != nil {
			return err
		}
		for i, team := range r.Players {
			key := strings.ToLower(team)
			spelled[key] = cmp.Or(spelled[key], team)
			r.Players[i] = spelled[key]
			if pair := [2]string{r.Players[i], inLog[i]}; !strings.EqualFold(team, inLog[i]) && !noticed[pair] {
				noticed[pair] = true
				fmt.Fprintf(a.Stderr, "endwise: %s: the log calls %s %s; the name of the file counts\n",
					engine.OneLine(file, 300), team, engine.OneLine(inLog[i], 60))
			}
		}
		if r.Players[0] == r.Players[1] {
			return fmt.Errorf("%s: both teams are named %s, case ignored", file, r.Players[0])
		}
		r.ID = fmt.Sprintf("%s-%s-%s", round, r.Players[0], r.Players[1])
		if other := fileOf[r.ID]; other != "" {
			return fmt.Errorf("%s and %s are both logs of %s", other, file, r.ID)
		}
		fileOf[r.ID] = file
		out = append(out, r)
		return nil
	}
	var bad cli.Unread
	for _, file := range files {
		if err := read(file); err != nil {
			bad.Add(file, err)
		}
	}
	return out, bad.Print(a.Stderr), err
}

// cutLast cuts s around the last sep, and returns false without one.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// nameGame returns the round in the name of a log, and sets the teams of the result:
// GROUP-TEAM-TEAM, or TEAM-TEAM or TEAM_vs_TEAM in a folder GROUP or group-GROUP, with or
// without .log. If the name contains the log's own teams, in any case and order, these
// remain.
func nameGame(r *arena.Result, file string) (round string, err error) {
	base := engine.OneLine(strings.TrimSuffix(filepath.Base(file), ".log"), 200)
	folder := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "group-")
	folder = strings.ReplaceAll(folder, "-", "_")
	for _, full := range []string{base, folder + "-" + base} {
		for _, between := range []string{"-", versus} {
			for i := range r.Players {
				pair := "-" + r.Players[i] + between + r.Players[1-i]
				n := len(full) - len(pair)
				if n <= 0 || !strings.EqualFold(full[n:], pair) {
					continue
				}
				if round = full[:n]; !strings.Contains(round, "-") || championship.IsKnockout(round) {
					return round, nil
				}
			}
		}
	}
	if match, number, ok := cutLast(base, "-"); ok && engine.IsNumber(number) {
		for i := range r.Players {
			if strings.EqualFold(match, r.Players[i]+"-"+r.Players[1-i]) {
				return "", fmt.Errorf("%s is a log of endwise arena, which has no groups: want it named GROUP-%s.log", file, match)
			}
		}
	}
	words := strings.Split(base, versus)
	if len(words) != 2 {
		words = strings.Split(base, "-")
	}
	if len(words) == 2 {
		words = append([]string{folder}, words...)
	}
	n := len(words) - 2
	if n < 1 || slices.Contains(words, "") || n > 1 && !championship.IsKnockout(words[0]) {
		return "", fmt.Errorf("%s is the log of a game between %s and %s: want it named GROUP-%s-%s.log", file,
			r.Players[0], r.Players[1], r.Players[0], r.Players[1])
	}
	r.Players = [2]string{words[n], words[n+1]}
	return strings.Join(words[:n], "-"), nil
}

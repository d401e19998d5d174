// Package analyze implements the command analyze: it reads game records, evaluates their positions (run.go)
// and prints or writes the analyses. Package analysis contains the method.
package analyze

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"endwise/book/analysis"
	"endwise/book/why"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web"
	"endwise/cmd/endwise/web/answer"
	"endwise/engine"
	"endwise/engine/disk"
)

// recordExtensions are the extensions of game records in a directory.
var recordExtensions = []string{".log", ".game"}

type analyzeOptions struct {
	board        string // "" if it is not given
	readers      []analysis.Reader
	limits       analysis.Limits
	jobs         int
	workDir      string
	asJSON       bool
	moves        bool
	boards       int // mistakes shown in text
	htmlFile     string
	exerciseFile string
	title        string
	lookup       cli.LookupFlags
}

// NewCmd returns the command analyze.
func NewCmd(a *cli.App) *cobra.Command {
	o := analyzeOptions{limits: analysis.DefaultLimits}
	c := &cobra.Command{
		Use:   "analyze [GAME] FILE… | DIR… | MOVES | -",
		Short: "Find the mistakes in played games",
		Long: `Analyses game records from the end backwards: every position gets --time for an
exact value until --misses in a row were not solved; the earlier ones get an
estimate with --guess each. A move is a mistake only if proved values before and
after it show what it lost. A single game also shows, as likely mistakes, moves at
which the estimates fell.

Records are Circuit Wars logs, the output of the Watch Your Back referee, the
messages of the Dots and Boxes protocol, the plain format of all games (lines
"game: NAME", "start: POSITION", …, an empty line and one move per line), or
moves in any notation that query reads. A file may contain one game per line if
each is complete or begins with its size. A directory stands for the *.log and
*.game files in and below it and for Circuit Wars logs without an extension; an
argument that is not a file is read as moves, and - reads standard input. After the
name of a game, as in query, only records of that game are read. All records are of
one game.

The three largest mistakes, or --worst, are shown with their boards; in a single
game the turning point and then those of the loser come first, and in several games
only the largest of those close to each other in a game. Several games are summed
up, with one line per player.
A mistake that loses 1 square (or box) lets the opponent have it: the value, a
difference, changes by 2. "Lost in all" is the sum over a player's mistakes. In
--json a loss is the change of the value.

--moves lists every game and its moves, each with the score before it and the
value for its player; lead and value add up to the result of best play. Finished
games are kept in --work, so the same command resumes after an interruption.`,
		Example: "  endwise analyze GAME.log\n  endwise analyze \"2x2 h0,0 v0,0 h1,0 v0,1\"\n" +
			"  endwise analyze GAMES/ --html class.html\n  endwise analyze GAMES/ --json > class.json",
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, paths []string) error {
			o.boards = boardsShown
			if cmd.Flags().Changed("worst") {
				o.boards = o.limits.Worst
			}
			games := a.Games
			if g, err := games.Named(paths[0]); err == nil && len(paths) > 1 {
				games, paths = cli.Games{g}, paths[1:]
			}
			if err := o.check(games); err != nil {
				return cli.BadInput(err)
			}
			return analyze(cmd.Context(), a, o, paths)
		},
	}
	f := c.Flags()
	f.StringVar(&o.board, "board", "", cli.BoardUsage+"; of logs and moves that do not name it (default the board that they fit; of an unfinished game of Little Golem, trmph or Knox 5x5)")
	f.DurationVar(&o.limits.Solve, "time", o.limits.Solve, cli.TimeUsage+", for its exact value")
	f.DurationVar(&o.limits.Estimate, "guess", o.limits.Estimate, "time for an estimate of one position")
	f.IntVar(&o.limits.Unsolved, "misses", o.limits.Unsolved, "number of unsolved positions in a row before which positions are only estimated")
	f.IntVar(&o.limits.Worst, "worst", o.limits.Worst, "number of mistakes shown with their boards: of each game in a report, of all games together in text (there 3 without this flag)")
	f.IntVar(&o.jobs, "jobs", cli.Processors, cli.JobsUsage+"; a game each")
	f.StringVar(&o.workDir, "work", "", "directory of finished analyses (default analyses next to the store)")
	f.BoolVar(&o.moves, "moves", false, "list every game and its moves with their values")
	f.BoolVar(&o.asJSON, "json", false, cli.JsonUsage)
	f.StringVar(&o.htmlFile, "html", "", "write a self-contained report to this file")
	f.StringVar(&o.exerciseFile, "exercises", "", cli.ExercisesUsage+"; written for serve --exercises, or if it ends in .html, to print on both sides: at most six per player, from its largest mistakes")
	f.StringVar(&o.title, "title", "", "title of the report and the exercises, for instance the class; today's date follows unless the title contains a date (default \"Game analysis\")")
	o.lookup.RegisterSources(c)
	return c
}

// check returns an error if an option is invalid, and sets the readers of records.
func (o *analyzeOptions) check(games cli.Games) error {
	var err error
	if o.readers, err = readers(games, o.board); err != nil {
		return fmt.Errorf("--board: %w", err)
	}
	if err := cmp.Or(
		cli.Want(o.limits.Solve > 0, "--time", o.limits.Solve, "a time above 0"),
		cli.Want(o.limits.Estimate > 0, "--guess", o.limits.Estimate, "a time above 0"),
		cli.Want(o.limits.Unsolved >= 1, "--misses", o.limits.Unsolved, "1 or more"),
		cli.Want(o.limits.Worst >= 0, "--worst", o.limits.Worst, "0 or more"),
		cli.Want(o.jobs >= 1, "--jobs", o.jobs, "1 or more"),
		cli.WantSizes(o.lookup.Threads, o.lookup.HashMB),
	); err != nil {
		return err
	}
	ext := strings.ToLower(filepath.Ext(o.exerciseFile))
	return cmp.Or(
		cli.Want(ext == "" || slices.Contains([]string{".html", ".jsonl", ".json"}, ext), "--exercises", o.exerciseFile, "a name that ends in .html or .jsonl"),
		wantDirectory("--html", o.htmlFile), wantDirectory("--exercises", o.exerciseFile))
}

// wantDirectory returns an error if the directory of a file to be written does not exist.
func wantDirectory(flag, file string) error {
	if file == "" {
		return nil
	}
	if st, err := os.Stat(filepath.Dir(file)); err != nil || !st.IsDir() {
		return fmt.Errorf("%s %s: there is no directory %s", flag, file, filepath.Dir(file))
	}
	return nil
}

// readers returns the readers of all games, those of lists of moves last, because a log may look like
// one. board is the board of logs and moves that do not name theirs; if it is "", the readers find it.
func readers(games cli.Games, board string) ([]analysis.Reader, error) {
	var out, moves []analysis.Reader
	for _, g := range games {
		own, err := g.Readers(board)
		if err != nil {
			return nil, err
		}
		out = append(out, own...)
		moves = append(moves, analysis.MovesReader(g.Game, func(text string) (engine.Position, []engine.Move, error) {
			return cli.ReadGame(g.Game, board, text)
		}))
	}
	return append(out, moves...), nil
}

// analyzeReport is the JSON form of an analysis of games.
type analyzeReport struct {
	Summary analysis.Summary    `json:"summary"`
	Games   []analysis.Analysis `json:"games"`
}

// analyze analyses the records in paths that can be read, and returns an error if others cannot.
func analyze(ctx context.Context, a *cli.App, o analyzeOptions, paths []string) error {
	records, unread, err := o.readRecords(a, paths)
	if err != nil {
		return cli.BadInput(err)
	}
	for _, r := range records {
		if first := records[0]; r.game.Name() != first.game.Name() {
			return cli.BadInput(fmt.Errorf("%s is a game of %s and %s one of %s: a report is on one game; write endwise analyze %s … and endwise analyze %s …, each with its own files",
				first.Name, first.game.Title(), r.Name, r.game.Title(), first.game.Name(), r.game.Name()))
		}
	}
	if len(records) > 0 {
		if err := analyzeAndWrite(ctx, a, o, records); err != nil {
			return err
		}
	}
	if unread > 0 {
		return cli.BadInput(fmt.Errorf("%s could not be read", cli.Count(unread, "game record")))
	}
	return nil
}

// analyzeAndWrite analyses the records, writes the files of the flags and prints the results.
func analyzeAndWrite(ctx context.Context, a *cli.App, o analyzeOptions, records []record) error {
	done, err := analyzeRecords(ctx, a, o, records)
	if err != nil {
		return cli.Resumable(err)
	}
	rep := analyzeReport{Summary: analysis.Summarize(done), Games: done}
	known := a.Games.Web()
	if o.htmlFile != "" || o.exerciseFile != "" {
		if err := o.writeFiles(a.Stderr, known, rep); err != nil {
			return err
		}
	}
	if o.asJSON {
		return cli.WriteJSON(a.Stdout, rep)
	}
	return printAnalyses(a, records, rep, o)
}

// writeFiles writes the report of --html and the exercises of --exercises, as JSON lines or,
// if the name of the file ends in .html, as a page.
func (o analyzeOptions) writeFiles(stderr io.Writer, known web.Games, rep analyzeReport) error {
	rules := func(name string) engine.Game { return known.Named(name).Rules.Game }
	exercises, err := analysis.Exercises(rules, rep.Games)
	if err != nil {
		return err
	}
	analysis.Grade(exercises)
	page := web.Report{
		Title: cli.WithDate(cmp.Or(o.title, "Game analysis")),
		Games: rep.Games, Limits: o.limits, Summary: rep.Summary, Exercises: exercises,
	}
	if o.htmlFile != "" {
		write := func(w io.Writer) error { return known.WriteReport(w, page) }
		if err := disk.WriteFile(o.htmlFile, 0o644, write); err != nil {
			return err
		}
		fmt.Fprintf(stderr, "%s: report on %s\n", o.htmlFile, cli.Count(len(rep.Games), "game"))
	}
	if o.exerciseFile == "" {
		return nil
	}
	number, note := len(exercises), "; an exercise has one best move or is a turning point"
	write := func(w io.Writer) error { return writeExercises(w, page) }
	if strings.EqualFold(filepath.Ext(o.exerciseFile), ".html") {
		note += ", at most six per player"
		write = func(w io.Writer) (err error) {
			number, err = known.WriteExercises(w, page)
			return err
		}
	}
	if err := disk.WriteFile(o.exerciseFile, 0o644, write); err != nil {
		return err
	}
	mistakes := 0
	var without []string
	for _, g := range rep.Games {
		for _, p := range g.Players {
			mistakes += p.Mistakes
			by := func(e analysis.Exercise) bool { return e.By == p.Name }
			if p.Mistakes > 0 && !slices.Contains(without, p.Name) && !slices.ContainsFunc(exercises, by) {
				without = append(without, p.Name)
			}
		}
	}
	if len(without) > 0 {
		note += "; none from the mistakes of " + strings.Join(without, ", ")
	}
	if number == 0 {
		cause := "no mistake is proved"
		if mistakes > 0 {
			cause = "at every proved mistake several moves are equally good, and none was a turning point"
		}
		note = fmt.Sprintf(": %s; further games, or a longer analysis with --time %s, may give some", cause, cli.Duration(10*o.limits.Solve))
	}
	_, err = fmt.Fprintf(stderr, "%s: %s from %s%s\n", o.exerciseFile,
		cli.Count(number, "exercise"), cli.Count(mistakes, "mistake"), note)
	return err
}

// writeExercises writes the exercises of a report, one JSON object per line.
func writeExercises(w io.Writer, r web.Report) error {
	enc := json.NewEncoder(w)
	for _, e := range r.Exercises {
		e.Class = r.Title
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// record is a game record with the description of its game, which names moves as the record does.
type record struct {
	game cli.Game
	file string // that contains only this game, "" for none
	analysis.Record
}

// readRecords reads the games that the command's arguments name: files, directories, moves, or
// - for standard input. Games that cannot be read are named on standard error; unread is their
// number. It returns an error if standard input cannot be read, and the errors of FilesBelow.
func (o *analyzeOptions) readRecords(a *cli.App, paths []string) (out []record, unread int, err error) {
	var bad cli.Unread
	add := func(source string, r []record, err error) {
		if err != nil {
			bad.Add(source, err)
		}
		out = append(out, r...)
	}
	var files []string
	for _, path := range paths {
		_, missing := os.Stat(path)
		switch {
		case path == "-":
			data, err := a.ReadStdin(analysis.MaxRecordBytes)
			if err != nil {
				return nil, bad.Print(a.Stderr), err
			}
			r, err := o.readGames(a, "standard input", data)
			add("standard input", r, err)
		case missing != nil && !cli.LooksLikeFile(path):
			text := engine.OneLine(path, 60)
			r, err := o.readGames(a, "this game", []byte(path))
			if err != nil {
				err = fmt.Errorf("%q: no such file, and as moves: %w", text, err)
			}
			add(text, r, err)
		default:
			files = append(files, path)
		}
	}
	// After an error files is empty; the games named so far are still reported.
	files, err = a.Games.FilesBelow(a.Stderr, files, recordExtensions...)
	var earlier []record // of files
	for _, file := range files {
		data, err := cli.ReadLimited(file, analysis.MaxRecordBytes)
		if err != nil {
			bad.Add(file, err)
			continue
		}
		r, err := o.readGames(a, filepath.Base(file), data)
		if i := slices.IndexFunc(earlier, func(e record) bool { return len(r) == 1 && isCopy(e, r[0]) }); i >= 0 {
			fmt.Fprintf(a.Stderr, "endwise: %s: a copy of %s, passed over\n", engine.OneLine(file, 300), engine.OneLine(earlier[i].Name, 300))
			continue
		}
		if len(r) == 1 && r[0].Name == filepath.Base(file) { // else it is one of several lines
			r[0].file = file
		}
		earlier = append(earlier, r...)
		add(file, r, err)
	}
	return out, bad.Print(a.Stderr), err
}

// isCopy reports whether two records have the same start, players, moves and result, and one file has the
// other's name with an addition such as " copy". Equal games in files such as game1 and game10, or of the same
// name in two directories, are not copies.
func isCopy(a, b record) bool {
	name := func(r record) string { return strings.TrimSuffix(r.Name, filepath.Ext(r.Name)) }
	short, long := name(a), name(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	before, after, found := strings.Cut(long, short)
	inWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return found && short != long && !inWord(last) && !inWord(first) &&
		a.Players == b.Players && a.Winner == b.Winner && a.Score == b.Score && len(a.Moves) > 0 &&
		a.Positions[0].String() == b.Positions[0].String() && slices.Equal(a.Moves, b.Moves)
}

// readGames reads a text with one game, whose record gets the given name, or with one game per line.
// In the second case each game must be complete or begin with its size, and the names contain the
// numbers of the lines. If some lines cannot be read, readGames returns the other games and an error.
func (o *analyzeOptions) readGames(a *cli.App, name string, data []byte) ([]record, error) {
	one, errOne := o.readRecord(a, name, data)
	if errOne == nil {
		return []record{one}, nil
	}
	var out []record
	var unread []error
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || engine.IsComment(line) || engine.IsResult(line) {
			continue
		}
		r, err := o.readRecord(a, fmt.Sprintf("%s line %d", name, n), []byte(line))
		switch {
		case err != nil:
			unread = append(unread, fmt.Errorf("line %d: %w", n, err))
		case !namesBoard(words[0]) && !r.Final().Over(): // perhaps a part of one game
			if errors.Is(errOne, analysis.ErrNoFormat) && n > 1 {
				errOne = fmt.Errorf("line %d: neither a complete game nor one that begins with its size, such as 5x5", n)
			}
			return nil, errOne
		default:
			out = append(out, r)
		}
	}
	switch {
	case len(out) == 0 && len(unread) > 1 && errors.Is(errOne, analysis.ErrNoFormat):
		return nil, unread[0]
	case len(out) == 0:
		return nil, errOne
	case len(unread) > 1:
		return out, fmt.Errorf("%s cannot be read, the first is %w", cli.Count(len(unread), "line"), unread[0])
	}
	return out, errors.Join(unread...)
}

// namesBoard reports whether a game that begins with a word has its size there: 5x5, 5,f3h9 or a link.
func namesBoard(word string) bool {
	before, _, comma := strings.Cut(word, ",")
	return cli.IsSize(word) || comma && engine.IsNumber(before) || strings.Contains(word, "#")
}

// readRecord reads one game, called name, with the first of o.readers that accepts its text.
func (o *analyzeOptions) readRecord(a *cli.App, name string, data []byte) (record, error) {
	r, err := analysis.ReadRecord(name, data, o.readers...)
	if err != nil {
		return record{}, err
	}
	g, err := a.Games.Named(r.Final().Game())
	return record{game: g.ForInput(cli.NewInput(r.Positions[0], r.Moves, string(data), o.board)), Record: r}, err
}

// printAnalyses prints the analysis of a single game, or of several games the summary, the costliest
// mistakes and, with --moves, each game.
func printAnalyses(a *cli.App, records []record, rep analyzeReport, o analyzeOptions) error {
	var b strings.Builder
	var games []cli.Game
	for _, r := range records {
		games = append(games, r.game)
	}
	only := len(rep.Games) == 1
	if !only {
		printSummary(&b, a.Columns(), games[0].Web, rep)
		if err := printBoards(&b, a.Columns(), costliest(games, rep.Games, o.boards)); err != nil {
			return err
		}
		if !o.moves {
			b.WriteString("\n" + cli.Wrap("Of mistakes close to each other in a game only the largest is shown. Every game: --moves, or with boards --html FILE", "", a.Columns()) + "\n")
		}
	}
	for i, g := range rep.Games {
		if !only && !o.moves {
			break
		}
		if !only {
			b.WriteString("\n")
		}
		if err := printAnalysis(&b, a.Columns(), records[i], g, o, only); err != nil {
			return err
		}
	}
	_, err := io.WriteString(a.Stdout, engine.Printable(b.String())) // names come from players and files
	return err
}

// printAnalysis writes the result of a game and of each player, the largest mistakes with their boards
// if only is true, and with --moves a table of the moves. only reports whether the command analyses
// no other game. columns is the width of the terminal, 0 if there is none.
func printAnalysis(
	b *strings.Builder, columns int, r record, g analysis.Analysis, o analyzeOptions, only bool,
) error {
	game, words := r.game, r.game.Web
	start, err := words.Rules.Parse(g.Start)
	if err != nil {
		return err
	}
	head := fmt.Sprintf("%s, %s: %s, %s", g.Name, start.BoardName(), answer.Result(g, " - "), cli.Count(len(g.Moves), "move"))
	if fault := answer.Fault(g); fault != "" {
		head += "; " + fault
	}
	b.WriteString(cli.WrapWords(strings.Split(head, " "), "    ", columns) + "\n")
	line := func(text string) {
		b.WriteString(cli.WrapWords(append([]string{" "}, strings.Fields(text)...), "    ", columns) + "\n")
	}
	if game.SizeNote != "" {
		line(game.SizeNote)
	}
	if line(verdict(game, g)); g.FirstSolved == 0 && (g.Winner == 0 || g.Fault == "") {
		text := "more time may solve more: --time " + cli.Duration(10*o.limits.Solve)
		if end, err := words.Rules.Parse(g.End); err == nil && words.TooEarly != nil && words.TooEarly(end) != "" {
			text = "its last position: " + words.TooEarly(end)
		}
		line(text)
	}
	for i, p := range g.Players {
		name := p.Name
		if side := words.Sides[i]; !strings.EqualFold(name, side) { // reasons name the side
			name += " (" + side + ")"
		}
		line(name + ": " + performance(words, p))
	}
	shown := mistakes(game, g, o.boards)
	if only {
		if err := printBoards(b, columns, shown); err != nil {
			return err
		}
	}
	switch {
	case o.moves:
		printMoves(b, columns, game, g, start.Score())
	case only:
		b.WriteString("\nEvery move: --moves\n")
		if len(shown) > 0 {
			b.WriteString(r.queryCommand(o.board, shown[0].ply, columns))
		}
	}
	return nil
}

// queryCommand returns a line with the command for the position before a move; "" if the record is not a
// file of its own, its name may need quotes, or the line is wider than columns or 80.
func (r record) queryCommand(board string, ply, columns int) string {
	if board != "" {
		board = " --board " + board
	}
	text := fmt.Sprintf("A position: endwise query %s %s%s --before %d --why", r.game.Name(), r.file, board, ply)
	quoted := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("._-/", c)
	}
	if r.file == "" || strings.ContainsFunc(r.file, quoted) || strings.Contains(cli.Wrap(text, "", columns), "\n") {
		return ""
	}
	return text + "\n"
}

// printMoves writes a table of a game's moves; score is the score before the first.
func printMoves(b *strings.Builder, columns int, game cli.Game, g analysis.Analysis, score [2]int) {
	words := game.Web
	b.WriteString("\n")
	t := cli.NewTable("no.", "turn", "player", "move", "score before it", "value", "source", "best", "loss")
	t.Optional("value", "score before it", "source")
	for _, m := range g.Moves {
		t.Row("", strconv.Itoa(m.Ply), game.Turn(m.Ply), g.Players[m.Player-1].Name, game.WithOtherName(m.Move),
			answer.Score(score, "-"), words.Truth(m.Before), m.Source, game.WithOtherName(m.Best), words.MoveLoss(m))
		score = m.Score
	}
	t.Write(b, false, columns)
}

// boardsShown is the number of mistakes shown in text without --worst.
const boardsShown = 3

// ahead returns the winner, or in a game without one the player ahead at its end; 0 for neither.
func ahead(g analysis.Analysis) int {
	if g.Winner != 0 || len(g.Margins) == 0 {
		return g.Winner
	}
	switch last := g.Margins[len(g.Margins)-1].Value; {
	case last > 0:
		return 1
	case last < 0:
		return 2
	}
	return 0
}

// shownMove is a move that is shown with the board before it.
type shownMove struct {
	game   cli.Game
	played analysis.Analysis
	ply    int // from 1
	remark string
	why    []why.Reason
}

// mistakes returns at most n mistakes of a game: the turning point, then the loser's mistakes and then
// the winner's, each the largest first. In games with a score, a likely mistake is as large as the fall
// of the estimate; in other games likely mistakes follow the proved ones. The decisive one precedes
// other likely mistakes.
func mistakes(game cli.Game, g analysis.Analysis, n int) []shownMove {
	words := game.Web
	type mistake struct {
		shownMove
		rank int // those with a higher one come first
	}
	var all []mistake
	winner := ahead(g)
	add := func(ply, player, rank int, remark string, reasons []why.Reason) {
		switch {
		case ply == g.Turned:
			rank = math.MaxInt32
		case player == winner:
			rank -= math.MaxInt32 // after all mistakes of the loser
		}
		all = append(all, mistake{shownMove{game, g, ply, remark, reasons}, rank})
	}
	for _, m := range provedMistakes(g) {
		add(m.Ply, m.Player, m.ProvedLoss(), loses(words, g, m, ""), m.Why)
	}
	likely := slices.Clone(g.Likely)
	if d := g.Decisive; d != nil {
		likely = slices.DeleteFunc(likely, func(m analysis.LikelyMistake) bool { return m.Ply == d.Ply })
		likely = slices.Insert(likely, 0, *d)
	}
	proved := len(all)
	for k, m := range likely {
		if slices.ContainsFunc(all[:proved], func(p mistake) bool { return p.ply == m.Ply }) {
			continue // a proof says more
		}
		rank := -k
		if words.Rules.Scored {
			rank = m.Fall() / words.Rules.ProofScale()
		}
		if g.Decisive != nil && m.Ply == g.Decisive.Ply {
			rank = math.MaxInt32 - 1
		}
		better, before := m.Better, g.Moves[m.Ply-1].Before
		if before.Lower != nil && before.Estimate == nil {
			better += " (proved: " + words.Truth(before) + ")"
		}
		add(m.Ply, m.Player, rank, fmt.Sprintf("move %d, %s: %s may be a mistake: by estimates it loses about %s against %s",
			m.Ply, g.Players[m.Player-1].Name, m.Move, words.Fall(m.Fall()), better), g.Moves[m.Ply-1].Why)
	}
	slices.SortStableFunc(all, func(x, y mistake) int { return cmp.Compare(y.rank, x.rank) })
	var out []shownMove
	for _, m := range all[:min(len(all), n)] {
		out = append(out, m.shownMove)
	}
	return out
}

// costliest returns the n largest mistakes in several games, the largest first. Of mistakes that are
// close to each other in a game ([analysis.Near]), it returns only the largest.
func costliest(games []cli.Game, played []analysis.Analysis, n int) (out []shownMove) {
	type mistake struct {
		game int
		analysis.Move
	}
	var all, kept []mistake
	for i, g := range played {
		for _, m := range provedMistakes(g) {
			all = append(all, mistake{i, m})
		}
	}
	slices.SortStableFunc(all, func(x, y mistake) int { return cmp.Compare(y.ProvedLoss(), x.ProvedLoss()) })
	for _, m := range all {
		near := func(k mistake) bool { return k.game == m.game && analysis.Near(k.Ply, m.Ply) }
		if len(kept) < n && !slices.ContainsFunc(kept, near) {
			kept = append(kept, m)
			game, g := games[m.game], played[m.game]
			out = append(out, shownMove{game, g, m.Ply, loses(game.Web, g, m.Move, " of "+g.Name), m.Why})
		}
	}
	return out
}

// provedMistakes returns the moves of a game with a proved loss.
func provedMistakes(g analysis.Analysis) []analysis.Move {
	return slices.DeleteFunc(slices.Clone(g.Moves), func(m analysis.Move) bool { return m.ProvedLoss() <= 0 })
}

// loses describes a mistake in one line. After the move's number comes of, such as " of GAME" or "".
func loses(words web.Game, g analysis.Analysis, m analysis.Move, of string) string {
	lost := words.MistakeLoss(m.ProvedLoss(), m.Loss != nil)
	if m.Ply == g.Turned {
		lost += " and decides the game"
	}
	return fmt.Sprintf("move %d%s, %s: %s loses %s, better %s", m.Ply, of, g.Players[m.Player-1].Name, m.Move, lost, m.Best)
}

// verdict returns [answer.Game.Verdict] and, if g has one, the decisive move, without a full stop.
func verdict(game cli.Game, g analysis.Analysis) string {
	text := game.Web.Verdict(g)
	if m := g.Decisive; m != nil {
		text += "; " + game.Web.Decisive(*m, game.WithOtherName(m.Move))
	}
	return game.WithTurns(text)
}

// Decided returns the verdict on a game and its largest mistakes, with the boards before them. columns
// is the width of the terminal, 0 if there is none.
func Decided(game cli.Game, g analysis.Analysis, columns int) (string, error) {
	var b strings.Builder
	b.WriteString(cli.Wrap(verdict(game, g), "  ", columns) + "\n")
	err := printBoards(&b, columns, mistakes(game, g, boardsShown))
	return engine.Printable(b.String()), err
}

// printBoards writes moves with their remarks, boards and reasons, and a legend of the boards.
func printBoards(b *strings.Builder, columns int, moves []shownMove) error {
	legend := "Each board shows the position before the move"
	for _, m := range moves {
		board, err := drawBefore(m.game.Web, m.played, m.ply)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s\n%s", m.game.WrapWithOtherNames(m.game.WithTurns(m.remark), "  ", columns), board)
		for _, r := range m.why {
			text := m.game.Web.WithNames(r.Text, [2]string{m.played.Players[0].Name, m.played.Players[1].Name})
			b.WriteString(m.game.WrapWithOtherNames(text, "", columns) + "\n")
		}
		if strings.ContainsAny(board, "=#(") && !strings.Contains(legend, ";") {
			legend += "; " + m.game.LastMove() + " is the previous move"
		}
	}
	if len(moves) > 0 {
		if notation := moves[0].game.Notation; notation != "" && !slices.ContainsFunc(moves, func(m shownMove) bool { return m.game.Notation != notation }) {
			legend += "; " + notation
		}
		fmt.Fprintf(b, "\n%s\n", cli.Wrap(legend+".", "", columns))
	}
	return nil
}

// drawBefore returns the board before the move with number ply, from 1, with the move before it marked.
func drawBefore(words web.Game, g analysis.Analysis, ply int) (string, error) {
	p, err := words.Rules.Parse(g.Start)
	if err != nil {
		return "", err
	}
	var style engine.DrawStyle
	for _, m := range g.Moves[:ply-1] {
		last, err := p.ParseMove(m.Move)
		if err == nil {
			p, err = p.Play(last)
		}
		if err != nil {
			return "", err
		}
		style.Last = &last
	}
	var b strings.Builder
	err = p.Draw(&b, style)
	return b.String(), err
}

// performance describes the moves of one player in one game.
func performance(words web.Game, p analysis.Player) string {
	if p.Evaluated == 0 {
		return cli.Count(p.Moves, "move") + ", none evaluated"
	}
	parts := []string{
		cli.Count(p.Moves, "move"),
		engine.Digits(p.Evaluated) + " evaluated",
		cli.Count(p.Mistakes, "mistake"),
		words.LossWithUnit(p.Loss) + " lost in all",
	}
	if share, ok := p.Accuracy(); ok {
		parts = append(parts, "accuracy "+percent(share))
	}
	return strings.Join(parts, ", ")
}

// percent formats a share: "96.4 %".
func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// printSummary writes the sums over all games, a table of the players and the forfeits.
func printSummary(b *strings.Builder, columns int, words web.Game, rep analyzeReport) {
	s := rep.Summary
	text := strings.Join([]string{
		cli.Count(s.Games, "game"),
		cli.Count(s.Moves, "move"),
		engine.Digits(s.Solved) + " solved",
		engine.Digits(s.Evaluated) + " evaluated",
		cli.Count(s.Mistakes, "mistake"),
		words.LossWithUnit(s.Loss) + " lost in all",
	}, ", ")
	if s.Mistakes > 0 {
		text += fmt.Sprintf(" (%s per mistake)", words.AverageLoss(s.Loss, s.Mistakes))
	}
	if s.Unfinished > 0 {
		text += fmt.Sprintf(", %s", cli.Count(s.Unfinished, "unfinished game"))
	}
	text += fmt.Sprintf(", %s; the median solved part has %s", cli.Count(s.MissedWins, "missed win"), cli.Count(s.FirstSolvedMedian, "move"))
	fmt.Fprintf(b, "%s\n\n", cli.Wrap(text, "", columns))
	printStandings(b, columns, words, s.Players)
	title := "\nforfeits:\n"
	for _, g := range rep.Games {
		if g.Fault != "" && g.Winner != 0 {
			b.WriteString(title + cli.Wrap(g.Name+": "+g.Fault, "  ", columns) + "\n")
			title = ""
		}
	}
	half := ""
	if words.Unit == "" {
		half = "; a move that turns a win into a tie loses half a win"
	}
	fmt.Fprintf(b, "\n%s\n", cli.Wrap("missed win: a game, played to its end, that its player did not win although best play from the first solved position on wins. solved: the value of the position before the move is proved; evaluated: proved values or bounds before and after the move show whether it lost something. accuracy: the share of evaluated moves without a mistake, if at least five were evaluated. Only proved losses count: more --time may find more, a busy machine fewer"+half, "", columns))
}

// printStandings writes a table of the players.
func printStandings(b *strings.Builder, columns int, words web.Game, players []analysis.Standing) {
	t := cli.NewTable("player", ">games", ">won", ">tied", ">lost",
		">missed wins", ">mistakes", ">loss in all", ">largest", ">accuracy", ">forfeits")
	t.Optional("tied", "lost", "forfeits", "missed wins", "loss in all", "largest")
	digits := engine.Digits[int]
	for _, p := range players {
		accuracy := "too few"
		if share, ok := p.Accuracy(); ok {
			accuracy = percent(share)
		}
		t.Row("", p.Name, digits(p.Games), digits(p.Won), digits(p.Tied), digits(p.Lost),
			digits(p.MissedWins), digits(p.Mistakes)+" of "+digits(p.Evaluated), words.Loss(p.Loss), words.Loss(p.WorstLoss), accuracy, digits(p.Forfeits))
	}
	t.Write(b, false, columns)
}

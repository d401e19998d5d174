package books

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/opening"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/workers"
	"endwise/data"
	"endwise/engine"
	"endwise/solver/farm"
)

// bookEvaluators contains the flags of the evaluation of positions.
type bookEvaluators struct {
	time   time.Duration
	jobs   int
	hashMB int
	nats   workers.NatsFlags // distributes the positions
}

func (f *bookEvaluators) register(c *cobra.Command) {
	c.Flags().DurationVar(&f.time, "time", 2*time.Second, cli.TimeUsage)
	c.Flags().IntVar(&f.hashMB, "hash", 256, cli.HashUsage+", all jobs together")
	c.Flags().IntVar(&f.jobs, "jobs", 2, cli.JobsUsage+"; a position and a thread each")
	f.nats.Register(c)
}

func (f *bookEvaluators) check() error {
	return cmp.Or(
		cli.Want(f.time >= time.Millisecond, "--time", f.time, "1ms or more"),
		cli.Want(f.jobs >= 1 && f.jobs <= 1024, "--jobs", f.jobs, "1 to 1024"),
		cli.WantHash("--hash", f.hashMB),
	)
}

// open returns one evaluator per job and a function that releases them, which is nil after an error.
func (f *bookEvaluators) open(ctx context.Context, a *cli.App, g cli.Game) (evals []opening.Evaluator, closeAll func() error, err error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	hash := int64(f.hashMB) << 20 / int64(f.jobs)
	if f.nats.URL != "" {
		work := workers.Coordination{
			Title: "book grow " + g.Name(), Kind: workers.LeafJobs,
			Memory: uint64(hash) + 128<<20, // the transposition table and the rest of a worker
		}
		far, end, err := workers.Coordinate(ctx, a, &f.nats, work, nil)
		if err != nil {
			return nil, nil, err
		}
		one := workers.LeafEvaluator(far, g, max(hash, 1<<20), f.time)
		return slices.Repeat([]opening.Evaluator{one}, f.jobs), end, nil
	}
	dir := a.StoreIfAny()
	var lookups []*book.Lookup
	closeAll = func() error {
		var errs []error
		for _, l := range lookups {
			errs = append(errs, l.Close())
		}
		return errors.Join(errs...)
	}
	for range f.jobs {
		l, err := g.Sources.Open(book.Options{Store: dir, Threads: 1, HashBytes: hash, Log: a.Events(false, false)})
		if err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
		lookups = append(lookups, l)
		evals = append(evals, book.Evaluator(l, f.time))
	}
	return evals, closeAll, nil
}

type growFlags struct {
	place       bookPlace
	evals       bookEvaluators
	limits      opening.GrowOptions // only Time, Nodes and Depth are flags
	from, start string
	again       bool // only evaluate the line of best moves again
}

func newGrowCmd(a *cli.App) *cobra.Command {
	var o growFlags
	c := &cobra.Command{
		Use:   "grow GAME [BOARD] [GAMEFILE…]",
		Short: "Add positions to a book, best lines first",
		Long: `Evaluates positions with the full player and adds them to the book, each time the
position whose line from the root loses least against best play, plus a cost per
move. Every position is saved, so the same command resumes after any interruption.
A new book begins with the embedded book of its board, if there is one.

Positions of the games in GAMEFILE come first, the most frequent ones before the
others. A file contains one game as analyze reads it, or one game per line, in any
notation that query reads; a directory stands for the *.log files, and the Circuit
Wars logs without an extension, in and below it. If a file cannot be read, nothing
is done.

BOARD is a size such as 5x5, the same as --board.

With --from, lines start at that position. If it is in the book already, it is
evaluated again first, and the new evaluation replaces the old one and its proofs.
With --positions 1 nothing else is evaluated. --again is for a doubtful line: it
evaluates the book's best line again, from its end back to the position or the
empty board, and nothing else.`,
		Example: "  endwise book grow circuitwars --for 30m\n  endwise book grow circuitwars LOGS/ --positions 10000 --time 500ms\n  endwise book grow circuitwars --from \"7x7 3,3,top\" --time 20s --again",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	o.place.register(c)
	o.evals.register(c)
	f := c.Flags()
	f.DurationVar(&o.limits.Time, "for", 0, "time after which no evaluation starts (default until stopped)")
	f.IntVar(&o.limits.Nodes, "positions", 0, "stop when the book has this many positions")
	f.StringVar(&o.start, "start", "", cli.StartUsage)
	f.StringVar(&o.from, "from", "", "position where lines start, evaluated again if it is in the book (default the empty board)")
	f.BoolVar(&o.again, "again", false, "only evaluate the book's best line again")
	f.IntVar(&o.limits.Depth, "depth", 0, "maximum number of moves of a line (default any)")
	return c
}

func (o *growFlags) run(ctx context.Context, a *cli.App, args []string) (err error) {
	g, err := a.Games.Named(args[0])
	if err != nil {
		return err
	}
	files, err := o.place.afterGame(args[1:], len(args))
	if err != nil {
		return err
	}
	board, err := BoardName(g, o.place.board)
	if err != nil {
		return err
	}
	grow, err := o.options(g, board)
	if err != nil {
		return cli.BadInput(err)
	}
	if o.again && len(files) > 0 {
		return cli.BadInput(errors.New("--again evaluates positions of the book again: give no game files"))
	}
	if grow.Games, err = readGames(a, g, board, files); err != nil {
		return cli.BadInput(err)
	}
	dir, err := o.place.working(a, g)
	if err != nil {
		return err
	}
	var closeAll func() error
	if grow.Evaluators, closeAll, err = o.evals.open(ctx, a, g); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	b, err := openGrowing(ctx, a, g, board, dir)
	if err != nil {
		return bookError(err)
	}
	defer func() { err = closeBook(b, err) }()
	return o.growBook(ctx, a, g, b, dir, grow)
}

// options returns the limits and the root of growth on a board. The root is nil for the start of the book.
func (o *growFlags) options(g cli.Game, board string) (grow opening.GrowOptions, err error) {
	grow, from := o.limits, o.from
	if grow.Nodes < 0 || grow.Time < 0 || grow.Depth < 0 {
		return grow, errors.New("--positions, --for and --depth must be 0 or more")
	}
	if o.start != "" {
		if from != "" {
			return grow, errors.New("--start and --from cannot be combined: give one of them")
		}
		if from, err = g.BoardAndStart(board, o.start); err != nil {
			return grow, err
		}
	}
	if from == "" {
		return grow, nil
	}
	if grow.Root, err = g.Parse(from); err == nil && (grow.Root.BoardName() != board || grow.Root.Over()) {
		err = fmt.Errorf("give a position on the %s board that is not over", board)
	}
	if err != nil {
		err = fmt.Errorf("--from %s: %w", from, err)
	}
	return grow, err
}

// openGrowing opens the working book in dir, or creates it. A new book has the positions of the embedded
// book of the board, if any, which is unpacked to the store.
func openGrowing(ctx context.Context, a *cli.App, g cli.Game, board, dir string) (*opening.Book, error) {
	name := opening.TableName(g.Name(), board)
	_, err := fs.Stat(data.Books(), name)
	embedded := err == nil
	if !embedded || opening.Exists(dir) {
		return opening.Open(dir, g.Game, board)
	}
	storeDir, err := a.Store()
	if err != nil {
		return nil, err
	}
	path, err := opening.Unpack(data.Books(), name, filepath.Join(storeDir, opening.StarterDir))
	if err != nil {
		return nil, err
	}
	published, err := opening.OpenPublished(path, g.Game)
	if err != nil {
		return nil, err
	}
	defer published.Close()
	return opening.OpenFrom(ctx, dir, g.Game, board, published)
}

// growBook grows b, in dir, or evaluates its best line again. It prints the progress and the result.
func (o *growFlags) growBook(ctx context.Context, a *cli.App, g cli.Game, b *opening.Book, dir string, grow opening.GrowOptions) error {
	fmt.Fprintf(a.Stderr, "the book has %s\n", cli.Count(b.Len(), "position"))
	scale, before := g.ProofScale(), b.Counts()
	start, err := b.Start()
	if err != nil {
		return err
	}
	root := cmp.Or(grow.Root, start)
	earlier, _, wasInBook, err := b.Lookup(root)
	if err != nil {
		return err
	}
	var shown farm.Progress
	shown.Begin("grow", "positions", 0, 0)
	grow.Report = func(p opening.Progress) {
		shown.Set(uint64(p.Evaluated))
		left := ""
		if grow.Time > 0 {
			left = cli.Duration(max(0, grow.Time-p.Elapsed).Round(time.Second)) + " left, "
		}
		shown.Note(left + growthWords(p, root, scale))
	}
	stop := cli.ShowProgress(a.Stderr, &shown)
	var p opening.Progress
	if o.again {
		p, err = growAgain(ctx, b, root, grow, &shown)
	} else {
		p, err = b.Grow(ctx, grow)
	}
	stop(err)
	if err != nil && !cli.Interrupted(err) {
		return err
	}
	now := b.Counts()
	lines := []string{fmt.Sprintf("%s: %s (%s new), %s proved (%s new); %s evaluated in %v",
		dir, cli.Count(now.Positions, "position"), engine.Digits(now.Positions-before.Positions),
		engine.Digits(now.Proved), engine.Digits(now.Proved-before.Proved),
		engine.Digits(p.Evaluated), p.Elapsed.Round(100*time.Millisecond))}
	if p.RootKnown && math.IsNaN(p.OpenLoss) && !o.again {
		lines[0] += "; nothing is open"
	}
	if e, _, ok, err := b.Lookup(root); err == nil && ok {
		text := "value of the root: " + possible(root, e.Value).Words(scale)
		if wasInBook && earlier.Value != e.Value {
			text += ", before " + possible(root, earlier.Value).Words(scale)
		}
		lines = append(lines, text)
	}
	if line, _, err := bestLine(b, root); err == nil && len(line) > 0 {
		lines = append(lines, "line "+strings.Join(line, " "))
	}
	lines = append(lines, "to use it: endwise book publish "+g.Name()+" "+o.place.flags(a))
	for _, line := range lines {
		fmt.Fprintln(a.Stdout, cli.Wrap(line, "  ", a.Columns()))
	}
	return cli.Resumable(err)
}

// growAgain evaluates the positions of the best line from root again, the last one first, until
// o.Time has passed. In sum, Evaluated and Elapsed describe all evaluations, the other fields the last.
func growAgain(ctx context.Context, b *opening.Book, root engine.Position, o opening.GrowOptions, shown *farm.Progress) (sum opening.Progress, err error) {
	_, positions, err := bestLine(b, root)
	if err == nil && len(positions) == 0 {
		err = fmt.Errorf("%s: %w", root, opening.ErrNotInBook)
	}
	if err != nil {
		return sum, err
	}
	begin := time.Now()
	o.Nodes, o.Report = 1, nil
	for _, p := range slices.Backward(positions) {
		o.Root = p
		one, err := b.Grow(ctx, o)
		one.Evaluated += sum.Evaluated
		sum = one
		sum.Elapsed = time.Since(begin)
		shown.Set(uint64(sum.Evaluated))
		if err != nil {
			return sum, err
		}
		if o.Time > 0 && sum.Elapsed >= o.Time {
			break
		}
	}
	return sum, nil
}

// bestLine returns the book's best moves from p on and the position before each; with an error, those before it.
func bestLine(b *opening.Book, p engine.Position) (line []string, positions []engine.Position, err error) {
	for !p.Over() {
		e, o, ok, err := b.Lookup(p)
		if err != nil || !ok {
			return line, positions, err
		}
		m, ok := o.FromCanonical(e.Best)
		if !ok {
			return line, positions, fmt.Errorf("%s: the best move of the book does not fit the position", p)
		}
		next, err := p.Play(m)
		if err != nil {
			return line, positions, err
		}
		line, positions = append(line, p.MoveString(m)), append(positions, p)
		p = next
	}
	return line, positions, nil
}

// growthWords describes the progress of growth from root.
func growthWords(p opening.Progress, root engine.Position, scale int) string {
	s := ""
	if p.RootKnown {
		s = fmt.Sprintf("root %s by %s, ", possible(root, p.Root).Words(scale), p.RootBest)
		if math.IsNaN(p.OpenLoss) {
			s += "nothing open, "
		} else {
			s += fmt.Sprintf("the next line loses %g, ", p.OpenLoss)
		}
	}
	s += "the book has " + cli.Count(p.Nodes, "position")
	if p.GamePositions > 0 {
		s += fmt.Sprintf(", %s of games to come", engine.Digits(p.GamePositions))
	}
	return s
}

// readGames returns the positions of each game in the files and in the logs of directories. If a file cannot
// be read, it prints the reason and returns an error.
func readGames(a *cli.App, g cli.Game, board string, paths []string) (out [][]engine.Position, err error) {
	files, err := a.Games.FilesBelow(a.Stderr, paths, ".log")
	if err != nil {
		return nil, err
	}
	readers, err := g.Readers(board)
	if err != nil {
		return nil, err
	}
	var bad cli.Unread
	for _, file := range files {
		games, err := readGameFile(g, board, file, readers)
		if err != nil {
			bad.Add(file, err)
		}
		out = append(out, games...)
	}
	if n := bad.Print(a.Stderr); n > 0 {
		return nil, fmt.Errorf("%s cannot be read, so nothing was done: correct or leave out what is named above", cli.Count(n, "game file"))
	}
	return out, nil
}

// readGameFile returns the positions of each game in a file: a record, or one game per line. The error names
// the first three lines that cannot be read.
func readGameFile(g cli.Game, board, file string, readers []analysis.Reader) ([][]engine.Position, error) {
	data, err := cli.ReadLimited(file, 64<<20)
	if err != nil {
		return nil, err
	}
	r, err := analysis.ReadRecord(file, data, readers...)
	switch {
	case err == nil && r.Positions[0].BoardName() != board:
		return nil, fmt.Errorf("a game on %s, not on %s", r.Positions[0].BoardName(), board)
	case err == nil:
		return [][]engine.Position{r.Positions}, nil
	case !errors.Is(err, analysis.ErrNoFormat):
		return nil, err // a record with a fault
	}
	var out [][]engine.Position
	var bad []string
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		if text := strings.TrimSpace(line); text == "" || engine.IsComment(text) {
			continue
		}
		game, err := readGameLine(g, board, line)
		if err != nil {
			bad = append(bad, fmt.Sprintf("line %d: %v", n, err))
		}
		out = append(out, game)
	}
	if len(bad) == 0 {
		return out, nil
	}
	text := strings.Join(bad[:min(len(bad), 3)], "; ")
	if len(bad) > 1 {
		text = cli.Count(len(bad), "line") + " cannot be read: " + text
	}
	if len(bad) > 3 {
		text += "; …"
	}
	return nil, errors.New(text)
}

// readGameLine returns the positions of the game in a line.
func readGameLine(g cli.Game, board, line string) ([]engine.Position, error) {
	p, moves, err := cli.ReadGame(g, board, line)
	if err != nil {
		return nil, err
	}
	game := []engine.Position{p}
	for _, m := range moves {
		if p, err = p.Play(m); err != nil {
			return nil, err
		}
		game = append(game, p)
	}
	return game, nil
}

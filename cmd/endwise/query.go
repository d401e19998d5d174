package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/why"
	"endwise/cmd/endwise/cli"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/disk"
	"endwise/engine/grid"
	"endwise/solver/farm"
)

type queryOptions struct {
	board, start string
	before       int    // evaluate the position before this move of the game, from 1; 0 for its end
	notation     string // print only the position, in this notation; "" to evaluate it
	svg          string
	json         bool
	many         bool
	all          bool
	because      bool   // --why: add the reasons
	move         string // --why-move: explain what this move changes; "" for none
	sources      cli.LookupFlags
}

func newQueryCmd(a *cli.App) *cobra.Command {
	o := queryOptions{sources: cli.LookupFlags{HashMB: 64}} // clearing a larger table takes a noticeable time
	c := &cobra.Command{
		Use:   "query GAME [POSITION… | -]",
		Short: "Evaluate a position",
		Long: `Draws the position, names the best move and lists the best ten, or with --all
every move, with its value, whether it is proved (≥ and ≤ are bounds) and its
source. Moves that lead to the same position, turned or mirrored, share one row;
the column "also" counts the others. A move that loses 1 square (or box) lets the
opponent have it: the value, a difference, changes by 2.

POSITION is any notation of the game, a drawing, a game or the name of a file; -
reads it from standard input, so the status of a server can be piped in. Of a game
the last position counts, or with --before the one before a move that analyze names:

  curl -s http://127.0.0.1:5000/status | endwise query circuitwars -
  endwise query circuitwars GAME.log --before 45 --why

Games of Dots and Boxes may also be in the notation of trmph (Little Golem), Knox,
OpenSpiel, CodinGame or the competition's driver. --board names the size if the
notation does not. --notation writes the position or game in one of these. If the
moves are in one of the first four, the answer names moves in that notation too.

--why adds the reasons: sentences about the position, in JSON the list "why" with
the numbers in them. If no simple fact yields the value, the last one says so.
--why-move h0,1 compares a move with the best one.

With --stdin every line of standard input is a position and gets one line of JSON
as soon as it is evaluated: n is the number of the line, the other keys are those
of --json, or error if the line cannot be read. Empty lines and lines that begin
with # are skipped. The lines after an error are evaluated as well, and the exit
code is 2 at the end.`,
		Example: "  endwise query circuitwars 2x2:800:0-0:2\n" +
			"  endwise query circuitwars --board 3x3 --json\n" +
			"  endwise query dotsandboxes \"3x3 h0,1 v1,2\" --svg position.svg",
		Args: cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("before") && o.before < 1 {
				return cli.Want(false, "--before", o.before, "the number of a move, 1 or more")
			}
			return o.run(cmd.Context(), a, args[0], cli.Unquoted(args[1:]))
		},
	}
	c.Flags().StringVar(&o.board, "board", "", cli.BoardUsage+", for instance 3x3; without a position the empty board is evaluated")
	c.Flags().StringVar(&o.start, "start", "", cli.StartUsage)
	c.Flags().IntVar(&o.before, "before", 0, "evaluate the position before this move of a game, from 1")
	c.Flags().StringVar(&o.notation, "notation", "", cli.NotationUsage+"; and nothing else")
	c.Flags().StringVar(&o.svg, "svg", "", "also draw the position with the value of every move to this file")
	c.Flags().BoolVar(&o.json, "json", false, cli.JsonUsage)
	c.Flags().BoolVar(&o.all, "all", false, cli.AllUsage)
	c.Flags().BoolVar(&o.because, "why", false, "also explain the value")
	c.Flags().StringVar(&o.move, "why-move", "", "also explain what this move changes compared with the best one")
	c.Flags().BoolVar(&o.many, "stdin", false, "read one position per line from standard input and print one line of JSON for each")
	o.sources.Register(c)
	return c
}

func (o *queryOptions) run(ctx context.Context, a *cli.App, game string, words []string) error {
	g, err := a.Games.Named(game)
	if err != nil {
		return err
	}
	if o.sources.Time <= 0 {
		return cli.BadInput(fmt.Errorf("--time %v: want a time above 0", o.sources.Time))
	}
	if o.many && (len(words) > 0 || o.board != "" || o.svg != "" || o.start != "" || o.before > 0 || o.notation != "" || o.move != "") {
		return cli.BadInput(errors.New("--stdin cannot be combined with a position, --board, --start, --before, --notation, --svg or --why-move"))
	}
	board, err := g.BoardAndStart(o.board, o.start)
	if err != nil {
		return err
	}
	var p engine.Position
	if !o.many {
		if st, err := os.Stdin.Stat(); err == nil && st.Mode()&os.ModeNamedPipe != 0 && len(words) == 0 {
			fmt.Fprintln(a.Stderr, "endwise: standard input is not read: - after the game reads the position from it")
		}
		in, err := a.Game(g, board, words)
		if err != nil {
			return cli.BadInput(err)
		}
		g = g.ForInput(in) // which needs all moves
		switch n := len(in.Moves); {
		case o.before > 0 && n == 0:
			return cli.BadInput(fmt.Errorf("--before %d: want a game, not a position without the moves to it", o.before))
		case o.before > n:
			return cli.BadInput(fmt.Errorf("--before %d: the game has %s", o.before, cli.Count(n, "move")))
		case o.before > 0:
			in.Moves = in.Moves[:o.before-1]
		}
		if p, err = in.End(); err != nil {
			return cli.BadInput(err)
		}
		if o.notation != "" {
			text, err := g.Write(o.notation, in.Start, in.Moves)
			if err != nil {
				return cli.BadInput(err)
			}
			_, err = fmt.Fprintln(a.Stdout, strings.TrimSuffix(text, "\n"))
			return err
		}
		if o.move != "" {
			if _, err := engine.PlayText(p, o.move); err != nil {
				return cli.BadInput(fmt.Errorf("--why-move: %w", err))
			}
		}
	}
	l, err := o.sources.OpenSources(a, g)
	if err != nil {
		return err
	}
	defer l.Close()
	q := query{App: a, game: g, lookup: l, queryOptions: o}
	if o.many {
		return q.answerLines(ctx)
	}
	return q.answer(ctx, p)
}

// query evaluates positions of a game with one lookup.
type query struct {
	*cli.App
	game   cli.Game
	lookup *book.Lookup
	*queryOptions
}

// answer evaluates p and prints the answer.
func (q query) answer(ctx context.Context, p engine.Position) error {
	if !q.json {
		if err := printPosition(q.App, q.game, p); err != nil {
			return err
		}
	}
	out, err := q.explain(ctx, p)
	if err != nil {
		return err
	}
	d := *out.Decision
	if q.svg != "" {
		if err := disk.WriteFile(q.svg, 0o644, disk.Bytes(q.game.Web.Picture(p, d))); err != nil {
			return cli.BadInput(fmt.Errorf("--svg: %w", err))
		}
	}
	if q.json {
		err = cli.WriteJSON(q.Stdout, out)
	} else if err = printDecision(q.App, q.game, p, d, q.all, q.sources.Time); err == nil {
		if text := cli.MoveWorth(q.game, d, q.comparedMove(p)); text != "" {
			fmt.Fprintf(q.Stdout, "\n%s\n", q.game.WrapWithOtherNames(text, "", q.Columns()))
		}
		err = printReasons(q.App, q.game, out.Why)
		if n := len(out.Why); n > 0 && out.Why[n-1].Kind == why.Unexplained {
			fmt.Fprintln(q.Stdout, "\n--why-move MOVE compares a move with the best one.")
		}
	}
	return errors.Join(err, ctx.Err())
}

// decide evaluates all moves of p. improved, if not nil, is called with better decisions during the search.
func (q query) decide(ctx context.Context, p engine.Position, improved func(engine.Decision)) (engine.Decision, error) {
	return q.lookup.Decide(ctx, book.Question{
		Position: p, Clock: engine.ClockFor(q.sources.Time), AllMoves: true, Improved: improved,
	})
}

// reasons returns the reasons of --why and --why-move; d is the decision in p.
func (q query) reasons(ctx context.Context, p engine.Position, d engine.Decision) (all []why.Reason, err error) {
	solve := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		return q.lookup.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(q.sources.Time)})
	}
	if q.because {
		if all, err = why.Position(ctx, p, d, solve); err != nil {
			return nil, err
		}
	}
	if q.move == "" {
		return all, nil
	}
	changed, err := why.Played(ctx, p, d, q.move, solve)
	for _, r := range changed {
		if !slices.ContainsFunc(all, func(a why.Reason) bool { return a.Text == r.Text }) {
			all = append(all, r)
		}
	}
	return all, err
}

// explained is the answer for one position.
type explained struct {
	*engine.Decision
	Why []why.Reason `json:"why,omitempty"`
}

// comparedMove returns the move of --why-move as decisions in p write it, "" for none.
func (q query) comparedMove(p engine.Position) string {
	m, err := p.ParseMove(q.move)
	if err != nil {
		return ""
	}
	return p.MoveString(m)
}

func printReasons(a *cli.App, g cli.Game, reasons []why.Reason) error {
	var b strings.Builder
	for _, r := range reasons {
		b.WriteString("\n" + g.WrapWithOtherNames(r.Text, "", a.Columns()) + "\n")
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// lineAnswer is the answer to one line of standard input.
type lineAnswer struct {
	N int `json:"n"` // number of the line, from 1
	explained
	Error string `json:"error,omitempty"`
}

// answerLines answers each line with JSON. Lines without a position are an error after the last line.
func (q query) answerLines(ctx context.Context) error {
	in := bufio.NewReaderSize(engine.Text(q.Stdin), cli.MaxPositionBytes)
	wrong, firstWrong := 0, 0
	for n := 1; ; n++ {
		text, tooLong, end := readLine(in)
		if end != nil && end != io.EOF {
			return fmt.Errorf("standard input: %w", end)
		}
		if text != "" && !engine.IsComment(text) {
			out := lineAnswer{N: n}
			p, err := q.parseLine(text, tooLong)
			if err != nil {
				out.Error = fmt.Sprintf("line %d: %v", n, err)
				if wrong++; wrong == 1 {
					firstWrong = n
				}
			} else if out.explained, err = q.explain(ctx, p); err != nil {
				return err
			}
			if err := errors.Join(cli.WriteJSON(q.Stdout, out), ctx.Err()); err != nil {
				return err
			}
		}
		if end == io.EOF {
			break
		}
	}
	if wrong > 0 {
		return cli.BadInput(fmt.Errorf("standard input: %s without a position, the first is line %d",
			cli.Count(wrong, "line"), firstWrong))
	}
	return nil
}

// readLine returns the next line of in without the blanks around it, and any read error, such as io.EOF.
// Of a line that exceeds the buffer, it returns the beginning.
func readLine(in *bufio.Reader) (text string, tooLong bool, err error) {
	line, err := in.ReadSlice('\n')
	text = strings.TrimSpace(string(line))
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = in.ReadSlice('\n')
	}
	return text, tooLong, err
}

func (q query) parseLine(text string, tooLong bool) (engine.Position, error) {
	if tooLong {
		return nil, fmt.Errorf("longer than %d bytes", cli.MaxPositionBytes)
	}
	if _, err := strconv.Atoi(text); err == nil {
		return nil, fmt.Errorf("%.40q: want a position; an empty board of that size is %[1]sx%[1]s", text)
	}
	return q.game.Parse(text)
}

// explain evaluates p and explains it. If the game is over, the decision is without moves.
func (q query) explain(ctx context.Context, p engine.Position) (explained, error) {
	d, err := q.decideShowing(ctx, p)
	if err != nil && !errors.Is(err, engine.ErrGameOver) {
		return explained{}, err
	}
	reasons, err := q.reasons(ctx, p, d)
	return explained{&d, reasons}, err
}

// decideShowing is [query.decide] for one position. On a terminal it shows the best move so far.
func (q query) decideShowing(ctx context.Context, p engine.Position) (engine.Decision, error) {
	if q.many || !cli.IsTerminal(q.Stderr) {
		return q.decide(ctx, p, nil)
	}
	var shown farm.Progress
	shown.Begin("search", "", 0, 0)
	stop := cli.ShowProgress(cli.BarOnly{Writer: q.Stderr}, &shown)
	d, err := q.decide(ctx, p, func(d engine.Decision) {
		shown.Note(fmt.Sprintf("%s so far: %s", q.game.WithOtherName(d.Move), strings.TrimSuffix(cli.Outcome(q.game, p, d), ".")))
	})
	stop(err)
	return d, err
}

// printPosition draws p and prints the notation of moves, the score, the side to move and the text of p.
func printPosition(a *cli.App, g cli.Game, p engine.Position) error {
	if err := p.Draw(a.Stdout, engine.DrawStyle{Color: a.Color()}); err != nil {
		return err
	}
	turn := "the game is over: " + cli.Ended(g, p)
	if !p.Over() {
		turn = g.SideName(p.Turn()) + " to move"
	}
	text := ""
	if g.Notation != "" {
		text = cli.Wrap(g.Notation, "", a.Columns()) + "\n"
	}
	if g.SizeNote != "" {
		text += g.SizeNote + "\n"
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%s%s, %s\n%s%s\n", text, g.Standing(p), turn, engine.PositionWord, p)
	return err
}

// printDecision prints d, the decision in p after a search limited to limit, unless the game is over.
func printDecision(a *cli.App, g cli.Game, p engine.Position, d engine.Decision, all bool, limit time.Duration) error {
	if p.Over() {
		return nil
	}
	var b strings.Builder
	paragraph := func(text, indent string) {
		if text != "" {
			b.WriteString(g.WrapWithOtherNames(text, indent, a.Columns()) + "\n")
		}
	}
	if d.Move != "" {
		paragraph(cli.Outcome(g, p, d), "")
	}
	worth := cli.Worth(g, p, d)
	if d.Exact && !d.MoveProved() { // the position's value is proved, the move's value is not
		paragraph("value: "+worth, "")
		own := d.Own()
		worth = cli.Worth(g, p, engine.Decision{Score: own.Score, Proof: own.Proof, Source: own.Source, Distance: own.Distance})
	}
	paragraph(fmt.Sprintf("best move %s: %s", d.Move, worth), "")
	b.WriteString(certified(g, p)) // not wrapped: commands and a checksum
	paragraph(d.Note, "")
	if left := unproved(d, limit, g.Web.TooEarly(p)); left != "" {
		if command := g.SolveCommand; command != nil && command(p) != "" {
			left += ". A table proves it: " + command(p)
		}
		paragraph(left, "")
	}
	if len(d.Line) > 1 {
		paragraph("line "+strings.Join(d.Line, " "), "     ")
	}
	if len(d.Moves) > 0 {
		b.WriteString("\n")
		cli.PrintMoves(&b, a.Color(), a.Columns(), g, p, d, all)
	}
	fmt.Fprintf(&b, "\n%s, %s, %.1f ms\n", d.Source, cli.Count(int(d.Nodes), "node"), d.ElapsedMS)
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// unproved returns a sentence about what d leaves unproved, "" if nothing. early is the result of
// [answer.Game.TooEarly].
func unproved(d engine.Decision, limit time.Duration, early string) string {
	what := "the bound is proved, the value is not"
	switch {
	case d.MoveProved():
		return ""
	case d.Proof == engine.Exact:
		what = "the value of the position is proved, but not that this move reaches it"
	case d.Proof == engine.Estimate:
		what = "not proved"
	}
	if early != "" {
		return what + ". " + early
	}
	if d.Elapsed < limit*3/10 { // less than [engine.Reserve] leaves to a search
		return what
	}
	return fmt.Sprintf("%s; more time may prove it: --time %s", what, cli.Duration(max(10*limit, 3*time.Second)))
}

// certified returns the commands that check the value of p if p is an empty board for which package
// data has a certificate or claims file, perhaps with rows and columns exchanged; otherwise "".
func certified(g cli.Game, p engine.Position) string {
	board := p.BoardName()
	if empty, err := g.Start(board); err != nil || empty.String() != p.String() {
		return ""
	}
	boards := []string{board}
	if rows, cols, err := grid.ParseSize(board); err == nil {
		boards = append(boards, fmt.Sprintf("%dx%d", cols, rows))
	}
	for _, b := range boards {
		if file := data.ClaimsFiles[g.Name()+" "+b]; file != "" {
			return fmt.Sprintf("no certificate, but a claims file; check it and some of its claims in a clone of Endwise:\n"+
				"  go run ./cmd/checkproof %s\n  endwise verify --claims %[1]s\n", file)
		}
	}
	for _, c := range data.Certificates() {
		if c.Game != g.Name() || !slices.Contains(boards, c.Board) {
			continue
		}
		file, written := c.File, ""
		if file == "" {
			file, written = "FILE", fmt.Sprintf("  write it: endwise prove %s --board %s --out FILE\n", c.Game, c.Board)
		}
		return fmt.Sprintf("proved; certificate %s\n%s  check it in a clone of Endwise: go run ./cmd/checkproof %s\n", c.SHA256, written, file)
	}
	return ""
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/why"
	"endwise/cmd/endwise/cli"
	"endwise/cmd/endwise/web/answer"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/disk"
	"endwise/solver/farm"
)

// newQueryCmd returns the command query.
func newQueryCmd(a *cli.App) *cobra.Command {
	var (
		board   string
		svg     string
		asJSON  bool
		many    bool
		start   string
		write   string
		all     bool
		because bool
		f       = cli.LookupFlags{HashMB: 64} // a larger table costs time at first
	)
	c := &cobra.Command{
		Use:   "query GAME [POSITION… | -]",
		Short: "Evaluate a position",
		Long: `Draws the position, names the best move and lists the best ten, or with --all
every move, with its value, whether it is proved (≥ and ≤ are bounds) and its
source. Moves that lead to the same position, turned or mirrored, are listed once;
"also" counts the others.

POSITION is any notation of the game, a drawing, or the name of a file; - reads it
from standard input, so the status of a server can be piped in:

  curl -s http://127.0.0.1:5000/status | endwise query circuitwars -

Dots and Boxes are also read as Little Golem and trmph, Knox, OpenSpiel, CodinGame
and the competition's driver write them. --board names the size if the notation
does not. --notation writes the position or game in one of these.

--why adds the reasons: sentences about the position, in JSON the list "why" with
the numbers in them. Where no simple fact yields the value, the last one says so.

With --stdin every line of standard input is a position and gets one line of JSON
as soon as it is evaluated: n is the number of the line, the other keys are those
of --json, or error if the line cannot be read. The lines after an error are
evaluated as well, and the exit code is 2 at the end.`,
		Example: "  endwise query circuitwars 2x2:800:0-0:2\n  endwise query circuitwars --board 3x3 --json\n  endwise query dotsandboxes \"3x3 h0,1 v1,2\" --svg position.svg",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := a.Games.Named(rest[0])
			if err != nil {
				return err
			}
			if f.Time <= 0 {
				return cli.BadInput(fmt.Errorf("--time %v: want a time above 0", f.Time))
			}
			rest = cli.Unquoted(rest[1:])
			var p engine.Position
			if many && (len(rest) > 0 || board != "" || svg != "" || start != "" || write != "") {
				err = errors.New("--stdin: want no position, --board, --start, --notation or --svg beside it")
			} else if !many {
				var first engine.Position
				var moves []engine.Move
				if first, moves, err = a.Game(g, cli.BoardAndStart(board, start), rest); err == nil {
					p, err = engine.PlayAll(first, moves)
				}
				if err == nil && write != "" {
					var text string
					if text, err = g.Write(write, first, moves); err == nil {
						_, err := fmt.Fprintln(a.Stdout, strings.TrimSuffix(text, "\n"))
						return err
					}
				}
			}
			if err != nil {
				return cli.BadInput(err)
			}
			l, err := f.OpenSources(a, g)
			if err != nil {
				return err
			}
			defer l.Close()
			explain := func(ctx context.Context, p engine.Position, d engine.Decision) ([]why.Reason, error) {
				if !because {
					return nil, nil
				}
				return why.Position(ctx, p, d, func(ctx context.Context, p engine.Position) (engine.Decision, error) {
					return l.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(f.Time)})
				})
			}
			if many {
				return queryMany(cmd.Context(), a, g, l, f.Time, explain)
			}
			if !asJSON {
				if err := printPosition(a, g, p); err != nil {
					return err
				}
			}
			d, err := search(cmd.Context(), a, g, l, p, f.Time)
			if err != nil && !errors.Is(err, engine.ErrGameOver) {
				return err
			}
			reasons, err := explain(cmd.Context(), p, d)
			if err != nil {
				return err
			}
			if svg != "" {
				if err := writePicture(g, p, d, svg); err != nil {
					return err
				}
			}
			if asJSON {
				err = cli.WriteJSON(a.Stdout, explained{Decision: &d, Why: reasons})
			} else if err = printDecision(a, g, p, d, all, f.Time); err == nil {
				err = printReasons(a, reasons)
			}
			return errors.Join(err, cmd.Context().Err()) // the results of an interrupted search are shown before the error
		},
	}
	c.Flags().StringVar(&board, "board", "", cli.BoardUsage+", for instance 3x3; without a position the empty board is asked for")
	c.Flags().StringVar(&start, "start", "", cli.StartUsage)
	c.Flags().StringVar(&write, "notation", "", cli.NotationUsage+"; and nothing else")
	c.Flags().StringVar(&svg, "svg", "", "also draw the position with the value of every move to this file")
	c.Flags().BoolVar(&asJSON, "json", false, cli.JsonUsage)
	c.Flags().BoolVar(&all, "all", false, cli.AllUsage)
	c.Flags().BoolVar(&because, "why", false, "also explain the value")
	c.Flags().BoolVar(&many, "stdin", false, "read a position a line from standard input, and answer each with a line of JSON")
	f.Register(c)
	return c
}

// explained is a decision with the reasons that --why adds.
type explained struct {
	*engine.Decision
	Why []why.Reason `json:"why,omitempty"`
}

// printReasons prints one paragraph per reason.
func printReasons(a *cli.App, reasons []why.Reason) error {
	var b strings.Builder
	for _, r := range reasons {
		b.WriteString("\n" + cli.Wrap(r.Text, "", a.Columns()) + "\n")
	}
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// queryMany evaluates the positions on standard input, one per line.
func queryMany(ctx context.Context, a *cli.App, g cli.Game, l *book.Lookup, limit time.Duration, explain func(context.Context, engine.Position, engine.Decision) ([]why.Reason, error)) error {
	in := bufio.NewReaderSize(engine.Text(a.Stdin), cli.MaxPositionBytes)
	wrong, first := 0, 0
	var end error
	for n := 1; end == nil; n++ {
		var line []byte
		line, end = in.ReadSlice('\n')
		text, long := strings.TrimSpace(string(line)), false
		for errors.Is(end, bufio.ErrBufferFull) {
			long = true
			_, end = in.ReadSlice('\n')
		}
		switch {
		case end != nil && end != io.EOF:
			return fmt.Errorf("standard input: %w", end)
		case text == "":
			continue
		}
		var answer struct {
			N int `json:"n"` // number of the line, from 1
			explained
			Error string `json:"error,omitempty"`
		}
		answer.N = n
		p, err := g.Parse(text)
		if _, number := strconv.Atoi(text); number == nil {
			err = fmt.Errorf("%.40q: want a position; an empty board of that size is %[1]sx%[1]s", text)
		}
		if long {
			err = fmt.Errorf("longer than %d bytes", cli.MaxPositionBytes)
		}
		if err != nil {
			answer.Error = fmt.Sprintf("line %d: %v", n, err)
			if wrong++; wrong == 1 {
				first = n
			}
		} else {
			d, err := l.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(limit), AllMoves: true})
			if err != nil && !errors.Is(err, engine.ErrGameOver) {
				return err
			}
			answer.Decision = &d
			if answer.Why, err = explain(ctx, p, d); err != nil {
				return err
			}
		}
		if err := errors.Join(cli.WriteJSON(a.Stdout, answer), ctx.Err()); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return cli.BadInput(fmt.Errorf("standard input: %s without a position, the first is line %d", cli.Count(wrong, "line"), first))
	}
	return nil
}

// search evaluates a position. On a terminal standard error shows the best move so far.
func search(ctx context.Context, a *cli.App, g cli.Game, l *book.Lookup, p engine.Position, limit time.Duration) (engine.Decision, error) {
	q := book.Question{Position: p, Clock: engine.ClockFor(limit), AllMoves: true}
	if !cli.IsTerminal(a.Stderr) {
		return l.Decide(ctx, q)
	}
	var shown farm.Progress
	shown.Begin("search", "", 0, 0)
	q.Improved = func(d engine.Decision) {
		shown.Note(fmt.Sprintf("%s so far: %s", d.Move, strings.TrimSuffix(cli.Outcome(g, p, d), ".")))
	}
	stop := cli.ShowProgress(cli.BarOnly{Writer: a.Stderr}, &shown)
	d, err := l.Decide(ctx, q)
	stop(err)
	return d, err
}

// printPosition draws the position and prints its score, turn and notation.
func printPosition(a *cli.App, g cli.Game, p engine.Position) error {
	if err := p.Draw(a.Stdout, engine.DrawStyle{Color: a.Color()}); err != nil {
		return err
	}
	turn := "the game is over"
	if !p.Over() {
		turn = g.SideName(p.Turn()) + " to move"
	}
	text := ""
	if g.Notation != "" {
		text = cli.Wrap(g.Notation, "", a.Columns()) + "\n"
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%sscore %s, %s\n%s%s\n", text, answer.Score(p.Score(), "-"), turn, engine.PositionWord, p)
	return err
}

// printDecision prints the best move, the line and the list of moves; nothing if the game
// is over.
func printDecision(a *cli.App, g cli.Game, p engine.Position, d engine.Decision, all bool, limit time.Duration) error {
	if p.Over() {
		return nil
	}
	var b strings.Builder
	line := func(text string) {
		if text != "" {
			b.WriteString(cli.Wrap(text, "", a.Columns()) + "\n")
		}
	}
	if d.Move != "" {
		line(cli.Outcome(g, p, d))
	}
	worth := cli.Worth(g, p, d)
	if d.Exact && !d.MoveProved() {
		line("value: " + worth)
		own := d.Own()
		worth = cli.Worth(g, p, engine.Decision{Score: own.Score, Proof: own.Proof, Source: own.Source, Distance: own.Distance})
	}
	line(fmt.Sprintf("best move %s: %s", d.Move, worth))
	b.WriteString(certified(g, p)) // not wrapped: commands and a checksum
	line(d.Note)
	line(unproved(d, limit, g.Web.TooEarly(p)))
	if len(d.Line) > 1 {
		b.WriteString(cli.Wrap("line "+strings.Join(d.Line, " "), "     ", a.Columns()) + "\n")
	}
	if len(d.Moves) > 0 {
		b.WriteString("\n")
		cli.PrintMoves(&b, a.Color(), a.Columns(), g, p, d, all)
	}
	fmt.Fprintf(&b, "\n%s, %s, %.1f ms\n", d.Source, cli.Count(int(d.Nodes), "node"), d.ElapsedMS)
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// unproved states what a decision leaves open, and what time may close it unless the
// search ended by itself or it is too early for a proof; "" for a proved value. early is
// the sentence of [answer.Game.TooEarly].
func unproved(d engine.Decision, limit time.Duration, early string) string {
	what := "the bound is proved, the value is not"
	switch {
	case d.MoveProved():
		return ""
	case d.Proof == engine.Exact:
		what = "the value is proved, the move is not"
	case d.Proof == engine.Estimate:
		what = "not proved"
	}
	if early != "" {
		return what + ". " + early
	}
	// On a late machine a search has no more than two fifths of the time.
	if d.Elapsed < limit/3 {
		return what
	}
	return fmt.Sprintf("%s; more time may prove it: --time %s", what, cli.Duration(max(10*limit, 3*time.Second)))
}

// certified returns how the value of an empty board can be checked, "" if no certificate
// exists.
func certified(g cli.Game, p engine.Position) string {
	for _, c := range data.Certificates() {
		if c.Game != g.Name() {
			continue
		}
		if empty, err := g.Start(c.Board); err != nil || empty.String() != p.String() {
			continue
		}
		file, written := c.File, ""
		if file == "" {
			file, written = "FILE", fmt.Sprintf("  write it: endwise prove %s --board %s --out FILE\n", c.Game, c.Board)
		}
		return fmt.Sprintf("proved; certificate %s\n%s  check it: go run ./cmd/checkproof %s\n", c.SHA256, written, file)
	}
	return ""
}

// writePicture draws a position with the values of a decision to a file, which appears
// completely or not at all.
func writePicture(g cli.Game, p engine.Position, d engine.Decision, file string) error {
	if err := disk.WriteFile(file, 0o644, disk.Bytes(g.Web.Picture(p, d))); err != nil {
		return cli.BadInput(fmt.Errorf("--svg: %w", err))
	}
	return nil
}

package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/engine"
)

// maxPositionBytes is the longest position text that is read.
const maxPositionBytes = 1 << 20

func newQueryCmd(a *app) *cobra.Command {
	var (
		board  string
		svg    string
		asJSON bool
		f      lookupFlags
	)
	c := &cobra.Command{
		Use:   "query GAME [POSITION | -]",
		Short: "Ask for the best move of a position",
		Long: `Draws the position, names the best move and lists every move with its value,
where the value comes from and whether it is proved.

POSITION is any notation of the game; - reads it from standard input, so a
server can be asked directly:

  curl -s http://127.0.0.1:5000/status | endwise query circuitwars -`,
		Example: "  endwise query circuitwars 2x2:800:0-0:2\n  endwise query circuitwars --board 3x3 --json\n  endwise query dotsandboxes \"3x3 h0,1 v1,2\" --svg position.svg",
		Args:    args(cobra.RangeArgs(1, 2)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			g, err := gameNamed(rest[0])
			if err != nil {
				return err
			}
			p, err := a.position(g, board, rest[1:])
			if err != nil {
				return badInput(err)
			}
			o, err := f.options(a)
			if err != nil {
				return err
			}
			l, err := f.open(g, o)
			if err != nil {
				return err
			}
			defer l.Close()
			d, err := l.Decide(cmd.Context(), book.Question{Position: p, Clock: engine.ClockFor(f.time), AllMoves: true})
			if err != nil && !errors.Is(err, engine.ErrGameOver) {
				return err
			}
			if svg != "" {
				if err := writePicture(g, p, d, svg); err != nil {
					return err
				}
			}
			if asJSON {
				err = writeJSON(a.stdout, d)
			} else {
				err = a.printDecision(p, d)
			}
			return errors.Join(err, cmd.Context().Err()) // what an interrupted search knows is shown, and that it was interrupted
		},
	}
	c.Flags().StringVar(&board, "board", "", "ask for the empty board of this size, for instance 3x3")
	c.Flags().StringVar(&svg, "svg", "", "also draw the position with the value of every move to this file")
	c.Flags().BoolVar(&asJSON, "json", false, jsonUsage)
	f.register(c)
	return c
}

// register adds the flags of a command that asks for moves.
func (f *lookupFlags) register(c *cobra.Command) {
	c.Flags().DurationVar(&f.time, "time", 3*time.Second, timeUsage)
	f.registerSources(c)
}

// registerSources adds the flags that size the sources.
func (f *lookupFlags) registerSources(c *cobra.Command) {
	c.Flags().IntVar(&f.threads, "threads", runtime.NumCPU(), threadsUsage)
	c.Flags().IntVar(&f.hashMB, "hash", 256, hashUsage)
	c.Flags().StringVar(&f.server, "lookup", "", "ask this server of endwise serve first, for instance http://127.0.0.1:8080")
}

// position reads the position of a query: from the arguments, from standard
// input, or the empty board.
func (a *app) position(g engine.Game, board string, rest []string) (engine.Position, error) {
	switch {
	case len(rest) == 0:
		return g.Start(board)
	case board != "":
		return nil, errors.New("both a position and --board: want one of them")
	case rest[0] != "-":
		return g.Parse(rest[0])
	}
	text, err := io.ReadAll(io.LimitReader(a.stdin, maxPositionBytes+1))
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if len(text) > maxPositionBytes {
		return nil, fmt.Errorf("standard input: longer than %d bytes", maxPositionBytes)
	}
	return g.Parse(string(text))
}

// printDecision draws the position and says what is best.
func (a *app) printDecision(p engine.Position, d engine.Decision) error {
	if err := p.Draw(a.stdout, engine.DrawStyle{Color: a.color()}); err != nil {
		return err
	}
	s := p.Score()
	var b strings.Builder
	fmt.Fprintf(&b, "\nscore %d-%d, ", s[0], s[1])
	if p.Over() {
		b.WriteString("the game is over\n")
		_, err := io.WriteString(a.stdout, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s to move\n", p.Turn())
	fmt.Fprintf(&b, "best move %s: %s\n", d.Move, worth(p, d.Score, d.Proof, d.Source, d.Distance))
	if d.Note != "" {
		fmt.Fprintf(&b, "%s\n", d.Note)
	}
	if len(d.Line) > 1 {
		fmt.Fprintf(&b, "line %s\n", strings.Join(d.Line, "  "))
	}
	if len(d.Moves) > 0 {
		b.WriteString("\n")
		tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintf(tw, "move\tvalue\tproof\tsource\tgives up\n")
		for _, m := range d.Moves {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", m.Move, signed(m.Score), m.Proof, m.Source, givesUp(d, m))
		}
		tw.Flush()
	}
	fmt.Fprintf(&b, "\n%s, %d nodes, %.1f ms\n", d.Source, d.Nodes, d.ElapsedMS)
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// givesUp says how far a move is proved to stay below the best, "" where that is
// not known.
func givesUp(d engine.Decision, m engine.MoveValue) string {
	loss := d.Score - m.Score
	switch {
	case d.Proof == engine.Exact && m.Proof == engine.Exact:
		return fmt.Sprint(loss)
	case d.Proof == engine.Exact && m.Proof == engine.Lower && loss <= 0:
		return "0"
	case (d.Proof == engine.Exact || d.Proof == engine.Lower) && (m.Proof == engine.Exact || m.Proof == engine.Upper) && loss > 0:
		return fmt.Sprintf("at least %d", loss)
	}
	return ""
}

// worth says a score in words; a position with a method Worth says it its own
// way.
func worth(p engine.Position, score int, proof engine.Proof, source string, distance int) string {
	if w, ok := p.(interface {
		Worth(score int, proof engine.Proof, distance int) string
	}); ok {
		return w.Worth(score, proof, distance) + ", " + source
	}
	one, more := "point", "points"
	if g, err := gameNamed(p.Game()); err == nil {
		if g.unit == "" {
			return outcome(score, proof) + ", " + source
		}
		one, more = g.unit, g.units
	}
	if score == 1 || score == -1 {
		more = one
	}
	var what string
	switch {
	case score > 0:
		what = fmt.Sprintf("%d more %s than the opponent from here", score, more)
	case score < 0:
		what = fmt.Sprintf("%d fewer %s than the opponent from here", -score, more)
	default:
		what = fmt.Sprintf("as many %s as the opponent from here", more)
	}
	switch proof {
	case engine.Exact:
		return what + ", proved, " + source
	case engine.Lower:
		return "at least " + what + ", proved, " + source
	case engine.Upper:
		return "at most " + what + ", proved, " + source
	}
	return "about " + what + ", an estimate, " + source
}

// outcome says a value in words where it is 1 for a win, 0 for a tie and -1 for
// a loss.
func outcome(score int, proof engine.Proof) string {
	what := "a tie"
	if score > 0 {
		what = "a win"
	} else if score < 0 {
		what = "a loss"
	}
	switch proof {
	case engine.Exact:
		return what + ", proved"
	case engine.Lower:
		return "at least " + what + ", proved"
	case engine.Upper:
		return "at most " + what + ", proved"
	}
	return fmt.Sprintf("%s, an estimate", signed(score))
}

// signed writes a score with its sign, 0 without one.
func signed(n int) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d", n)
}

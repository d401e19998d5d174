package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

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
				err = a.printDecision(g, p, d)
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
func (a *app) printDecision(g gameEntry, p engine.Position, d engine.Decision) error {
	if err := p.Draw(a.stdout, engine.DrawStyle{Color: a.color()}); err != nil {
		return err
	}
	words := g.words()
	var b strings.Builder
	b.WriteString("\n")
	if score := words.Score(p.Score(), "-"); score != "" {
		fmt.Fprintf(&b, "score %s, ", score)
	}
	if p.Over() {
		b.WriteString("the game is over\n")
		_, err := io.WriteString(a.stdout, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s to move\n", p.Turn())
	fmt.Fprintf(&b, "best move %s: %s\n", d.Move, worth(g, p, d))
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
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", m.Move, words.Value(m.Score, m.Proof), m.Proof, m.Source, givesUp(words, d, m))
		}
		tw.Flush()
	}
	fmt.Fprintf(&b, "\n%s, %d nodes, %.1f ms\n", d.Source, d.Nodes, d.ElapsedMS)
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

package wyb

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

// Banner is the beginning of a session's output, in the form of the real referee's.
const Banner = `Referee of Endwise, in the manner of referee version 1.2 (May 07 2018)
Plays a game of Watch Your Back! between two players of any kind
Allows for resource limiting to simulate performance constraints used in marking
Run ` + "`endwise referee watchyourback -h`" + ` for help and additional usage information

`

// Referee plays games by the rules of the course's referee and with its output.
type Referee struct {
	Delay time.Duration // before each turn
	// Answer is the wall-clock limit of one answer of any player except a human; 0 means DefaultAnswer.
	Answer time.Duration
	// MaxTurns is the number of turns of the moving phase after which a game is a draw; 0 means no limit.
	MaxTurns int
	Strict   bool      // as in [watchyourback.New]
	Out      io.Writer // receives the output; nil for none
}

// Result is the end of a game.
type Result struct {
	arena.Result
	Why  string                 // of a forfeit or a draw; "" if a side won on the board
	Last watchyourback.Position // the last position
	// Used is the usage of White and Black.
	Used [2]program.Usage
}

// Play plays one game. It returns an error only if ctx ends or Out cannot be written.
func (r Referee) Play(ctx context.Context, white, black arena.Participant, seed uint64) (Result, error) {
	first, w := watchyourback.New(r.Strict), NewPrinter(cmp.Or(r.Out, io.Discard))
	config := arena.Config{
		Rules: arena.Rules{Game: watchyourback.Game{}}, First: first, Delay: r.Delay,
		Time: Limits{Answer: r.Answer}.AnswerTime(), MaxTurns: math.MaxInt, Watcher: w,
	}
	if r.MaxTurns > 0 {
		config.MaxTurns = watchyourback.PlacingTurns + r.MaxTurns
	}
	fixture := arena.Fixture{ID: "game", Players: [2]arena.Participant{white, black}, Seed: seed}
	played, err := config.Play(ctx, fixture)
	res := Result{Result: played, Last: first}
	if err != nil {
		w.out.Flush()
		return res, err
	}
	res.Used, res.Why = w.used, w.fault
	if w.last != nil {
		res.Last = *w.last
	}
	switch {
	case res.End == arena.Stopped:
		res.Why = fmt.Sprintf("a draw after %d turns of the moving phase, the limit", r.MaxTurns)
		fmt.Fprintln(w.out, res.Why)
	case res.End == arena.Played && res.Winner == engine.None:
		res.Why = whyDrawn(res.Last)
	}
	return res, w.Winner(res.Winner)
}

// whyDrawn returns the reason for a draw at the end p of a game.
func whyDrawn(p watchyourback.Position) string {
	switch s := p.Score(); {
	case s[0] < 2 && s[1] < 2:
		return "both sides have fewer than two pieces"
	case p.Quiet() >= watchyourback.QuietLimit:
		return fmt.Sprintf("a draw: %d turns without an elimination on the 4x4 board", watchyourback.QuietLimit)
	}
	return "a draw: both sides are blocked"
}

// Printer prints a game as the course's referee does. It is an [arena.Watcher].
type Printer struct {
	out   *bufio.Writer
	last  *watchyourback.Position
	used  [2]program.Usage // of White and of Black
	local [2]bool          // whether the memory is that of this process
	fault string
}

func NewPrinter(out io.Writer) *Printer { return &Printer{out: bufio.NewWriter(out)} }

// measure stores whether a player runs in this process and, if it measures its usage, the usage.
func (w *Printer) measure(side engine.Side, p engine.Player) {
	_, w.local[side-1] = p.(*Local)
	if m, ok := p.(interface{ Used() program.Usage }); ok {
		w.used[side-1] = m.Used()
	}
}

// Returned prints the time of a player after a call, and the memory of both players.
func (w *Printer) Returned(side engine.Side, p engine.Player) error {
	before := w.used[side-1].CPU
	w.measure(side, p)
	own, other := w.used[side-1], w.used[side.Other()-1]
	turn := max(0, own.CPU-before)
	fmt.Fprintf(w.out, "time: %.3fs (this turn), %.3fs (total)\n", turn.Seconds(), own.CPU.Seconds())
	space, most := own.Space+other.Space, own.Peak+other.Peak
	if w.local[0] && w.local[1] { // both are the memory of this process
		space, most = own.Space, max(own.Peak, other.Peak)
	}
	fmt.Fprintf(w.out, "space: %.3fMB (current usage) %.3fMB (max usage) (both players)\n",
		float64(space)/1e6, float64(most)/1e6)
	return w.out.Flush()
}

func (w *Printer) Reached(pos engine.Position) error {
	p, err := engine.As[watchyourback.Position](pos)
	if err != nil {
		return err
	}
	w.last = &p
	if _, err := io.WriteString(w.out, p.Board()); err != nil {
		return err
	}
	if p.Over() {
		fmt.Fprintln(w.out, "game over!")
	} else {
		fmt.Fprintln(w.out, p.TurnsLine())
	}
	return w.out.Flush()
}

var refereeWords = map[arena.Ending]string{
	arena.Illegal: "invalid action", arena.Crash: "player failed", arena.Timeout: "out of time",
}

func (w *Printer) Lost(side engine.Side, p engine.Player, f arena.Fault) error {
	w.measure(side, p)
	word, why := cmp.Or(f.Word, refereeWords[f.End]), engine.OneLine(f.Reason, 500)
	w.fault = word + ": " + why
	fmt.Fprintf(w.out, "%s (%s): %s\n", word, letter(side), why)
	return w.out.Flush()
}

// Winner prints the winner; None means a draw.
func (w *Printer) Winner(side engine.Side) error {
	name := "draw"
	if side != engine.None {
		name = letter(side)
	}
	fmt.Fprintf(w.out, "winner: %s!\n", name)
	return w.out.Flush()
}

func letter(s engine.Side) string {
	if s == engine.First {
		return "W"
	}
	return "B"
}

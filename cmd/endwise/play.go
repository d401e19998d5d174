package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"endwise/book"
	"endwise/book/analysis"
	"endwise/book/why"
	"endwise/cmd/endwise/analyze"
	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/disk"
	"endwise/engine/levels"
	"endwise/solver/farm"
)

const maxLine = 4096

type playOptions struct {
	board, start string
	position     []string
	players      [2]string
	given        bool   // whether --first or --second is set
	seed         uint64 // 0 for a random seed
	lookup       cli.LookupFlags
}

func newPlayCmd(a *cli.App) *cobra.Command {
	o := playOptions{lookup: cli.LookupFlags{HashMB: 64}} // a larger table costs time at first
	c := &cobra.Command{
		Use:   "play GAME [POSITION…]",
		Short: "Play a game in the terminal",
		Long: `Plays a game in the terminal, from the empty board, a position, or the end of a
game, whose moves can be taken back. Each side is a person (human), a practice level
or the full player (endwise). A person types a move or a command. In Circuit Wars a
move is 0,0,top or 0 0 t, in Watch Your Back 2,3 and later 2,3->2,4, in Dots and Boxes
h0,1 or h01, or a move as Little Golem, Knox or CodinGame write it.

  hint         the best move and its value
  moves        all moves by their values
  why          why the position is won or lost; after the end the moves that decided
  undo, u      take back to your last turn, also after the end of the game
  save FILE    write the game so that analyze can read it
  position     the position in one line, for query and the pages
  help, ?      the notation of moves and the commands
  quit

The players of a record keep their names. From a position on, the person plays the
side to move unless --first or --second is given.`,
		Example: "  endwise play circuitwars --board 5x5\n  endwise play dotsandboxes --first level3 --second human\n  endwise play watchyourback --second endwise --time 1s",
		Args:    cli.Args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, rest []string) error {
			cli.AddSpareThreads()
			g, err := a.Games.Named(rest[0])
			if err != nil {
				return err
			}
			o.position = cli.Unquoted(rest[1:])
			o.given = cmd.Flags().Changed("first") || cmd.Flags().Changed("second")
			return play(cmd.Context(), a, g, o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.board, "board", "", cli.BoardUsage+", for instance 5x5 (default the game's usual one)")
	f.StringVar(&o.start, "start", "", cli.StartUsage)
	f.StringVar(&o.players[0], "first", "human", "first player: human, endwise, "+levels.Wanted("")+", or another level of the game")
	f.StringVar(&o.players[1], "second", "level3", "second player")
	f.Uint64Var(&o.seed, "seed", 0, cli.SeedUsage+"; 0 for a new one")
	o.lookup.Register(c)
	return c
}

// terminalGame is a game that is played in the terminal.
type terminalGame struct {
	*cli.App
	game    cli.Game
	record  analysis.Record
	players [2]engine.Player             // nil for a human
	lookup  *book.Lookup                 // nil until open has opened it
	open    func() (*book.Lookup, error) // opens the lookup at the first call
	time    time.Duration                // per move of endwise, and per hint
	in      *bufio.Scanner

	hinted   string // the position that decision evaluates; "" for none
	decision engine.Decision
}

func play(ctx context.Context, a *cli.App, g cli.Game, o playOptions) error {
	if o.lookup.Time <= 0 {
		return cli.BadInput(fmt.Errorf("--time %v: want a time above 0", o.lookup.Time))
	}
	board, err := g.BoardAndStart(o.board, o.start)
	if err != nil {
		return err
	}
	in, err := a.Game(g, board, o.position)
	if err != nil {
		return cli.BadInput(err)
	}
	sources, err := o.lookup.Options(a)
	if err != nil {
		return err
	}
	t := &terminalGame{
		App: a, game: g, time: o.lookup.Time, in: bufio.NewScanner(engine.Text(a.Stdin)),
		record: analysis.Record{Name: "game", Positions: []engine.Position{in.Start}},
	}
	for _, m := range in.Moves {
		if err := t.addMove(m); err != nil {
			return cli.BadInput(err)
		}
	}
	t.in.Buffer(make([]byte, 0, maxLine), maxLine)
	t.open = sync.OnceValues(func() (_ *book.Lookup, err error) {
		t.lookup, err = o.lookup.Open(g, sources)
		return t.lookup, err
	})
	defer func() {
		if t.lookup != nil {
			t.lookup.Close()
		}
	}()
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	if !o.given && t.now().Turn() == engine.Second {
		slices.Reverse(o.players[:])
	}
	for i, who := range o.players {
		if t.players[i], err = t.player(who, o.seed+uint64(i)); err != nil {
			return err
		}
	}
	t.record.Players = o.players
	t.namePlayers(in.Players, len(o.position) > 0)
	return t.run(ctx)
}

// namePlayers gives the players the names in a record, except names of sides. Equal names get numbers. If
// show is set, a line says who plays which side.
func (t *terminalGame) namePlayers(names [2]string, show bool) {
	var seats [2]string
	players := t.record.Players
	for i, name := range names {
		seats[i] = t.game.SideName(engine.First + engine.Side(i))
		if name == "" || name == players[i] || strings.EqualFold(name, t.game.Web.Sides[i]) {
			continue
		}
		t.record.Players[i] = name
		seats[i] += " (" + name + ")"
	}
	if show {
		t.printf("%s is played by %s, %s by %s\n", seats[0], players[0], seats[1], players[1])
	}
	if name := t.record.Players[0]; name == t.record.Players[1] {
		if strings.TrimRight(name, "0123456789") != name {
			name += "-"
		}
		t.record.Players = [2]string{name + "1", name + "2"}
	}
}

// player returns the player with a name, nil for human. The seed is for practice levels.
func (t *terminalGame) player(name string, seed uint64) (engine.Player, error) {
	switch {
	case name == "human":
		return nil, nil
	case name == "endwise":
		l, err := t.open()
		return book.Player{Label: name, Lookup: l}, err
	}
	p, ok := levels.Named(t.game.Name(), name, seed)
	if !ok {
		return nil, cli.BadInput(fmt.Errorf("player %.40q: want human, endwise, %s", name, levels.Wanted(t.game.Name())))
	}
	return p, nil
}

// errQuit means that the user has quit or that the input has ended.
var errQuit = errors.New("left")

// run plays the game, and executes the user's commands, until the user quits or ctx ends.
func (t *terminalGame) run(ctx context.Context) error {
	t.draw()
	if !t.now().Over() && (t.players[0] == nil || t.players[1] == nil) {
		t.printf("%s\nType a move, for instance %s, or ? for help.\n", t.game.Notation, t.someMove())
	}
	resultShown := false
	for ctx.Err() == nil {
		over := t.now().Over()
		if over && !resultShown {
			t.printResult()
		}
		resultShown = over
		var err error
		if over {
			err = t.execute(ctx, "why, save FILE, undo or quit: ")
		} else if p := t.players[t.now().Turn()-1]; p == nil {
			err = t.execute(ctx, "move: ")
		} else {
			err = t.playChoice(ctx, p)
		}
		if errors.Is(err, errQuit) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (t *terminalGame) printResult() {
	result := "a tie"
	if w := engine.Winner(t.now()); w != engine.None {
		result = fmt.Sprintf("%s (%s) wins", t.game.SideName(w), t.record.Players[w-1])
	}
	t.printf("The game is over: %s, %s.\n", result, t.game.Standing(t.now()))
	t.printf("why shows the moves that decided it. After save FILE, endwise analyze FILE finds all mistakes.\n")
}

func (t *terminalGame) someMove() string { return t.now().MoveString(t.now().Moves()[0]) }

func (t *terminalGame) now() engine.Position { return t.record.Final() }

func (t *terminalGame) printf(format string, args ...any) { fmt.Fprintf(t.Stdout, format, args...) }

func (t *terminalGame) draw() {
	style := engine.DrawStyle{Color: t.Color()}
	if n := len(t.record.Moves); n > 0 {
		style.Last = &t.record.Moves[n-1]
	}
	t.printf("\n")
	t.now().Draw(t.Stdout, style)
	standing := t.game.Standing(t.now())
	if !t.now().Over() {
		standing += fmt.Sprintf(", %s (%s) to move", t.game.SideName(t.now().Turn()), t.record.Players[t.now().Turn()-1])
	}
	t.printf("%s\n", standing)
}

func (t *terminalGame) addMove(m engine.Move) error {
	next, err := t.now().Play(m)
	if err != nil {
		return err
	}
	t.record.Moves, t.record.Positions = append(t.record.Moves, m), append(t.record.Positions, next)
	return nil
}

func (t *terminalGame) playMove(m engine.Move) error {
	if err := t.addMove(m); err != nil {
		return err
	}
	t.draw()
	return nil
}

// playChoice plays and prints the move that p chooses.
func (t *terminalGame) playChoice(ctx context.Context, p engine.Player) error {
	d, err := p.Choose(ctx, t.now(), engine.ClockFor(t.time))
	if err != nil {
		return err
	}
	m, err := t.now().ParseMove(d.Move)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name(), err)
	}
	t.printf("%s (%s) plays %s", t.game.SideName(t.now().Turn()), t.record.Players[t.now().Turn()-1], d.Move)
	if _, full := p.(book.Player); full {
		t.printf(": %s", cli.Worth(t.game, t.now(), d))
	}
	t.printf("\n")
	return t.playMove(m)
}

// execute reads a line and executes it: a command, or a move. Faults of the line are printed; errQuit is the
// error at the end of the input and of quit.
func (t *terminalGame) execute(ctx context.Context, prompt string) error {
	t.printf("%s", prompt)
	if !t.in.Scan() {
		t.printf("\n")
		if err := t.in.Err(); err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		return errQuit
	}
	line := strings.TrimSpace(t.in.Text())
	word, rest, _ := strings.Cut(line, " ")
	switch word = strings.ToLower(word); word {
	case "":
		return nil
	case "quit", "exit", "q":
		return errQuit
	case "help", "?":
		if t.now().Over() {
			t.printf("%s\n", afterWords)
			return nil
		}
		t.printf("%s\n", t.game.Notation)
		if !t.Color() {
			t.printf("the last move is drawn as %s\n", t.game.LastMove())
		}
		t.printf("a move, for instance %s; or %s\n", t.someMove(), commandWords)
		return nil
	case "position":
		t.printf("%s\n", t.now())
		return nil
	case "undo", "u":
		t.undo()
		return nil
	case "save":
		t.save(strings.TrimSpace(rest))
		return nil
	}
	switch {
	case t.now().Over() && word == "why":
		return t.explainGame(ctx)
	case t.now().Over():
		t.printf("the game is over; type %s\n", afterWords)
		return nil
	case word == "hint" || word == "moves" || word == "why":
		return t.hint(ctx, word)
	}
	return t.playTyped(line)
}

// playTyped plays the move in a line, or prints why there is none.
func (t *terminalGame) playTyped(line string) error {
	text, err := engine.StripComments(line)
	var m engine.Move
	if err == nil {
		m, err = t.now().ParseMove(text)
	}
	if err != nil && startsWithWord(line) {
		err = fmt.Errorf("%.40q: want a move, for instance %s; or %s", line, t.someMove(), commandWords)
	}
	if err != nil {
		t.printf("%v\n", err)
		return nil
	}
	return t.playMove(m)
}

const afterWords = "why, save FILE, undo, position or quit"

const commandWords = "hint, moves, why, undo, save FILE, position, quit"

func startsWithWord(line string) bool {
	first, _, _ := strings.Cut(line, " ")
	return len(first) > 1 && strings.TrimFunc(first, unicode.IsLetter) == ""
}

// undo takes moves back to the last turn of a human.
func (t *terminalGame) undo() {
	r := &t.record
	for n := len(r.Moves) - 1; n >= 0; n-- {
		if t.players[r.Positions[n].Turn()-1] == nil {
			r.Moves, r.Positions = r.Moves[:n], r.Positions[:n+1]
			t.draw()
			return
		}
	}
	t.printf("nothing to take back\n")
}

// played returns the record with the score and the winner of its last position.
func (t *terminalGame) played() analysis.Record {
	r := t.record
	r.Score, r.Winner = r.Final().Score(), engine.Winner(r.Final())
	return r
}

// explainGame analyses the game and prints the moves that decided it.
func (t *terminalGame) explainGame(ctx context.Context) error {
	l, err := t.open()
	if err != nil {
		return err
	}
	var shown farm.Progress
	shown.Begin("analysis", "positions", 0, uint64(len(t.record.Positions)))
	stop := cli.ShowProgress(cli.BarOnly{Writer: t.Stderr}, &shown)
	g, err := analysis.Analyze(ctx, t.game.Web.Rules, t.played(), l, analysis.DefaultLimits, func(analysis.Step) { shown.Add(1) })
	stop(err)
	if err != nil {
		return err
	}
	text, err := analyze.Decided(t.game, g, t.Columns())
	t.printf("%s", text)
	return err
}

func (t *terminalGame) save(file string) {
	if file == "" {
		t.printf("save: type a file name after it\n")
		return
	}
	switch err := disk.WriteNewFile(file, 0o644, func(w io.Writer) error { return analysis.WritePlain(w, t.played()) }); {
	case errors.Is(err, fs.ErrExist):
		t.printf("save: %s exists already: give another name, or delete the file first\n", file)
	case err != nil:
		t.printf("save: %v\n", err)
	default:
		if t.now().Over() {
			t.printf("saved; endwise analyze %s finds all mistakes\n", cli.ShellQuoted(file))
			return
		}
		t.printf("saved; endwise play %s %s continues it", t.game.Name(), cli.ShellQuoted(file))
		if len(t.record.Moves) > 0 {
			t.printf(", endwise analyze %s analyses it", cli.ShellQuoted(file))
		}
		t.printf("\n")
	}
}

// hint prints the best move; also all evaluated moves if word is "moves", and the reasons if it is "why".
func (t *terminalGame) hint(ctx context.Context, word string) error {
	l, err := t.open()
	if err != nil {
		return err
	}
	now := t.now().String()
	decide := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		return l.Decide(ctx, book.Question{Position: p, Clock: engine.ClockFor(t.time), AllMoves: p.String() == now})
	}
	if t.hinted != now {
		if t.decision, err = decide(ctx, t.now()); err != nil {
			return err
		}
		t.hinted = now
	}
	d := t.decision
	t.printf("best is %s: %s\n", d.Move, cli.Worth(t.game, t.now(), d))
	if d.Note != "" {
		t.printf("%s\n", d.Note)
	}
	switch word {
	case "moves":
		cli.PrintGroups(t.Stdout, t.Columns(), t.game, t.now(), d)
	case "why":
		reasons, err := why.Position(ctx, t.now(), d, decide)
		if err != nil {
			return err
		}
		return printReasons(t.App, t.game, reasons)
	}
	return nil
}

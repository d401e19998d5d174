package wyb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

const (
	// maxErrors is how many bytes of standard error of a player are shown to
	// people in one game.
	maxErrors = 64 << 10
	// poll is how often limits are looked at while an answer is awaited.
	poll = 20 * time.Millisecond
	// farewell is how long a player has to exit once the game is over.
	farewell = 300 * time.Millisecond
	// lastWord is how long the system has to tell why a player is silent.
	lastWord = 2 * time.Second
	// lastWords is how long the output of a player that has ended is read, if
	// others hold it open.
	lastWords = time.Second
)

// Process is a player in a process of its own that speaks the line protocol. It
// is an engine.Player and an arena.Observer of one game.
type Process struct {
	// Label is what messages call the player; Argv is what is run.
	Label  string
	Argv   []string
	Limits Limits
	// Log hears the player's notes and standard error, from several goroutines;
	// nil discards them.
	Log io.Writer

	side  engine.Side
	cmd   *exec.Cmd
	in    *os.File
	pipes []*os.File // our ends of its output
	lines chan reply
	quit  chan struct{}
	exit  chan error // what Wait says
	wg    sync.WaitGroup
	tree  *program.Tree
	used  program.Usage // once it is closed
	notes int
}

// reply is a line of the player, or why there is none.
type reply struct {
	line []byte
	err  error
}

var errLongLine = fmt.Errorf("a line longer than %d bytes", maxLine)

// Name is the label.
func (p *Process) Name() string { return p.Label }

// Start starts the program for a game and waits until it is ready. After an
// error it has been ended, else Close does that.
func (p *Process) Start(ctx context.Context, seat arena.Seat) (err error) {
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	start, err := engine.As[watchyourback.Position](seat.Start)
	if err != nil {
		return err
	}
	p.side = seat.Side
	if err := p.spawn(); err != nil {
		return crashed("%s cannot be started: %v", p.Label, err)
	}
	limit := p.Limits.Start
	if limit == 0 {
		limit = p.Limits.answer()
	}
	_, err = p.ask(ctx, limit, Message{Type: typeStart, Colour: colour(seat.Side), Strict: start.Strict()}, typeReady)
	return err
}

func (p *Process) spawn() error {
	p.cmd = exec.Command(p.Argv[0], p.Argv[1:]...)
	program.Detach(p.cmd)
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err == nil {
			p.pipes = append(p.pipes, r)
			theirs = append(theirs, w)
		}
		return r, w, err
	}
	out, outW, err := pipe()
	if err != nil {
		return err
	}
	errs, errW, err := pipe()
	if err != nil {
		return err
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	theirs = append(theirs, inR)
	p.in = inW
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.tree = program.NewTree(p.cmd.Process.Pid)
	p.lines, p.quit, p.exit = make(chan reply), make(chan struct{}), make(chan error, 1)
	p.wg.Go(func() { readLines(out, p.lines, p.quit) })
	p.wg.Go(func() { p.copyErrors(errs) })
	go func() { p.exit <- p.cmd.Wait() }()
	return nil
}

// readLines passes lines on until there are none or quit is closed, one at a time:
// a player that writes more than it is asked for waits.
func readLines(f io.Reader, lines chan<- reply, quit <-chan struct{}) {
	r := bufio.NewReaderSize(f, maxLine)
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			err = errLongLine
		case err != nil && len(line) > 0:
			err = nil // a last line without its end; the next read says why
		}
		select {
		case lines <- reply{bytes.Clone(bytes.TrimSpace(line)), err}:
		case <-quit:
			return
		}
		if err != nil {
			return
		}
	}
}

// copyErrors shows the first part of the player's standard error and drops
// the rest.
func (p *Process) copyErrors(f *os.File) {
	buf := make([]byte, 4096)
	left := maxErrors
	for {
		n, err := f.Read(buf)
		if n = min(n, left); n > 0 && p.Log != nil {
			p.Log.Write(buf[:n])
			if left -= n; left == 0 {
				fmt.Fprintf(p.Log, "\n%s: more than %d bytes of standard error, the rest is dropped\n", p.Label, maxErrors)
			}
		}
		if err != nil {
			return
		}
	}
}

// ask sends a message and waits, for the limit at most, for an answer of the
// wanted type.
func (p *Process) ask(ctx context.Context, limit time.Duration, m Message, want string) (Message, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return Message{}, err
	}
	// What a program says before its first question may come before or after
	// that is written: it counts as the answer.
	if want != typeReady {
		if err := p.unasked(); err != nil {
			return Message{}, err
		}
	}
	deadline := time.Now().Add(limit)
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if err := p.in.SetWriteDeadline(deadline); err != nil {
		return Message{}, err
	}
	if _, err := p.in.Write(append(data, '\n')); err != nil {
		return Message{}, p.ended(err)
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	// Its output can stay open after it has ended, in the hands of a child;
	// what it wrote last is read all the same.
	exited := p.exit
	var silence <-chan time.Time
	for {
		var r reply
		select {
		case err := <-exited:
			p.exit <- err
			exited, silence = nil, time.After(lastWords)
			continue
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return Message{}, outOfTime("%s gave no answer within %v", p.Label, limit)
			}
			return Message{}, ctx.Err()
		case <-ticker.C:
			p.tree.Scan()
			if err := p.Limits.check(p.tree.Usage()); err != nil {
				return Message{}, err
			}
			continue
		case <-silence:
			select {
			case r = <-p.lines:
			default:
				return Message{}, p.ended(io.EOF)
			}
		case r = <-p.lines:
		}
		if r.err != nil {
			return Message{}, p.ended(r.err)
		}
		answer, err := p.decode(r.line, want)
		if err != nil {
			return Message{}, err
		}
		if answer.Type == typeNote {
			continue
		}
		p.tree.Refresh()
		return answer, p.Limits.check(p.tree.Usage())
	}
}

// unasked looks at what came since the last answer: notes are welcome, a
// complaint ends the game as it would as an answer, anything else is garbage.
func (p *Process) unasked() error {
	for {
		select {
		case r := <-p.lines:
			if r.err != nil {
				return p.ended(r.err)
			}
			switch m, err := p.decode(r.line, ""); {
			case m.Type == typeNote && err == nil:
			case m.Type == typeError || m.Type == "":
				return err
			default:
				return garbage("%s wrote %q without being asked", p.Label, engine.OneLine(string(r.line), 80))
			}
		default:
			return nil
		}
	}
}

// decode reads a line: the wanted answer or a note.
func (p *Process) decode(line []byte, want string) (Message, error) {
	var m Message
	if err := json.Unmarshal(line, &m); err != nil || m.Type == "" {
		why := ""
		if err != nil && bytes.HasPrefix(line, []byte("{")) {
			why = ": " + engine.OneLine(err.Error(), 120)
		}
		return m, garbage("%s wrote %q instead of a line of the protocol%s; whatever is meant for people belongs on standard error", p.Label, engine.OneLine(string(line), 80), why)
	}
	switch m.Type {
	case want:
		if want == typeAction && !m.Action.given {
			return m, garbage("%s answered %q without an action; a forfeit is \"action\":null", p.Label, engine.OneLine(string(line), 80))
		}
		return m, nil
	case typeError:
		return m, crashed("%s: %s", p.Label, engine.OneLine(m.Text, 400))
	case typeInvalid:
		if want != typeAction {
			break
		}
		return m, invalid("", "%s", engine.OneLine(m.Text, 400))
	case typeNote:
		if p.notes++; p.notes > maxNotes {
			return m, garbage("%s sent more than %d notes", p.Label, maxNotes)
		}
		if p.Log != nil {
			fmt.Fprintf(p.Log, "%s: %s\n", p.Label, engine.OneLine(m.Text, 400))
		}
		return m, nil
	}
	return m, garbage("%s answered with type %q, want %q", p.Label, engine.OneLine(m.Type, 40), want)
}

// ended says what became of a player that is no longer heard.
func (p *Process) ended(err error) error {
	if errors.Is(err, errLongLine) {
		return garbage("%s wrote %v", p.Label, err)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return outOfTime("%s did not read its input within %v", p.Label, p.Limits.answer())
	}
	select {
	case err := <-p.exit:
		p.exit <- err // for Close
		if err == nil {
			return crashed("%s exited in the middle of the game", p.Label)
		}
		return crashed("%s ended: %v", p.Label, err)
	case <-time.After(lastWord):
		return crashed("%s closed its standard input or output", p.Label)
	}
}

// Choose asks the program for its action.
func (p *Process) Choose(ctx context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	q, err := engine.As[watchyourback.Position](pos)
	if err != nil {
		return engine.Decision{}, err
	}
	turns := q.Turns()
	m, err := p.ask(ctx, p.Limits.answer(), Message{Type: typeAction, Turns: &turns}, typeAction)
	if err != nil {
		return engine.Decision{}, err
	}
	a := m.Action
	move, err := a.Move()
	if err != nil {
		return engine.Decision{}, invalid(a.String(), "%v", err)
	}
	if _, err := q.Do(move); err != nil {
		return engine.Decision{}, invalid(a.String(), "%s: %s", a, strings.TrimPrefix(err.Error(), engine.ErrIllegalMove.Error()+": "))
	}
	return engine.Decision{Move: q.MoveString(move), Source: "program"}, nil
}

// Observe tells the program the opponent's action.
func (p *Process) Observe(ctx context.Context, by engine.Side, m engine.Move, _ engine.Position) error {
	if by == p.side {
		return nil
	}
	_, err := p.ask(ctx, p.Limits.answer(), Message{Type: typeUpdate, Action: ActionOf(m)}, typeOK)
	return err
}

// Finish tells the program who has won.
func (p *Process) Finish(r arena.Result) {
	if p.in == nil {
		return
	}
	name := "draw"
	if r.Winner != engine.None {
		name = colour(r.Winner)
	}
	if data, err := json.Marshal(Message{Type: typeEnd, Winner: name}); err == nil && p.in.SetWriteDeadline(time.Now().Add(farewell)) == nil {
		p.in.Write(append(data, '\n')) // it may be gone already
	}
}

// Used is what the program and everything it has started have used.
func (p *Process) Used() program.Usage {
	if p.tree == nil {
		return p.used
	}
	return p.tree.Usage()
}

// Close closes the player's input, gives it a
// moment to exit, and kills what is left of it and of everything it started.
func (p *Process) Close() error {
	if p.in != nil {
		p.in.Close()
	}
	if p.tree != nil {
		select {
		case err := <-p.exit:
			p.exit <- err
		case <-time.After(farewell):
		}
		p.tree.Kill()
		<-p.exit
		close(p.quit)
		p.used, p.tree = p.tree.Usage(), nil
	}
	for _, f := range p.pipes {
		f.Close()
	}
	p.wg.Wait()
	p.in, p.pipes = nil, nil
	return nil
}

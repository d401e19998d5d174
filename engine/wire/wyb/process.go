package wyb

import (
	"bufio"
	"bytes"
	"cmp"
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
	"endwise/engine/wire/lenient"
	"endwise/engine/wire/program"
)

const (
	poll       = 20 * time.Millisecond  // between checks of the limits
	exitTime   = 300 * time.Millisecond // for a player to exit after the game
	statusWait = 5 * time.Second        // for the exit status of a player that closed its pipes
	outputWait = time.Second            // for the output of a player that has ended
)

// Process is a player in its own process that uses the line protocol, for one game.
type Process struct {
	Label  string // for messages
	Argv   []string
	Limits Limits
	// Log receives the player's notes and standard error, from several goroutines; nil discards them.
	Log io.Writer

	side    engine.Side
	program *program.Program
	in, out *os.File       // this process's ends of the pipes
	lines   chan reply     // from readLines
	quit    chan struct{}  // closed to stop readLines
	wg      sync.WaitGroup // the goroutines that spawn starts
	notes   int
	stray   int // lines that are not messages
}

// reply is a line of the player, or the error that ended its output.
type reply struct {
	line []byte
	err  error
}

var errLongLine = fmt.Errorf("a line longer than %d bytes", maxLine)

func (p *Process) Name() string { return p.Label }

// Start starts the program for a game and waits until it is ready. If it fails, the program
// has been ended; otherwise Close ends it.
func (p *Process) Start(ctx context.Context, setup arena.Setup) (err error) {
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	start, err := engine.As[watchyourback.Position](setup.Start)
	if err != nil {
		return err
	}
	p.side = setup.Side
	if err := p.spawn(ctx); err != nil {
		return crashed("%s cannot be started: %v", p.Label, err)
	}
	limit := cmp.Or(p.Limits.Start, p.Limits.AnswerTime())
	_, err = p.ask(ctx, limit, Message{Type: typeStart, Colour: Colour(setup.Side), Strict: start.Strict()}, typeReady)
	return err
}

// spawn starts the program, connects its pipes, and starts the goroutines that read its output.
func (p *Process) spawn(ctx context.Context) error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, theirIn.Close(), in.Close())
	}
	p.program, err = program.Start(ctx, program.Config{Args: p.Argv, In: theirIn, Out: theirOut, Output: p.Log})
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	p.in, p.out, p.lines, p.quit = in, out, make(chan reply), make(chan struct{})
	p.wg.Go(func() { readLines(out, p.lines, p.quit) })
	p.wg.Go(func() {
		// Another process may hold the output open.
		<-p.program.Done()
		_ = out.SetReadDeadline(time.Now().Add(outputWait)) // fails if out is closed
	})
	return nil
}

// readLines sends the lines of f, and then the error that ended f, until quit is closed.
func readLines(f io.Reader, lines chan<- reply, quit <-chan struct{}) {
	r := bufio.NewReaderSize(f, maxLine)
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			err = errLongLine
		case err != nil && len(line) > 0:
			err = nil // the next read returns the error
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

// ask sends a message and waits at most limit for an answer of the type want. The error is a fault of
// the program, or the error of ctx.
func (p *Process) ask(ctx context.Context, limit time.Duration, m Message, want string) (Message, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return Message{}, err
	}
	// A line that the player writes at its start counts as an answer to the first request.
	if want != typeReady {
		if err := p.checkUnrequested(); err != nil {
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
		return Message{}, p.ended(err, limit)
	}
	answer, err := p.await(ctx, want)
	if errors.Is(err, context.DeadlineExceeded) {
		err = outOfTime("%s gave no answer within %v", p.Label, limit)
	}
	return answer, err
}

// await waits for an answer of the type want until ctx ends, and checks the limits at intervals.
func (p *Process) await(ctx context.Context, want string) (Message, error) {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		var r reply
		select {
		case <-ctx.Done():
			return Message{}, ctx.Err()
		case <-ticker.C:
			p.program.Tree().Scan()
			if err := p.Limits.Check(p.Used()); err != nil {
				return Message{}, err
			}
			continue
		case r = <-p.lines:
		}
		if r.err != nil {
			return Message{}, p.ended(r.err, 0)
		}
		answer, err := p.accept(r.line, want)
		if err != nil {
			return Message{}, err
		}
		if answer.Type == typeNote || answer.Type == "" {
			continue
		}
		p.program.Tree().Refresh()
		return answer, p.Limits.Check(p.Used())
	}
}

// checkUnrequested shows the notes and stray lines that arrived since the last answer. Any other
// message is a fault of the program.
func (p *Process) checkUnrequested() error {
	for {
		var r reply
		select {
		case r = <-p.lines:
		default:
			return nil
		}
		if r.err != nil {
			return p.ended(r.err, 0)
		}
		switch m, err := p.accept(r.line, ""); {
		case (m.Type == typeNote || m.Type == "") && err == nil:
		case m.Type == typeError || m.Type == "": // err is the error message, or too many stray lines
			return err
		default:
			return garbage("%s wrote %q without being asked", p.Label, engine.OneLine(string(r.line), 80))
		}
	}
}

// accept returns the message in a line: an answer of the type want, or a note, which accept shows. Other
// messages, answers without a usable action, and too many notes are faults of the program; accept returns
// the message with the fault. For a line that is not a message, accept returns the zero Message and the
// result of acceptStray.
func (p *Process) accept(line []byte, want string) (Message, error) {
	m, _, err := decode(line)
	if err != nil {
		return Message{}, p.acceptStray(line)
	}
	switch m.Type {
	case want:
		if want == typeAction && m.badAction != nil {
			return m, garbage("%s: %v", p.Label, m.badAction)
		}
		if want == typeAction && !m.Action.given {
			return m, garbage("%s answered %q without an action; a forfeit is \"action\":null",
				p.Label, engine.OneLine(string(line), 80))
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

// acceptStray shows a line that is not a message, unless it has shown maxNotes of them. It returns a
// fault if there are more than maxStray such lines.
func (p *Process) acceptStray(line []byte) error {
	shown := engine.OneLine(string(line), 80)
	if p.stray++; p.stray > maxStray {
		return garbage("%s wrote more than %d lines that are not of the protocol, the last one %q; "+
			"texts for people belong on standard error", p.Label, maxStray, shown)
	}
	if p.stray <= maxNotes && p.Log != nil {
		fmt.Fprintf(p.Log, "%s wrote %q, which is not a line of the protocol; "+
			"texts for people belong on standard error\n", p.Label, shown)
	}
	return nil
}

// ended returns the fault of a player for an error of reading its output or of writing its input
// within limit.
func (p *Process) ended(err error, limit time.Duration) error {
	if errors.Is(err, errLongLine) {
		return garbage("%s wrote %v", p.Label, err)
	}
	wait := statusWait
	if errors.Is(err, os.ErrDeadlineExceeded) {
		wait = 0
	}
	select {
	case <-p.program.Done():
		exit := new(exec.ExitError)
		if errors.As(p.program.Failed(), &exit) {
			return crashed("%s ended: %v", p.Label, exit)
		}
		return crashed("%s exited in the middle of the game", p.Label)
	case <-time.After(wait):
	}
	if wait == 0 {
		return outOfTime("%s did not read its input within %v", p.Label, limit)
	}
	return crashed("%s closed its standard input or output", p.Label)
}

// Choose requests the program's action. It ignores the clock.
func (p *Process) Choose(ctx context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	q, err := engine.As[watchyourback.Position](pos)
	if err != nil {
		return engine.Decision{}, err
	}
	m, err := p.ask(ctx, p.Limits.AnswerTime(), Message{Type: typeAction, Turns: lenient.Of(q.Turns())}, typeAction)
	if err != nil {
		return engine.Decision{}, err
	}
	a := m.Action
	move, err := a.Move()
	if err != nil {
		return engine.Decision{}, invalid(a.String(), "%v", err)
	}
	if _, err := q.PlayMove(move); err != nil {
		cause := strings.TrimPrefix(err.Error(), engine.ErrIllegalMove.Error()+": ")
		return engine.Decision{}, invalid(a.String(), "%s: %s", a, cause)
	}
	return engine.Decision{Move: q.MoveString(move), Source: "program"}, nil
}

// Observe sends an action of the opponent to the program.
func (p *Process) Observe(ctx context.Context, by engine.Side, m engine.Move, _ engine.Position) error {
	if by == p.side {
		return nil
	}
	_, err := p.ask(ctx, p.Limits.AnswerTime(), Message{Type: typeUpdate, Action: ActionOf(m)}, typeOK)
	return err
}

// Finish sends the result to the program.
func (p *Process) Finish(r arena.Result) {
	if p.in == nil {
		return
	}
	name := "draw"
	if r.Winner != engine.None {
		name = Colour(r.Winner)
	}
	data, err := json.Marshal(Message{Type: typeEnd, Winner: name})
	if err == nil && p.in.SetWriteDeadline(time.Now().Add(exitTime)) == nil {
		p.in.Write(append(data, '\n'))
	}
}

// Used returns the resources used by the program and its child processes.
func (p *Process) Used() program.Usage {
	if p.program == nil {
		return program.Usage{}
	}
	return p.program.Tree().Usage()
}

// Close closes the program's input, waits at most exitTime for the program to exit, and kills the
// program and all its child processes.
func (p *Process) Close() error {
	if p.in == nil {
		return nil
	}
	p.in.Close()
	p.program.End(exitTime)
	close(p.quit)
	p.out.Close()
	p.wg.Wait()
	p.in = nil
	return nil
}

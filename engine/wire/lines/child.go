package lines

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"endwise/engine"
	"endwise/engine/wire/program"
)

const (
	// starts is how often a process is started in a row, at most; one that has
	// lasted for sound is the first of a new row.
	starts = 2
	sound  = time.Minute
	// patience is how long an answer may be due before the process counts as
	// hanging.
	patience = time.Second
)

// ErrGone is the answer of a Child that has failed for good: no process thinks
// any more.
var ErrGone = errors.New("the process that finds the moves is gone")

// Child is a player in a process that runs Serve. Should it die or hang, it is
// started again, once; after that each question is answered with ErrGone. It is
// safe for several goroutines.
type Child struct {
	command func() *exec.Cmd
	say     func(string)
	id      atomic.Int64    // of the last question
	late    engine.Lateness // of question and answer, on their ways together

	mu      sync.Mutex
	running *process // nil when there is none any more
	row     int      // starts in a row
	closed  bool     // or not yet open: nothing is started again
}

// Start starts the command that runs Serve, made anew for each start, and
// returns once it answers. Its standard input and output are set here. say
// hears, in a sentence, what goes wrong later. Where it ends before it answers,
// the error wraps an *exec.ExitError.
func Start(ctx context.Context, command func() *exec.Cmd, say func(string)) (*Child, error) {
	c := &Child{command: command, say: say, row: 1, closed: true}
	p, err := c.spawn()
	if err != nil {
		return nil, err
	}
	c.running = p
	// A question without a position is answered as soon as any is.
	_, err = c.ask(ctx, p, Question{}, nil)
	if err == nil {
		err = ctx.Err()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && c.running == nil {
		err = p.err
	}
	if err != nil {
		p.kill()
		return nil, err
	}
	c.closed = false
	return c, nil
}

// Name says what it is.
func (c *Child) Name() string { return "process" }

// Choose asks for a move. Once ctx has ended, it returns when the process has
// answered to that, or has been given up as hanging.
func (c *Child) Choose(ctx context.Context, pos engine.Position, clock engine.Clock) (engine.Decision, error) {
	return c.ChooseImproving(ctx, pos, clock, nil)
}

// ChooseImproving is Choose, and passes on what the process says meanwhile.
func (c *Child) ChooseImproving(ctx context.Context, pos engine.Position, clock engine.Clock, improved func(engine.Decision)) (engine.Decision, error) {
	for {
		p := c.process()
		if p == nil {
			return engine.Decision{}, ErrGone
		}
		q := Question{Position: quoted(pos), Improve: improved != nil}
		asked := time.Now()
		if left, ok := clock.Remaining(); ok {
			left -= min(c.late.Expected(asked), left/2)
			q.TimeMS = max(1e-3, left.Seconds()*1000)
		}
		a, err := c.ask(ctx, p, q, improved)
		switch {
		case err == nil && a.Decision != nil:
			now := time.Now()
			c.late.Note(now.Sub(asked)-time.Duration(a.ElapsedMS*float64(time.Millisecond)), now)
			return *a.Decision, nil
		case err == nil:
			return engine.Decision{}, errors.New(a.Error)
		case ctx.Err() != nil:
			return engine.Decision{}, ctx.Err()
		}
	}
}

// Ponder lets the process think in the opponent's time. It does not wait for the
// end of that, which the process does before it answers anything else.
func (c *Child) Ponder(ctx context.Context, pos engine.Position) {
	p := c.process()
	if p == nil {
		return
	}
	id, answer := c.send(p, Question{Position: quoted(pos), Ponder: true}, nil)
	select {
	case <-answer:
	case <-p.over: // Choose is told what is wrong
	case <-ctx.Done():
		p.write(Question{ID: id, Stop: true})
	}
}

// Close ends the process.
func (c *Child) Close() error {
	c.mu.Lock()
	c.closed = true
	p := c.running
	c.mu.Unlock()
	if p != nil {
		p.end()
	}
	return nil
}

func quoted(pos engine.Position) json.RawMessage {
	text, err := json.Marshal(pos.String())
	if err != nil {
		panic(err) // a string
	}
	return text
}

func (c *Child) process() *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// process is one run of the command.
type process struct {
	cmd     *exec.Cmd
	in      *os.File
	started time.Time
	over    chan struct{} // closed when it has ended and c.running is the next

	hangs atomic.Bool // it was ended for that
	err   error       // how it ended, once over

	mu      sync.Mutex
	waiting map[int64]waiting
}

// waiting is who waits for the answer to a question.
type waiting struct {
	answer   chan Answer
	improved func(engine.Decision) // of what is said before it; may be nil
}

// spawn starts the command.
func (c *Child) spawn() (*process, error) {
	cmd := c.command()
	program.Detach(cmd) // it ends with its input, not by the terminal's signals
	inR, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer inR.Close()
	cmd.Stdin = inR
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		in.Close()
		return nil, err
	}
	p := &process{cmd: cmd, in: in, started: time.Now(), over: make(chan struct{}), waiting: map[int64]waiting{}}
	go c.hear(p, out)
	return p, nil
}

// hear passes answers on until the process ends, and then sees to another one.
func (c *Child) hear(p *process, out io.Reader) {
	r := bufio.NewReaderSize(out, maxLine)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			break // a line that is too long is no answer either
		}
		var a Answer
		if json.Unmarshal(line, &a) != nil {
			continue
		}
		p.mu.Lock()
		switch w, ok := p.waiting[a.ID]; {
		case !ok:
		case !a.SoFar:
			w.answer <- a
			delete(p.waiting, a.ID)
		case w.improved != nil && a.Decision != nil:
			w.improved(*a.Decision)
		}
		p.mu.Unlock()
	}
	p.kill()
	err := p.cmd.Wait()
	p.in.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	p.err = err
	if p.err == nil {
		p.err = io.ErrUnexpectedEOF
	}
	c.running = nil
	if !c.closed {
		c.again(p)
	}
	close(p.over)
}

// again starts another process in the place of one that has failed, or says that
// there will be none; the lock is held.
func (c *Child) again(p *process) {
	why := fmt.Sprintf("it ended: %v", p.err)
	if p.hangs.Load() {
		why = "it gave no answer in time"
	}
	if time.Since(p.started) > sound {
		c.row = 0
	}
	if c.row < starts {
		c.row++
		next, err := c.spawn()
		if err == nil {
			c.running = next
			c.say(why + "; it is started again")
			return
		}
		why += fmt.Sprintf("; it can't be started again: %v", err)
	}
	c.say(why + "; moves are chosen without it")
}

// kill makes the process end.
func (p *process) kill() { _ = p.cmd.Process.Kill() } // it may have ended

// end ends the process and waits until it has.
func (p *process) end() {
	p.kill()
	<-p.over
}

// ask asks a process a question and waits for the answer. When ctx ends it is told
// to stop, and without an answer soon after that it is ended. The error is how the
// process has ended.
func (c *Child) ask(ctx context.Context, p *process, q Question, improved func(engine.Decision)) (Answer, error) {
	id, answer := c.send(p, q, improved)
	select {
	case a := <-answer:
		return a, nil
	case <-p.over:
		return Answer{}, p.err
	case <-ctx.Done():
	}
	p.write(Question{ID: id, Stop: true})
	select {
	case a := <-answer:
		return a, nil
	case <-p.over:
	case <-time.After(patience):
		p.hangs.Store(true)
		p.end()
	}
	return Answer{}, p.err
}

// send sends a question, and says where its answer comes.
func (c *Child) send(p *process, q Question, improved func(engine.Decision)) (id int64, answer <-chan Answer) {
	q.ID = c.id.Add(1)
	a := make(chan Answer, 1)
	p.mu.Lock()
	p.waiting[q.ID] = waiting{a, improved}
	p.mu.Unlock()
	p.write(q)
	return q.ID, a
}

// write sends a line. Nobody waits long for a process that does not read, and how
// it ended is known from its output.
func (p *process) write(q Question) {
	text, err := json.Marshal(q)
	if err != nil {
		panic(err) // made here
	}
	_ = p.in.SetWriteDeadline(time.Now().Add(patience))
	_, _ = p.in.Write(append(text, '\n'))
}

// Package program runs programs of other people next to our own: players that
// a match starts for a game and ends after it. Nothing that such a program
// does may hold up or overwhelm its host: its output is drained and only the
// end of it kept, and it is ended with everything that it has started.
//
// Program is a running one, a Tree what has come from it, measured and killed. On
// Linux a tree is followed through /proc, elsewhere as far as
// the system tells (tree_other.go).
package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// tailBytes is how much of a program's output is kept in memory.
	tailBytes = 4 << 10
	// maxOutput is how much of it is passed on to Config.Output, in bytes.
	maxOutput = 1 << 20
	// pipeDelay bounds the wait for output after the program has ended.
	pipeDelay = 2 * time.Second
	// look is the time between two looks at what the program has started. One
	// takes milliseconds, so not more often.
	look = time.Second
)

// Usage is what a program has used: processor time, and memory in bytes, now
// and at its peak.
type Usage struct {
	CPU         time.Duration
	Space, Peak uint64
}

// Config says what to start.
type Config struct {
	// Command is a command line for the system's shell; where it is "", Args begin
	// with the program.
	Command string
	// Args are added to the command line as they are.
	Args []string
	// Env is added to the environment, as KEY=value.
	Env []string
	// Output gets the first maxOutput bytes of standard output and standard
	// error; nil drops them.
	Output io.Writer
	// In and Out, if not nil, are standard input and output, for a program that is
	// talked to. Start closes them here.
	In, Out *os.File
	// Network, an address of the loopback device like 127.0.0.1:5000, gives the
	// program a network of its own with nothing in it but Program.Listener at
	// this address. See OwnNetwork for where that is possible.
	Network string
}

// Startable says why a command line can't be started, nil if nothing is known
// against it: what begins with more than a plain word, only the shell can tell.
// A program that can be started may still end at once.
func Startable(command string) error {
	word, plain := firstWord(command)
	if !plain {
		return nil
	}
	if !strings.ContainsRune(word, filepath.Separator) {
		if _, err := exec.LookPath(word); err == nil || errors.Is(err, exec.ErrDot) || shellKnows(word) {
			return nil
		}
		return fmt.Errorf("%s: there is no such program on the PATH", word)
	}
	// Relative to this process's directory, where the program is started too.
	switch st, err := os.Stat(word); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such program", word)
	case err != nil:
		return err
	case !st.Mode().IsRegular() || !mayRun(st):
		return fmt.Errorf("%s: it is no program, or may not be run", word)
	}
	return nil
}

// firstWord is the word of a command line that names the program; it is plain
// where no shell would make anything else of it.
func firstWord(command string) (word string, plain bool) {
	for rest := strings.TrimSpace(command); ; {
		end := strings.IndexAny(rest, " \t\n;|&<>()")
		if end < 0 {
			end = len(rest)
		}
		word, rest = rest[:end], strings.TrimLeft(rest[end:], " \t")
		if word == "" || strings.ContainsAny(word, "\"'\\$`*?[]{}~!#%") {
			return word, false
		}
		if !strings.Contains(word, "=") {
			return word, true
		}
		// A variable for the program, which comes next.
	}
}

// Program is a running program.
type Program struct {
	cmd  *exec.Cmd
	tree *Tree
	ln   net.Listener
	out  *tail
	done chan struct{}
	err  error // valid once done is closed
}

// Start starts a program. It is killed when the context ends.
func Start(ctx context.Context, cfg Config) (*Program, error) {
	p := &Program{out: &tail{next: cfg.Output}, done: make(chan struct{})}
	switch {
	case strings.TrimSpace(cfg.Command) != "":
		p.cmd = shell(ctx, cfg.Command, cfg.Args)
	case len(cfg.Args) > 0:
		p.cmd = exec.CommandContext(ctx, cfg.Args[0], cfg.Args[1:]...)
	default:
		return nil, errors.New("program: no command")
	}
	p.cmd.Env = append(os.Environ(), cfg.Env...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if cfg.In != nil {
		defer cfg.In.Close()
		p.cmd.Stdin = cfg.In
	}
	if cfg.Out != nil {
		defer cfg.Out.Close()
		p.cmd.Stdout = cfg.Out
	}
	p.cmd.WaitDelay = pipeDelay
	watched := make(chan struct{})
	p.cmd.Cancel = func() error {
		select {
		case <-watched:
			p.tree.Kill()
			return nil
		default: // what the program may have started ends after Wait
			return p.cmd.Process.Kill()
		}
	}
	detach(p.cmd)
	var err error
	if cfg.Network != "" {
		if p.ln, err = startInNetwork(p.cmd, cfg.Network); err != nil {
			return nil, fmt.Errorf("program: a network of its own: %w", cmp.Or(ctx.Err(), err))
		}
	} else if err = p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	p.tree = NewTree(p.cmd.Process.Pid)
	close(watched)
	go func() {
		p.err = p.cmd.Wait()
		p.tree.Kill() // what it has left behind
		close(p.done)
	}()
	go p.follow()
	return p, nil
}

// follow looks now and then who has come to the tree.
func (p *Program) follow() {
	t := time.NewTicker(look)
	defer t.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-t.C:
			p.tree.Scan()
		}
	}
}

// Listener is where this process answers in the program's own network
// (Config.Network); the caller closes it.
func (p *Program) Listener() net.Listener { return p.ln }

// Tree is the program with all that has come from it.
func (p *Program) Tree() *Tree { return p.tree }

// Done is closed when the program has ended.
func (p *Program) Done() <-chan struct{} { return p.done }

// Failed says how a program that has ended without success ended, with the
// last line that it wrote; nil while it runs and after a success.
func (p *Program) Failed() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	exit := new(exec.ExitError)
	if p.err == nil || !errors.As(p.err, &exit) {
		return nil
	}
	if line := p.out.lastLine(); line != "" {
		return fmt.Errorf("the program ended with %w: %s", p.err, line)
	}
	return fmt.Errorf("the program ended with %w", p.err)
}

// End gives the program a while to end by itself and then kills it. It
// returns when the program is gone.
func (p *Program) End(grace time.Duration) {
	select {
	case <-p.done:
		return
	case <-time.After(grace):
	}
	p.tree.Kill()
	<-p.done
}

// tail keeps the end of what is written to it and passes the beginning on.
type tail struct {
	mu     sync.Mutex
	kept   []byte
	next   io.Writer
	passed int
}

// Write never fails: a program must not die because nobody reads it.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := min(len(b), maxOutput-t.passed); t.next != nil && n > 0 {
		if _, err := t.next.Write(b[:n]); err != nil {
			t.next = nil
		}
		t.passed += n
	}
	t.kept = append(t.kept, b[max(0, len(b)-tailBytes):]...)
	if extra := len(t.kept) - tailBytes; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(b), nil
}

// lastLine is the last line that is not empty.
func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.kept))
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = strings.TrimSpace(text[i:])
	}
	return text
}

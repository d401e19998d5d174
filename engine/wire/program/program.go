// Package program runs external programs: players that a match starts for a game and ends
// after it. [Program] is a running program; [Tree] measures and kills its processes.
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
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	tailBytes    = 4 << 10         // bytes at the end of a program's output that are stored
	maxOutput    = 1 << 20         // bytes that are passed on to Config.Output
	pipeDelay    = 2 * time.Second // the maximum wait for output after the program has ended
	scanInterval = time.Second     // long, because a scan reads all processes of the machine
)

// Usage is the processor time of a program and its memory in bytes, now and at its peak.
type Usage struct {
	CPU         time.Duration
	Space, Peak uint64
}

type Config struct {
	// Command is a command line for the system's shell; if it is "", Args[0] is the program.
	Command string
	// Args are added to the command line, without changes by the shell.
	Args []string
	Env  []string // added to the environment, as KEY=value
	// Output receives the first maxOutput bytes of standard output and standard error; nil discards them.
	Output io.Writer
	// In and Out, if not nil, become the program's standard input and output. With Out, Output
	// receives only standard error. Start closes both in this process, also if it fails.
	In, Out *os.File
	// Network, an IPv4 address of the loopback device like 127.0.0.1:5000, gives the program its
	// own network, which contains only Program.Listener at this address.
	Network string
}

// Startable returns an error if the program of a command line does not exist or is not
// executable. It accepts a first word with special characters, which only the shell can interpret.
func Startable(command string) error {
	word, plain := firstWord(command)
	if !plain {
		return nil
	}
	hint := ""
	if filepath.Ext(word) == ".py" {
		hint = fmt.Sprintf("; write %q", "cmd:python3 "+word)
	}
	if !strings.ContainsRune(word, filepath.Separator) {
		if _, err := exec.LookPath(word); err == nil || errors.Is(err, exec.ErrDot) || shellKnows(word) {
			return nil
		}
		return fmt.Errorf("%s: no such program on the PATH%s", word, hint)
	}
	switch st, err := os.Stat(word); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such program", word)
	case err != nil:
		return err
	case !st.Mode().IsRegular() || !mayRun(st):
		return fmt.Errorf("%s: not a program, or not executable%s", word, hint)
	}
	return nil
}

// firstWord returns the word of a command line that names the program, after settings of variables.
// plain reports whether the word and the settings contain no special characters.
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

// Start starts a program. When ctx or the program ends, all processes of its [Tree] are killed.
// Start closes cfg.In and cfg.Out, also if it fails.
func Start(ctx context.Context, cfg Config) (*Program, error) {
	for _, f := range []*os.File{cfg.In, cfg.Out} {
		if f != nil {
			defer f.Close()
		}
	}
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
	if cfg.In != nil { // a nil *os.File in an interface would not be nil
		p.cmd.Stdin = cfg.In
	}
	if cfg.Out != nil {
		p.cmd.Stdout = cfg.Out
	}
	p.cmd.WaitDelay = pipeDelay
	watched := make(chan struct{})
	p.cmd.Cancel = func() error {
		select {
		case <-watched:
			p.tree.Kill()
			return nil
		default: // p.tree is not set yet
			return p.cmd.Process.Kill()
		}
	}
	detach(p.cmd)
	var err error
	if cfg.Network != "" {
		if p.ln, err = startInNetwork(p.cmd, cfg.Network); err != nil {
			return nil, fmt.Errorf("program: own network: %w", cmp.Or(ctx.Err(), err))
		}
	} else if err = p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	p.tree = NewTree(p.cmd.Process.Pid)
	close(watched)
	go func() {
		p.err = p.cmd.Wait()
		p.tree.Kill()
		close(p.done)
	}()
	go p.scanAtIntervals()
	return p, nil
}

// scanAtIntervals scans the tree until the program has ended.
func (p *Program) scanAtIntervals() {
	t := time.NewTicker(scanInterval)
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

// Listener returns the listener in the program's own network; the caller closes it.
func (p *Program) Listener() net.Listener { return p.ln }

func (p *Program) Tree() *Tree { return p.tree }

// Done returns a channel that is closed when the program has ended and its tree has been killed.
func (p *Program) Done() <-chan struct{} { return p.done }

// Failed returns an error that wraps an [*exec.ExitError], with the last line of output if there is one,
// if the program has ended without success or was killed. It returns nil while the program runs.
func (p *Program) Failed() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	if exit := new(exec.ExitError); errors.As(p.err, &exit) {
		return p.exitError(exit)
	}
	return nil
}

// Exited is like Failed, but after a success it returns an error that wraps no [*exec.ExitError].
func (p *Program) Exited() error {
	select {
	case <-p.done:
	default:
		return nil
	}
	return cmp.Or(p.Failed(), p.exitError(errors.New("exit status 0")))
}

// exitError returns an error that wraps status and contains the last line of output, if there is one.
func (p *Program) exitError(status error) error {
	if line := p.out.lastLine(); line != "" {
		return fmt.Errorf("the program ended with %w: %s", status, line)
	}
	return fmt.Errorf("the program ended with %w", status)
}

// End waits up to grace for the program to end and then kills it. It returns when the program has ended.
func (p *Program) End(grace time.Duration) {
	select {
	case <-p.done:
		return
	case <-time.After(grace):
	}
	p.tree.Kill()
	<-p.done
}

// tail stores the end of the output and passes the beginning on.
type tail struct {
	mu     sync.Mutex
	kept   []byte    // the last tailBytes bytes
	next   io.Writer // receives the first maxOutput bytes; nil if there is none
	passed int       // number of bytes written to next
}

// Write never fails, because a write error would end the program.
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

// pythonPlace finds the last place of a Python traceback at the end of the output.
var pythonPlace = regexp.MustCompile(`(?s)^(?:.*\n)? *File "([^"\n]*)", (line \d+)[^\n]*\n(?: [^\n]*\n)*[^ \n][^\n]*$`)

// lastLine returns the last line of the output that is not empty, or "", and after the error of a Python
// program the place in it.
func (t *tail) lastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.TrimSpace(string(t.kept))
	place := ""
	if m := pythonPlace.FindStringSubmatch(text); m != nil {
		place = fmt.Sprintf(" (%s, %s)", filepath.Base(m[1]), m[2])
	}
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]) + place
}

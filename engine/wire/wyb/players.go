package wyb

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"endwise/engine"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

//go:embed host.py
var hostSource string

// NewPython returns a player for a Python module with a Player class: the
// path of its file, or a module name that is looked for here and on the
// module path. The module runs in a process of its own under python, "" for
// python3.
func NewPython(python, module string, limits Limits, log io.Writer) (*Process, error) {
	python = cmp.Or(python, "python3")
	program, err := exec.LookPath(python)
	if err != nil {
		return nil, fmt.Errorf("py:%s: no %s on the PATH: install Python 3 or name it", module, python)
	}
	dir, name := ".", module
	file := module
	if !strings.HasSuffix(file, ".py") {
		file += ".py"
	}
	st, err := os.Stat(file)
	switch {
	case err == nil && st.Mode().IsRegular():
		dir, name = filepath.Dir(file), strings.TrimSuffix(filepath.Base(file), ".py")
	case strings.HasSuffix(module, ".py"), strings.ContainsRune(module, filepath.Separator):
		return nil, fmt.Errorf("py:%s: there is no file %s: give the path of a Python file with a class Player", module, file)
	}
	if name == "" {
		return nil, fmt.Errorf("py:%s: want a Python file or module after the colon", module)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	return &Process{
		Label:  "py:" + module,
		Argv:   []string{program, "-c", hostSource, dir, name},
		Limits: limits, Log: log,
	}, nil
}

// NewCommand returns a player for a command line that speaks the line
// protocol, run by the shell.
func NewCommand(command string, limits Limits, log io.Writer) (*Process, error) {
	if strings.TrimSpace(command) == "" {
		return nil, errors.New("cmd: want a command after the colon")
	}
	return &Process{Label: "cmd:" + engine.OneLine(command, 60), Argv: []string{"/bin/sh", "-c", command}, Limits: limits, Log: log}, nil
}

// Local is a player inside this process that keeps to the limits of a
// competition.
type Local struct {
	engine.Player
	Limits Limits
	// Pace sets the clock of each move; the zero value leaves the arena's.
	Pace Pace

	mu   sync.Mutex
	cpu  time.Duration
	most uint64
}

// Choose asks the player. What this process does at the same time counts as the
// player's.
func (l *Local) Choose(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
	before := program.OwnCPU()
	if q, ok := p.(watchyourback.Position); ok && l.Pace != (Pace{}) {
		c = l.Pace.Clock(q, l.Used().CPU)
	}
	d, err := l.Player.Choose(ctx, p, c)
	l.mu.Lock()
	l.cpu += program.OwnCPU() - before
	l.mu.Unlock()
	if err == nil {
		err = l.Limits.check(l.Used())
	}
	return d, err
}

// Used is what the player has used. The memory is that of the whole process.
func (l *Local) Used() program.Usage {
	now := program.OwnSpace()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.most = max(l.most, now)
	return program.Usage{CPU: l.cpu, Space: now, Peak: l.most}
}

// Human plays from a terminal: actions are typed in the notation (x,y),
// (xa,ya)->(xb,yb) or None, and illegal ones are asked for again; quit gives the
// game up, help says what can be typed.
type Human struct {
	In   *bufio.Reader
	Out  io.Writer
	Side engine.Side
}

// Name is "human".
func (h *Human) Name() string { return "human" }

// Patience has no end.
func (h *Human) Patience(time.Duration, bool) time.Duration { return 0 }

// Choose asks for an action. The end of the input gives the game up.
func (h *Human) Choose(ctx context.Context, p engine.Position, _ engine.Clock) (engine.Decision, error) {
	for {
		fmt.Fprintf(h.Out, "%s to play> ", colour(h.Side))
		typed := make(chan reply, 1)
		go func() {
			line, err := h.In.ReadBytes('\n')
			typed <- reply{line, err}
		}()
		select {
		case <-ctx.Done():
			return engine.Decision{}, ctx.Err()
		case r := <-typed:
			text := string(r.line)
			word := strings.TrimSpace(text)
			if r.err != nil && word == "" {
				return engine.Decision{}, crashed("%s gave up: end of input", colour(h.Side))
			}
			switch word {
			case "quit", "exit":
				return engine.Decision{}, crashed("%s gave up", colour(h.Side))
			case "help":
				fmt.Fprintf(h.Out, "an action, for instance %s; or quit\n", ActionOf(p.Moves()[0]))
				continue
			}
			m, err := p.ParseMove(text)
			if err != nil {
				fmt.Fprintf(h.Out, "%v\n", err)
				continue
			}
			return engine.Decision{Move: p.MoveString(m)}, nil
		}
	}
}

// Observe shows the opponent's action.
func (h *Human) Observe(_ context.Context, by engine.Side, m engine.Move, _ engine.Position) error {
	if by == h.Side {
		return nil
	}
	_, err := fmt.Fprintf(h.Out, "the opponent played %s\n", ActionOf(m))
	return err
}

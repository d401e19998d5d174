package wyb

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

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
	if python == "" {
		python = "python3"
	}
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
	if name == "" || strings.ContainsAny(name, " -") {
		return nil, fmt.Errorf("py:%s: %q is no name that Python can import: rename the file", module, name)
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

// Human plays from a terminal: actions are typed in the notation (x,y),
// (xa,ya)->(xb,yb) or None, and illegal ones are asked for again.
type Human struct {
	In  *bufio.Reader
	Out io.Writer
}

// Name implements Competitor.
func (h *Human) Name() string { return "human" }

// Start implements Competitor.
func (h *Human) Start(context.Context, engine.Side, bool) error { return nil }

// Act implements Competitor. The end of the input gives the game up.
func (h *Human) Act(ctx context.Context, p watchyourback.Position) (Action, error) {
	type typed struct {
		line string
		err  error
	}
	for {
		fmt.Fprintf(h.Out, "%s to play> ", colour(p.Turn()))
		got := make(chan typed, 1)
		go func() {
			line, err := h.In.ReadString('\n')
			got <- typed{line, err}
		}()
		select {
		case <-ctx.Done():
			return Action{}, ctx.Err()
		case t := <-got:
			if t.err != nil && strings.TrimSpace(t.line) == "" {
				return Action{}, failure(Crashed, "%s gave up: end of input", colour(p.Turn()))
			}
			m, err := p.ParseMove(t.line)
			if err != nil {
				fmt.Fprintf(h.Out, "%v\n", err)
				continue
			}
			return ActionOf(m), nil
		}
	}
}

// Update implements Competitor.
func (h *Human) Update(_ context.Context, a Action, _ watchyourback.Position) error {
	_, err := fmt.Fprintf(h.Out, "the opponent played %s\n", a)
	return err
}

// End implements Competitor.
func (h *Human) End(engine.Side) {}

// Used implements Competitor.
func (h *Human) Used() program.Usage { return program.Usage{} }

// Close implements Competitor.
func (h *Human) Close() error { return nil }

//go:build unix

package lines

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/dotsandboxes"
	"endwise/engine/testenv"
)

// A process that is killed or stopped is started again once; after that there
// is none. Each is said once, and no question waits for long.
func TestChild(t *testing.T) {
	said := make(chan string, 9)
	c, err := Start(t.Context(), func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asChild+"=1")
		return cmd
	}, func(why string) { said <- why })
	testenv.OK(t, err)
	defer c.Close()
	pos, err := dotsandboxes.Game{}.Parse("3x3 h0,1 v1,2")
	testenv.OK(t, err)
	var soFar engine.SoFar
	ask := func(ctx context.Context) error {
		a := <-engine.Ask(ctx, c, pos, engine.ClockFor(5*time.Second), 0, soFar.Hear).Answer
		return a.Err
	}
	testenv.OK(t, ask(t.Context()))
	if _, m, ok := soFar.Move(pos); !ok || m != pos.Moves()[1] {
		t.Errorf("line %d so far, %v", m, ok)
	}
	testenv.OK(t, c.process().cmd.Process.Kill())
	if err := ask(t.Context()); err != nil { // of the next one
		t.Error(err)
	}
	if why := <-said; why != "it ended: signal: killed; it is started again" {
		t.Error(why)
	}
	testenv.OK(t, c.process().cmd.Process.Signal(syscall.SIGSTOP))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("of a process that is stopped: %v", err)
	}
	if took := time.Since(start); took < patience {
		t.Errorf("given up after %v", took)
	}
	if why := <-said; why != "it gave no answer in time; moves are chosen without it" {
		t.Error(why)
	}
	if err := ask(t.Context()); !errors.Is(err, ErrGone) {
		t.Errorf("when there is none: %v", err)
	}
	c.Ponder(t.Context(), pos)
	if len(said) > 0 {
		t.Error(<-said)
	}
}

// A process that ends before it answers is an error, and nothing is said.
func TestChildThatDoesNotStart(t *testing.T) {
	for _, command := range []string{"exit 7", "./no-such-program"} {
		_, err := Start(t.Context(), func() *exec.Cmd { return exec.Command("sh", "-c", command) }, func(why string) { t.Error(why) })
		if exit := new(exec.ExitError); !errors.As(err, &exit) {
			t.Errorf("%s: %v", command, err)
		}
	}
	if _, err := Start(t.Context(), func() *exec.Cmd { return exec.Command("./no-such-program") }, nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}

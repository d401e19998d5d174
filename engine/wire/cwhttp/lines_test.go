package cwhttp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"endwise/engine"
)

// asked runs AnswerLines on pipes.
type asked struct {
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func ask(ctx context.Context, p engine.Player) asked {
	inRead, in := io.Pipe()
	outRead, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- AnswerLines(ctx, inRead, out, p, true)
		out.Close()
		inRead.Close()
	}()
	return asked{in, bufio.NewReader(outRead), done}
}

func (a asked) answer(t *testing.T) (id int64, move string) {
	t.Helper()
	line, err := a.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		ID    int64
		Move  string
		Error string
	}
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return v.ID, v.Move + v.Error
}

func TestAnswerLines(t *testing.T) {
	turn := statusOf(t, 201, "")
	thinking := make(chan struct{}, 1)
	player := playerFunc(func(ctx context.Context, p engine.Position, c engine.Clock) (engine.Decision, error) {
		d, _ := c.Remaining()
		asked := p.(interface{ Left() int }).Left() == 2 // the question with a time
		if asked != (d > DefaultMoveTime) || d <= 0 {
			t.Errorf("a clock of %v", d)
		}
		if asked {
			thinking <- struct{}{}
			<-ctx.Done() // thinks until it is stopped
		}
		return first(ctx, p, c)
	})
	a := ask(t.Context(), player)
	fmt.Fprintf(a.in, `{"id": 1, "status": %s, "time_ms": 3600000}`+"\n", turn)
	<-thinking
	// The next question stops the thinking; the answer is given all the same.
	half := statusOf(t, 202, "0,0,top 1,0,top 0,0,left 1,0,right 0,0,bottom 0,0,right")
	go fmt.Fprintf(a.in, `{"id": 2, "status": %s}`+"\n", half)
	if id, move := a.answer(t); id != 1 || move != "0,0,top" {
		t.Errorf("answer %d %s", id, move)
	}
	if id, move := a.answer(t); id != 2 || move != "1,0,bottom" {
		t.Errorf("answer %d %s", id, move)
	}
	a.in.Close()
	if err := <-a.done; err != nil {
		t.Error(err)
	}

	// So it does where both come at once.
	for range 50 {
		a = ask(t.Context(), player)
		go fmt.Fprintf(a.in, `{"id": 1, "status": %s, "time_ms": 3600000}`+"\n"+`{"id": 2, "status": %s}`+"\n", turn, half)
		if id, move := a.answer(t); id != 1 || move != "0,0,top" {
			t.Fatalf("answer %d %s", id, move)
		}
		<-thinking
		if id, _ := a.answer(t); id != 2 {
			t.Fatalf("answer %d", id)
		}
		a.in.Close()
		if err := <-a.done; err != nil {
			t.Fatal(err)
		}
	}

	// A question longer than anything a server sends ends the conversation.
	a = ask(t.Context(), player)
	go io.WriteString(a.in, strings.Repeat("x", maxQuestionBytes+1))
	if err := <-a.done; err == nil || !strings.Contains(err.Error(), "a line longer than") {
		t.Errorf("an endless line: %v", err)
	}

	// An interrupt ends it while it thinks and while it waits.
	for _, busy := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		a = ask(ctx, player)
		if busy {
			go io.Copy(io.Discard, a.out)
			fmt.Fprintf(a.in, `{"id": 1, "status": %s, "time_ms": 3600000}`+"\n", turn)
			<-thinking
		}
		cancel()
		if err := <-a.done; !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
	}
}

package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

// player plays the first move at once, but on a board of one square only when it
// is told to stop.
type player struct {
	t         *testing.T
	thinking  chan time.Duration // what it had for a long thought
	pondering atomic.Int32
}

func (*player) Name() string { return "player" }

func (p *player) Choose(ctx context.Context, pos engine.Position, c engine.Clock) (engine.Decision, error) {
	if p.pondering.Load() != 0 {
		p.t.Error("asked while it ponders")
	}
	if left, _ := c.Remaining(); pos.(dotsandboxes.Position).Board().Rows == 1 {
		p.thinking <- left
		<-ctx.Done()
	}
	return engine.Decision{Move: pos.MoveString(pos.Moves()[0])}, nil
}

func (p *player) Ponder(ctx context.Context, _ engine.Position) {
	p.pondering.Add(1)
	<-ctx.Done()
	p.pondering.Add(-1)
}

// served is a Serve on pipes.
type served struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

func serve(t *testing.T, ctx context.Context, p engine.Player) served {
	inRead, in := io.Pipe()
	outRead, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, inRead, out, dotsandboxes.Game{}, p, true)
		out.Close()
		inRead.Close()
	}()
	return served{t, in, bufio.NewReader(outRead), done}
}

func (s served) says(want string) {
	s.t.Helper()
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	var v struct {
		ID          int64
		Move, Error string
	}
	if err := json.Unmarshal(line, &v); err != nil {
		s.t.Fatalf("%v: %s", err, line)
	}
	if got := fmt.Sprintf("%d %s%s", v.ID, v.Move, v.Error); got != want {
		s.t.Errorf("answer %q, want %q", got, want)
	}
}

func TestServe(t *testing.T) {
	p := &player{t: t, thinking: make(chan time.Duration, 1)}
	s := serve(t, t.Context(), p)
	// A question that comes while another one is thought about has its own answer.
	fmt.Fprintln(s.in, `{"id":1,"position":"1x1","time_ms":3600000}`)
	if left := <-p.thinking; left < 50*time.Minute || left > maxTime {
		t.Errorf("%v to think", left)
	}
	fmt.Fprintln(s.in, `{"id":2,"position":"2x2 h0,0"}`)
	s.says("2 h0,1")
	fmt.Fprintln(s.in, `{"id":9,"stop":true}`) // nothing to stop
	fmt.Fprintln(s.in, `{"id":1,"stop":true}`)
	s.says("1 h0,0")
	// Pondering ends with the next line, and before that is answered.
	for i := range 3 {
		fmt.Fprintf(s.in, `{"id":%d,"position":"2x2","ponder":true}`+"\n", 2*i)
		for p.pondering.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		go fmt.Fprintf(s.in, `{"id":%d,"position":"2x2","time_ms":600000}`+"\n", 2*i+1)
		s.says(fmt.Sprint(2*i, " "))
		s.says(fmt.Sprint(2*i+1, " h0,0"))
	}
	s.in.Close()
	if err := <-s.done; err != nil {
		t.Error(err)
	}

	s = serve(t, t.Context(), p)
	go io.WriteString(s.in, strings.Repeat("x", maxLine+1))
	if err := <-s.done; err == nil || !strings.Contains(err.Error(), "a line longer than") {
		t.Errorf("an endless line: %v", err)
	}

	// An interrupt ends it while it thinks and while it waits.
	for _, busy := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		s = serve(t, ctx, p)
		if busy {
			go io.Copy(io.Discard, s.out)
			fmt.Fprintln(s.in, `{"id":1,"position":"1x1","time_ms":3600000}`)
			<-p.thinking
		}
		cancel()
		if err := <-s.done; !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
	}
}

// improver says a move before its answer.
type improver struct{ player }

func (*improver) ChooseImproving(_ context.Context, pos engine.Position, _ engine.Clock, improved func(engine.Decision)) (engine.Decision, error) {
	moves := pos.Moves()
	improved(engine.Decision{Move: pos.MoveString(moves[1])})
	return engine.Decision{Move: pos.MoveString(moves[0])}, nil
}

// What would be played so far is told to those who ask for it.
func TestSoFar(t *testing.T) {
	s := serve(t, t.Context(), &improver{player{t: t}})
	fmt.Fprintln(s.in, `{"id":1,"position":"2x2","improve":true}`)
	s.says("1 h0,1")
	s.says("1 h0,0")
	fmt.Fprintln(s.in, `{"id":2,"position":"2x2"}`)
	s.says("2 h0,0")
	s.in.Close()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

// Whatever questions come, each is answered with one line: a legal move or an
// error.
func FuzzServe(f *testing.F) {
	f.Add(`{"id":1,"position":{"status_code":201,"score_1":0,"score_2":0,"board":[[0]],"last_move":"","time_left":3000,"board_size":1},"time_ms":10}`)
	f.Add(`{"id":-1,"time_ms":-5}
{"id":"x"}
{"position":{"status_code":201,"score_1":9,"score_2":0,"board":[[0,63],[1]],"board_size":2}}
{"id":2,"position":"2x2","ponder":true}
{"id":2,"stop":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		level, err := levels.New(1, 1)
		testenv.OK(t, err)
		var out bytes.Buffer
		if err := Serve(t.Context(), strings.NewReader(text), &out, circuitwars.Game{}, level, true); err != nil && len(text) <= maxLine {
			t.Fatal(err)
		}
		if len(text) > maxLine {
			return
		}
		asked := map[int64][]Question{} // by id
		for line := range strings.Lines(text) {
			var q Question
			if json.Unmarshal([]byte(line), &q) != nil {
				q = Question{} // answered with an error that has no id
			}
			if !q.Stop {
				asked[q.ID] = append(asked[q.ID], q)
			}
		}
		for line := range strings.Lines(out.String()) {
			var a Answer
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			questions := asked[a.ID]
			if len(questions) == 0 {
				t.Fatalf("%q to %q: an answer too many", line, text)
			}
			asked[a.ID] = questions[1:]
			if a.Decision == nil || len(questions) > 1 {
				continue
			}
			p, err := questions[0].position(circuitwars.Game{})
			if err != nil {
				t.Fatalf("%q to %q: %v", line, text, err)
			}
			if _, err := p.ParseMove(a.Move); err != nil {
				t.Fatalf("%q to %q: %v", line, text, err)
			}
		}
		for id, left := range asked {
			if len(left) > 0 {
				t.Fatalf("%d questions of %q with id %d have no answer: %q", len(left), text, id, &out)
			}
		}
	})
}

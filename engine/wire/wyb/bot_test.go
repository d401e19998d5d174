package wyb

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/engine/wire/program"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var (
	_ arena.Observer = (*Process)(nil)
	_ arena.Finisher = (*Process)(nil)
)

func TestActionJSON(t *testing.T) {
	for _, c := range []struct {
		text string
		want Action
		bad  string
	}{
		{"null", Action{given: true}, ""},
		{"[3,4]", Action{true, 2, [4]int{3, 4}}, ""},
		{" [[1, 2], [1,3]] ", Action{true, 4, [4]int{1, 2, 1, 3}}, ""},
		{"[-1,99]", Action{true, 2, [4]int{-1, 99}}, ""},
		{"[3]", Action{}, "want [x,y]"},
		{"[1,2,3]", Action{}, "want [x,y]"},
		{"[[1,2]]", Action{}, "want [x,y]"},
		{"[[1,2],[3,4,5]]", Action{}, "want [x,y]"},
		{`"(3,4)"`, Action{}, "want [x,y]"},
		{"[3.0,4]", Action{true, 2, [4]int{3, 4}}, ""},
		{"[3e0,4]", Action{true, 2, [4]int{3, 4}}, ""},
		{`["3"," 4 "]`, Action{true, 2, [4]int{3, 4}}, ""},
		{`[[1,2],[1,"3"]]`, Action{true, 4, [4]int{1, 2, 1, 3}}, ""},
		{"[3.5,4]", Action{}, "3.5 is not a whole number"},
		{`[[1,2],[1,"x"]]`, Action{}, `"x" is not a whole number`},
		{"[null,4]", Action{}, "null is not a whole number"},
		{"[[1,2],3]", Action{}, "want [x,y]"},
		{"[3,99999999999999999999]", Action{}, "not a whole number"},
		{"{}", Action{}, "want [x,y]"},
		{"true", Action{}, "want [x,y]"},
	} {
		var a Action
		err := json.Unmarshal([]byte(c.text), &a)
		if c.bad == "" {
			if err != nil || a != c.want {
				t.Errorf("%s: %v, %v", c.text, a, err)
			}
			data, err := json.Marshal(a)
			var b Action
			if err != nil || json.Unmarshal(data, &b) != nil || a != b {
				t.Errorf("%s is written %s", c.text, data)
			}
		} else if err == nil || !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%s: error %v, want %q", c.text, err, c.bad)
		}
	}
	for _, m := range []engine.Move{watchyourback.Forfeit, watchyourback.Place(13), watchyourback.Step(10, 18)} {
		if got, err := ActionOf(m).Move(); err != nil || got != m {
			t.Errorf("move %d becomes %d, %v", m, got, err)
		}
	}
}

// talk lets a bot serve on pipes. ask sends a line and returns the answer; end closes the
// input.
func talk(t *testing.T, b *Bot) (ask func(line string) string, end func()) {
	t.Helper()
	toBot, in := io.Pipe()
	out, fromBot := io.Pipe()
	served := make(chan error, 1)
	go func() {
		err := b.Serve(t.Context(), toBot, fromBot)
		fromBot.CloseWithError(err)
		served <- err
	}()
	answers := bufio.NewReader(out)
	ask = func(line string) string {
		t.Helper()
		_, err := io.WriteString(in, line+"\n")
		testenv.OK(t, err)
		answer, err := answers.ReadString('\n')
		testenv.OK(t, err)
		return strings.TrimSpace(answer)
	}
	return ask, func() {
		t.Helper()
		in.Close()
		if err := <-served; err != nil {
			t.Errorf("at the end of the input: %v", err)
		}
	}
}

// TestBot plays a whole game over the line protocol, through pipes.
func TestBot(t *testing.T) {
	l, err := levels.NewWatchYourBack("greedy", 3)
	testenv.OK(t, err)
	ask, end := talk(t, &Bot{Player: l})
	for _, c := range [][2]string{
		{`{"type":"action","turns":0}`, `before \"start\"`},
		{`{"type":"start","colour":"green"}`, `want white or black`},
		{"hello\n\n{\"hello\":1}\n" + `{"type":"dance"}`, `"type":"error"`},
		{`{"type":"start","colour":"black"}`, `{"type":"ready"}`},
		{`{"type":"action","turns":0}`, `it is white's turn`},
		{`{"type":"update"}`, `update without an action`},
		{`{"type":"update","action":[0,0]}`, `corner`},
		{`{"type":"update","action":null}`, `must place`},
		{`{"type":"sing"}`, `want start, action, update or end`},
		{`{"type":"update","action":[3,3]}`, `{"type":"ok"}`},
		{`{"type":"update","action":[3.5,3]}`, `3.5 is not a whole number`},
	} {
		if got := ask(c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
	p := watchyourback.New(false).Next(watchyourback.Place(8*3 + 3))
	other, err := levels.NewWatchYourBack("random", 5)
	testenv.OK(t, err)
	for !p.Over() {
		var a Action
		if p.Turn() == engine.Second {
			var m Message
			if err := json.Unmarshal([]byte(ask(`{"type":"action"}`)), &m); err != nil || m.Type != typeAction {
				t.Fatalf("%+v, %v", m, err)
			}
			a = m.Action
		} else {
			d, err := other.Choose(t.Context(), p, engine.Clock{})
			testenv.OK(t, err)
			m, err := p.ParseMove(d.Move)
			testenv.OK(t, err)
			a = ActionOf(m)
			data, err := json.Marshal(a)
			testenv.OK(t, err)
			if got := ask(`{"type":"update","action":` + string(data) + `}`); got != `{"type":"ok"}` {
				t.Fatal(got)
			}
		}
		m, err := a.Move()
		testenv.OK(t, err)
		p, err = p.PlayMove(m)
		testenv.OK(t, err)
	}
	end()
}

// A player that fails after it has proved a line follows the line.
func TestBotFollowsALine(t *testing.T) {
	line := []string{"(3,3)", "(4,4)", "(2,5)"}
	first := true
	ask, end := talk(t, &Bot{Player: enginetest.PlayerFunc(func(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
		if first {
			first = false
			return engine.Decision{Move: line[0], Proof: engine.Exact, Line: line}, nil
		}
		return engine.Decision{}, errors.New("no idea")
	})})
	for _, c := range [][2]string{
		{`{"type":"start","colour":"white"}`, `{"type":"ready"}`},
		{`{"type":"action"}`, `[3,3]`},
		{`{"type":"update","action":[4,4]}`, `{"type":"ok"}`},
		{`{"type":"action"}`, `[2,5]`},
		{`{"type":"update","action":[5,5]}`, `{"type":"ok"}`},
		{`{"type":"action"}`, `no idea`},
	} {
		if got := ask(c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
	end()
}

func TestPace(t *testing.T) {
	// A whole game of 400 turns stays within its time, whatever share of each move's time
	// is used.
	pace := &Spender{Pace: Pace{Game: time.Minute, Move: 3 * time.Second}}
	var used time.Duration
	for turn := range 24 + 400 {
		p := watchyourback.New(false)
		text := p.String()
		if turn >= 24 {
			n := turn - 24
			board := "X------X/--O-----/---O----/--------/-----@--/----@---/--------/X------X"
			switch {
			case n >= 192:
				board = "......../......../..X--X../..-O--../..O--@../..X-@X../......../........"
			case n >= 128:
				board = "......../.X----X./.-O----./.--O---./.------./.----@-./.X-@--X./........"
			}
			text = strings.Join([]string{board, "moving", strconv.Itoa(n)}, ":")
		} else if turn > 0 {
			text = strings.Replace(text, ":0", ":"+strconv.Itoa(turn), 1)
		}
		p, err := watchyourback.Parse(text)
		testenv.OK(t, err)
		c := pace.Clock(p, used)
		if c.MoveTime <= 0 || c.MoveTime > pace.Pace.Move {
			t.Fatalf("turn %d: %v", turn, c.MoveTime)
		}
		if turn == 30 && c.MoveTime < 200*time.Millisecond {
			t.Errorf("turn %d: only %v", turn, c.MoveTime)
		}
		if turn%2 == 0 {
			used += c.MoveTime
		}
	}
	if used > time.Minute {
		t.Errorf("%v used of a minute", used)
	}
	if c := (&Spender{}).Clock(watchyourback.New(false), 0); c != (engine.Clock{}) {
		t.Errorf("without limits: %+v", c)
	}
	// Without a limit for the game a move may use its own limit.
	if c := (&Spender{Pace: Pace{Move: time.Second}}).Clock(watchyourback.New(false), 0); c.MoveTime != time.Second || time.Until(c.Deadline) > time.Second {
		t.Errorf("a move's time alone: %+v", c)
	}
	// With a limit for the game a move may exceed its share, but not the limit of a move;
	// two threads use the time twice as fast.
	one, two := pace.Clock(watchyourback.New(false), 0), (&Spender{Pace: Pace{Game: time.Minute, Threads: 2}}).Clock(watchyourback.New(false), 0)
	if d := time.Until(one.Deadline); d <= one.MoveTime || d > pace.Pace.Move {
		t.Errorf("deadline in %v with %v to aim for", d, one.MoveTime)
	}
	if two.MoveTime != one.MoveTime/2 {
		t.Errorf("%v with two threads, %v with one", two.MoveTime, one.MoveTime)
	}
}

// burn uses processor time.
func burn(d time.Duration) {
	for end := program.OwnCPU() + d; program.OwnCPU() < end; {
	}
}

// On a busy machine the clock of a move is extended by the ratio of wall-clock to processor
// time, up to a limit, and shortened again when the machine is faster.
func TestBusyMachine(t *testing.T) {
	p := watchyourback.New(false)
	for _, threads := range []int{1, 2} {
		s := &Spender{Pace: Pace{Game: time.Minute, Move: 3 * time.Second, Threads: threads}}
		aim, limit := s.Pace.share(p, 0)
		if c := s.Clock(p, 0); c.MoveTime != aim {
			t.Errorf("%d threads: before the first move: %v to aim for, want %v", threads, c.MoveTime, aim)
		}
		spent := s.Spend(t.Context(), p, 0, func(_ context.Context, c engine.Clock) {
			begin, before := time.Now(), program.OwnCPU()
			burn(2 * minSample)
			for time.Since(begin) < 12*(program.OwnCPU()-before) { // other tests of the process may use time meanwhile
				time.Sleep(time.Millisecond)
			}
		})
		if spent < 2*minSample {
			t.Errorf("%d threads: %v spent, want %v", threads, spent, 2*minSample)
		}
		c := s.Clock(p, 0)
		if c.MoveTime != wallFactor*aim || time.Until(c.Deadline) <= wallFactor*aim || time.Until(c.Deadline) > wallFactor*limit {
			t.Errorf("%d threads: after a slow move: %v to aim for, deadline in %v; want %v and %v", threads, c.MoveTime, time.Until(c.Deadline), wallFactor*aim, wallFactor*limit)
		}
		if longest := s.Pace.longest(); time.Until(c.Deadline) > longest {
			t.Errorf("%d threads: deadline in %v, at most %v", threads, time.Until(c.Deadline), longest)
		}
		s.Spend(t.Context(), p, 0, func(context.Context, engine.Clock) { time.Sleep(minSample) }) // asleep: shows nothing about the speed
		if again := s.Clock(p, 0); again.MoveTime != c.MoveTime {
			t.Errorf("%d threads: %v to aim for after a move of no processor time, want %v", threads, again.MoveTime, c.MoveTime)
		}
	}
	// Without a limit for the game, a move's limit is wall-clock time on any machine.
	s := &Spender{Pace: Pace{Move: time.Second}, wall: time.Second, cpu: time.Millisecond}
	if c := s.Clock(p, 0); c.MoveTime != time.Second {
		t.Errorf("without a game's time: %v to aim for, want 1s", c.MoveTime)
	}
}

// A player that uses all of its clock is stopped at the limit of processor time.
func TestProcessorTimeEndsAMove(t *testing.T) {
	s := &Spender{Pace: Pace{Game: time.Second, Move: 20 * time.Millisecond}, wall: time.Second, cpu: time.Millisecond}
	stopped := false
	s.Spend(t.Context(), watchyourback.New(false), 0, func(ctx context.Context, c engine.Clock) {
		for end := program.OwnCPU() + time.Minute; !stopped && program.OwnCPU() < end; {
			stopped = ctx.Err() != nil
		}
	})
	if !stopped {
		t.Error("a minute of processor time did not end the move")
	}
}

// ponderer answers its own positions with the first move and thinks about the opponent's
// until it is stopped.
type ponderer struct {
	side      engine.Side
	pondering chan watchyourback.Position
	inside    atomic.Int32
}

func (p *ponderer) Name() string { return "ponderer" }

func (p *ponderer) Choose(_ context.Context, pos engine.Position, _ engine.Clock) (engine.Decision, error) {
	if p.inside.Add(1) > 1 {
		return engine.Decision{}, errors.New("asked twice at once")
	}
	defer p.inside.Add(-1)
	return engine.Decision{Move: pos.MoveString(pos.Moves()[0])}, nil
}

func (p *ponderer) Ponder(ctx context.Context, pos engine.Position) {
	if p.inside.Add(1) > 1 || pos.Turn() == p.side {
		panic("asked to ponder while it thinks, or its own turn")
	}
	defer p.inside.Add(-1)
	p.pondering <- pos.(watchyourback.Position)
	<-ctx.Done()
}

// TestPonder lets a bot think in the opponent's time: about the opponent's position, until
// the next message, and without output.
func TestPonder(t *testing.T) {
	player := &ponderer{side: engine.First, pondering: make(chan watchyourback.Position, 1)}
	asked, end := talk(t, &Bot{Player: player, Ponder: true})
	ask := func(line, want string) {
		t.Helper()
		if got := asked(line); !strings.Contains(got, want) {
			t.Fatalf("%s: %q, want %s", line, got, want)
		}
	}
	ask(`{"type":"start","colour":"white"}`, typeReady)
	for turn := range 3 {
		ask(`{"type":"action"}`, `"action":[`)
		if p := <-player.pondering; p.Turns() != 2*turn+1 || p.Turn() != engine.Second {
			t.Fatalf("turn %d: it thinks about %s", turn, p)
		}
		ask(`{"type":"update","action":[`+strconv.Itoa(turn+1)+`,7]}`, typeOK)
	}
	ask(`{"type":"action"}`, `"action":[`)
	<-player.pondering
	end()
}

// shim writes a shim and returns its directory and the interpreter.
func shim(t *testing.T, dir string, arguments ...string) (python string) {
	t.Helper()
	python = testenv.Program(t, "python3")
	source := Shim(arguments, Pace{Move: 3 * time.Second})
	if !strings.Contains(source, ShimMark) {
		t.Error("the mark is missing")
	}
	testenv.OK(t, os.MkdirAll(dir, 0o700))
	testenv.OK(t, os.WriteFile(filepath.Join(dir, ShimName), []byte(source), 0o600))
	return python
}

// Arguments with unusual characters are quoted correctly in Python, and the program is the
// one next to the module.
func TestShimSource(t *testing.T) {
	store, dir := "/tmp/with \"quotes\" and \\ and ünï\U0001F600/store", t.TempDir()
	python := shim(t, dir, "bot", store)
	cmd := exec.Command(python, "-c", "import endwise_player as e, sys; sys.stdout.buffer.write(('%s|%s|%g' % (e.BINARY, e.ARGUMENTS[1], e.ANSWER)).encode('utf-8'))")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != filepath.Join(dir, "endwise")+"|"+store+"|10" {
		t.Errorf("%s, %v", out, err)
	}
}

// followGame passes a game to the shim's own rules. It prints the legal actions and the
// board after every action, and every few actions the shim's choice.
const followGame = `
import endwise_player as e, json, sys
g = e.Game()
def show(n):
    board = "\n".join(" ".join(g.at.get((x, y), " ") for x in range(8)) for y in range(8)) + "\n"
    choice = g.choose() if n % 12 == 0 else None
    print(json.dumps({"actions": g.actions(), "board": board, "choice": choice}))
show(0)
for n, line in enumerate(sys.stdin):
    g.play(e._tuples(json.loads(line)))
    show(n + 1)
`

// The shim's own rules agree with the game's through both shrinks, and its choice has the
// best balance of pieces after the opponent's best answer.
func TestShimRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	python := shim(t, dir)
	for _, seed := range []uint64{0, 2} { // game 0 ends with the second shrink, game 2 well after it
		rng := rand.New(rand.NewPCG(seed, 1))
		var told strings.Builder
		positions := []watchyourback.Position{watchyourback.New(true)}
		for p := positions[0]; !p.Over() && len(positions) < watchyourback.PlacingTurns+watchyourback.SecondShrink+40; {
			moves := p.Moves()
			m := moves[rng.IntN(len(moves))]
			for _, other := range moves[:min(3, len(moves))] { // not too short
				if s := p.Next(other).Score(); s[0]+s[1] > p.Next(m).Score()[0]+p.Next(m).Score()[1] {
					m = other
				}
			}
			data, err := json.Marshal(ActionOf(m))
			testenv.OK(t, err)
			fmt.Fprintf(&told, "%s\n", data)
			p = p.Next(m)
			positions = append(positions, p)
		}
		cmd := exec.Command(python, "-c", followGame)
		cmd.Dir, cmd.Stdin, cmd.Stderr = dir, strings.NewReader(told.String()), os.Stderr
		out, err := cmd.Output()
		testenv.OK(t, err)
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != len(positions) {
			t.Fatalf("%d lines for %d positions", len(lines), len(positions))
		}
		if n := len(positions) - 1; n < watchyourback.PlacingTurns+watchyourback.SecondShrink {
			t.Errorf("game %d has only %d actions", seed, n)
		}
		for i, p := range positions {
			var got struct {
				Actions []Action
				Board   string
				Choice  Action
			}
			testenv.OK(t, json.Unmarshal([]byte(lines[i]), &got))
			if got.Board != p.Board() {
				t.Fatalf("game %d, action %d: it sees\n%swant\n%s", seed, i, got.Board, p.Board())
			}
			if p.Over() {
				break
			}
			want := map[Action]bool{}
			for _, m := range p.Moves() {
				want[ActionOf(m)] = true
			}
			for _, a := range got.Actions {
				if !want[a] {
					t.Errorf("game %d, action %d: %s is not legal in %s", seed, i, a, p)
				}
			}
			if len(got.Actions) != len(want) {
				t.Errorf("game %d, action %d: %d actions, want %d", seed, i, len(got.Actions), len(want))
			}
			if i%12 != 0 {
				continue
			}
			m, err := got.Choice.Move()
			if err != nil || !want[got.Choice] {
				t.Fatalf("game %d, action %d: it chooses %s in %s", seed, i, got.Choice, p)
			}
			if best, of := afterAnswer(p, p.Moves()...), afterAnswer(p, m); of != best {
				t.Errorf("game %d, action %d: %s leaves %+d pieces after the best answer, the best action %+d", seed, i, got.Choice, of, best)
			}
		}
	}
}

// afterAnswer returns the best balance of pieces that any of the moves leaves after the
// best answer.
func afterAnswer(p watchyourback.Position, moves ...engine.Move) int {
	balance := func(q watchyourback.Position) int {
		s := q.Score()
		return s[p.Turn()-1] - s[p.Turn().Other()-1]
	}
	best := -100
	for _, m := range moves {
		q := p.Next(m)
		worst := balance(q)
		for i, answer := range q.Moves() {
			if b := balance(q.Next(answer)); i == 0 || b < worst {
				worst = b
			}
		}
		best = max(best, worst)
	}
	return best
}

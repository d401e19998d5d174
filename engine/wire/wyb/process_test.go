//go:build linux

package wyb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/wire/program"
	"endwise/engine/wire/wyb"
)

// buffer is a bytes.Buffer for several goroutines.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// process returns a participant that plays one game as the given process.
func process(p *wyb.Process) arena.Participant {
	return arena.Participant{Name: p.Label, Open: func(ctx context.Context, s arena.Setup) (engine.Player, error) { return p, p.Start(ctx, s) }}
}

// level returns a built-in opponent.
func level(name string) arena.Participant {
	return arena.Participant{Name: name, Open: func(context.Context, arena.Setup) (engine.Player, error) {
		l, err := levels.NewWatchYourBack(name, 1)
		return &wyb.Local{Player: l}, err
	}}
}

// against plays a game of a process as White against a built-in opponent.
func against(t *testing.T, p *wyb.Process) (res wyb.Result, printed string) {
	t.Helper()
	var out bytes.Buffer
	res, err := wyb.Referee{Out: &out, Answer: p.Limits.Answer}.Play(t.Context(), process(p), level("random"), 1)
	testenv.OK(t, err)
	return res, out.String()
}

// lost checks that White forfeited with the given word and reason.
func lost(t *testing.T, res wyb.Result, word, why string) {
	t.Helper()
	if res.Winner != engine.Second || !res.Forfeited() || !strings.HasPrefix(res.Why, word+": ") || !strings.Contains(res.Why, why) {
		t.Errorf("%s: %q, want %s: … %s", res.End, res.Why, word, why)
	}
}

// running counts the processes whose command line contains mark.
func running(t *testing.T, mark string) int {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	testenv.OK(t, err)
	n := 0
	for _, f := range names {
		if data, err := os.ReadFile(f); err == nil && bytes.Contains(data, []byte(mark)) {
			n++
		}
	}
	return n
}

// ready is the beginning of a player in shell.
const ready = `read x; echo '{"type":"ready"}'; `

// Every hostile player loses with a sentence, and none of its processes is left.
func TestHostilePlayers(t *testing.T) {
	// The processes sleep for an unusual number of seconds, by which they are found.
	mark := fmt.Sprintf("86%05d", os.Getpid()%100000)
	sleep := "sleep " + mark
	t.Run("players", func(t *testing.T) { // in parallel: most of them only wait
		var players sync.WaitGroup
		defer players.Wait()
		for _, c := range []struct {
			name, command string
			kind          string
			why           string
		}{
			{"missing", "/no/such/program", "player failed", "exit status 127"},
			{"exits", "exit 3", "player failed", "exit status 3"},
			{"exits well", "exit 0", "player failed", "exited in the middle of the game"},
			{"kills itself", "kill -9 $$", "player failed", "signal: killed"},
			{"closes its output", "exec >&-; " + sleep, "player failed", "closed its standard input or output"},
			{"says hello", "echo hello; " + sleep, "out of time", "gave no answer"},
			{"broken JSON", `echo '{"type":'; ` + sleep, "out of time", "gave no answer"},
			{"other type", `echo '{"type":"ok"}'; ` + sleep, "bad answer", `answered with type "ok", want "ready"`},
			{"no action", ready + `read x; echo '{"type":"action"}'; ` + sleep, "bad answer", "without an action"},
			{"speaks twice", ready + `read x; for i in 1 2; do echo '{"type":"action","action":[3,3]}'; done; ` + sleep, "bad answer", ""},
			{"complains", `echo '{"type":"error","text":"no licence"}'; ` + sleep, "player failed", "no licence"},
			{"illegal", ready + `read x; echo '{"type":"action","action":[0,0]}'; ` + sleep, "invalid action", "(0, 0): (0,0) is a corner"},
			{"fractions", ready + `read x; echo '{"type":"action","action":[0.5,0]}'; ` + sleep, "bad answer", "not a whole number"},
			{"silent", sleep, "out of time", "gave no answer within 400ms"},
			{"ignores signals", `trap '' TERM INT HUP QUIT; ` + sleep + "; " + sleep, "out of time", "gave no answer"},
			{"stops itself", `kill -STOP $$`, "out of time", "gave no answer"},
			{"floods", "yes", "bad answer", `the last one "y"`},
			{"long line", "yes | tr -d '\\n'", "bad answer", "a line longer than"},
			{"floods the errors", "yes >&2", "out of time", "gave no answer"},
			{"notes", `while :; do echo '{"type":"note","text":"hm"}'; done`, "bad answer", "more than 20 notes"},
			{"forks", sleep + " & " + sleep + " & wait", "out of time", "gave no answer"},
			{"daemons", "setsid sh -c '" + sleep + "' & (setsid " + sleep + " &) ; " + sleep, "out of time", "gave no answer"},
			{"leaves a child and exits", "(setsid " + sleep + " >/dev/null 2>&1 &) ; exit 4", "player failed", "exit status 4"},
			{"holds the pipes", "(" + sleep + " &) ; kill -9 $$", "player failed", "signal: killed"},
		} {
			players.Go(func() {
				t.Run(c.name, func(t *testing.T) {
					needsSetsid(t, c.command)
					answer := 30 * time.Second // on a busy machine
					if c.kind == "out of time" {
						answer = 400 * time.Millisecond
					}
					var log buffer
					p, err := wyb.NewCommand(c.command, wyb.Limits{Answer: answer}, &log)
					testenv.OK(t, err)
					res, _ := against(t, p)
					lost(t, res, c.kind, c.why)
					if strings.Contains(res.Why, "\n") {
						t.Errorf("more than a line: %q", res.Why)
					}
					if n := len(log.String()); n > 1<<20+8192 {
						t.Errorf("%d bytes were shown", n)
					}
				})
			})
		}
	})
	program.KillOrphans()
	for range 100 { // a killed process is visible until it is waited for
		if running(t, mark) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := running(t, mark); n != 0 {
		t.Errorf("%d processes are left", n)
	}
}

// needsSetsid skips a test whose command needs setsid if the machine has none.
func needsSetsid(t *testing.T, command string) {
	if _, err := exec.LookPath("setsid"); err != nil && strings.Contains(command, "setsid ") {
		t.Skip("setsid is not here")
	}
}

// Actions that the real referee calls invalid are refused in the same words.
func TestIllegal(t *testing.T) {
	for _, c := range []struct{ action, want string }{
		{"[0,0]", "(0, 0): (0,0) is a corner"},
		{"[9,-1]", "(9, -1) is not on the board"},
		{"[[1,1],[1,2]]", "((1, 1), (1, 2)): (1,1)->(1,2) in the placing phase: want one square (x,y)"},
		{"null", "None: white must place a piece"},
	} {
		p, err := wyb.NewCommand(ready+`read x; echo '{"type":"action","action":`+c.action+`}'; read x`, wyb.Limits{Answer: 30 * time.Second}, nil)
		testenv.OK(t, err)
		res, printed := against(t, p)
		lost(t, res, "invalid action", c.want)
		if end := "(both players)\ninvalid action (W): " + c.want + "\nwinner: B!\n"; !strings.HasSuffix(printed, end) {
			t.Errorf("%s: it ends with %q, want %q", c.action, printed[max(0, len(printed)-150):], end)
		}
	}
}

func TestProcessLimits(t *testing.T) {
	busy := "while :; do :; done"
	t.Run("players", func(t *testing.T) { // to wait for all of them
		for _, c := range []struct {
			name, command string
			limits        wyb.Limits
			kind          string
			why           string
		}{
			{"busy", busy, wyb.Limits{CPU: 100 * time.Millisecond}, "out of time", "the limit is 0.10 s"},
			{"busy child", "(" + busy + ") & wait", wyb.Limits{CPU: 100 * time.Millisecond}, "out of time", "the limit is 0.10 s"},
			{"busy daemon", "setsid sh -c '" + busy + "' & wait", wyb.Limits{CPU: 100 * time.Millisecond}, "out of time", "the limit is 0.10 s"},
			{"busy children, one after the other", "while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done", wyb.Limits{CPU: 100 * time.Millisecond}, "out of time", "the limit is 0.10 s"},
			{"memory", "head -c 200000000 /dev/zero | tail | sleep 1000", wyb.Limits{Space: 50e6}, "out of memory", "the limit is 50.0 MB"},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				needsSetsid(t, c.command)
				p, err := wyb.NewCommand(c.command, c.limits, nil)
				testenv.OK(t, err)
				res, _ := against(t, p)
				lost(t, res, c.kind, c.why)
			})
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p, err := wyb.NewCommand("sleep 100", wyb.Limits{}, nil)
	testenv.OK(t, err)
	if _, err := (wyb.Referee{}).Play(ctx, level("random"), process(p), 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := wyb.NewCommand(" ", wyb.Limits{}, nil); err == nil {
		t.Error("no command: no error")
	}
}

// wrong is the beginning of a player that receives one request for an action.
const wrong = "class Player:\n    def __init__(self, c): pass\n"

// modules contains Python players by the names of their files.
var modules = map[string]string{
	"wanderer": `
import random
class Player(object):
    """Places at random squares of its zone, forgets captures, and so sooner
    or later plays something invalid."""
    def __init__(self, colour):
        self.rows = (0, 5) if colour == "white" else (2, 7)
        self.seen = set()
        self.random = random.Random(4)
    def action(self, turns):
        while True:
            x, y = self.random.randint(0, 7), self.random.randint(*self.rows)
            if (x in (0, 7) and y in (0, 7)) or (x, y) in self.seen:
                continue
            self.seen.add((x, y))
            return x, y
    def update(self, action):
        assert isinstance(action, tuple), action
        self.seen.add(action)
`,
	"nothing":    "x = 1\n",
	"notaclass":  "Player = 3\n",
	"needs":      "import surely_not_installed\n",
	"syntax":     "def\n",
	"raises":     "class Player:\n    def __init__(self, colour): raise ValueError('not ' + colour)\n",
	"leaves":     "import sys\nclass Player:\n    def __init__(self, c): pass\n    def action(self, t): sys.exit(3)\n",
	"dies":       "import os\nclass Player:\n    def __init__(self, c): pass\n    def action(self, t): os._exit(5)\n",
	"prints":     "print('at import')\nclass Player:\n    def __init__(self, c): print('hello')\n    def action(self, t):\n        import os\n        os.write(1, b'straight to the descriptor')\n        return (0, 0)\n",
	"reads":      "class Player:\n    def __init__(self, c): input()\n",
	"numpyish":   "class int64:\n    def __init__(self, v): self.v = v\n    def __index__(self): return self.v\nint64.__module__ = 'numpy'\nclass Player:\n    def __init__(self, c): pass\n    def action(self, t): return (int64(0), int64(0))\n",
	"floats":     "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return (3.0, 4.0)\n",
	"strings":    "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return '34'\n",
	"lists":      "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return [[0, 0], [0, 1]]\n",
	"json":       "class Player:\n    def __init__(self, c): pass\n    def action(self, t): return (0, 0)\n",
	"with-minus": wrong + "    def action(self, t): return (0, 0)\n",
	"mixed":      wrong + "    def action(self, t): return ([1, 2], (1, 3))\n",
	"inlist":     wrong + "    def action(self, t): return [(1, 2), (1, 3)]\n",
	"halves":     wrong + "    def action(self, t): return (1, (1, 3))\n",
	"triple":     wrong + "    def action(self, t): return (1, 2, 3)\n",
	"far":        wrong + "    def action(self, t): return (10**30, 0)\n",
	"named":      "import collections\n" + wrong + "    def action(self, t): return collections.namedtuple('S', 'x y')(True, 9)\n",
}

// Files next to a player may have the names of any modules of Python's library.
func TestPythonPlayerBesideFiles(t *testing.T) {
	testenv.Program(t, "python3")
	t.Chdir(t.TempDir())
	for _, name := range []string{"json", "importlib", "traceback", "resource", "linecache"} {
		testenv.OK(t, os.WriteFile(name+".py", []byte("NUMBER = 7\n"), 0o600))
	}
	testenv.OK(t, os.WriteFile("mine.py", []byte("import resource\n"+wrong+"    def action(self, t): return (resource.NUMBER, 0)\n"), 0o600))
	var log buffer
	p, err := wyb.NewPython("", "mine.py", wyb.Limits{Answer: 20 * time.Second}, &log)
	testenv.OK(t, err)
	res, _ := against(t, p)
	lost(t, res, "invalid action", "(7, 0)")
	if log.String() != "" {
		t.Errorf("standard error has %q", log.String())
	}
}

func TestPythonPlayers(t *testing.T) {
	testenv.Program(t, "python3")
	dir := t.TempDir()
	for name, source := range modules {
		testenv.OK(t, os.WriteFile(filepath.Join(dir, name+".py"), []byte(source), 0o600))
	}
	t.Run("players", func(t *testing.T) { // to wait for all of them
		for _, c := range []struct {
			name string
			kind string
			why  string
			log  string
		}{
			{"nothing", "player failed", "the module nothing has no class Player: it needs Player(colour)", ""},
			{"notaclass", "player failed", "has no class Player", ""},
			{"needs", "player failed", "the module needs needs the module surely_not_installed", ""},
			{"syntax", "player failed", "SyntaxError in Player(colour)", ""},
			{"raises", "player failed", "ValueError in Player(colour): not white (raises.py, line 2)", "Traceback"},
			{"leaves", "player failed", "SystemExit in action(turns): 3", ""},
			{"dies", "player failed", "exit status 5", ""},
			{"prints", "invalid action", "(0, 0)", "use print(..., file=sys.stderr)"},
			{"reads", "player failed", "EOFError in Player(colour)", ""},
			{"numpyish", "invalid action", "of type numpy.int64: coordinates are whole numbers, use int(...)", ""},
			{"floats", "invalid action", "(3.0, 4.0) of type tuple: 3.0 of type float: coordinates are whole numbers, use int(...)", ""},
			{"strings", "invalid action", "'34' of type str: want (x, y)", ""},
			{"mixed", "invalid action", "([1, 2], (1, 3)) of type tuple: tuples and lists mixed", ""},
			{"inlist", "invalid action", "[(1, 2), (1, 3)] of type list: tuples and lists mixed", ""},
			{"halves", "invalid action", "(1, (1, 3)) of type tuple: want (x, y)", ""},
			{"triple", "invalid action", "(1, 2, 3) of type tuple: want (x, y)", ""},
			{"far", "invalid action", "not on the board", ""},
			{"named", "invalid action", "(1, 9) is not on the board", ""},
			{"with-minus", "invalid action", "(0, 0): (0,0) is a corner", ""},
			{"lists", "invalid action", "((0, 0), (0, 1))", ""},
			{"json", "invalid action", "(0, 0)", ""},
			{"wanderer", "invalid action", "", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				var log buffer
				p, err := wyb.NewPython("", filepath.Join(dir, c.name+".py"), wyb.Limits{Answer: 20 * time.Second}, &log)
				testenv.OK(t, err)
				res, _ := against(t, p)
				lost(t, res, c.kind, c.why)
				if !strings.Contains(log.String(), c.log) {
					t.Errorf("%q, want %q", log.String(), c.log)
				}
				if c.name == "prints" && strings.Count(log.String(), "belongs to the referee") != 1 {
					t.Errorf("the note about printing comes more than once: %q", log.String())
				}
				if c.name == "wanderer" && len(res.Moves) < 4 {
					t.Errorf("only %d moves", len(res.Moves))
				}
			})
		}
	})
	for _, c := range []struct{ module, why string }{
		{filepath.Join(dir, "gone.py"), "there is no file"},
		{filepath.Join(dir, "gone"), "there is no file"},
		{"", "want a Python file or module"},
	} {
		if _, err := wyb.NewPython("", c.module, wyb.Limits{}, nil); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", c.module, err, c.why)
		}
	}
	if _, err := wyb.NewPython("no-such-python", filepath.Join(dir, "nothing.py"), wyb.Limits{}, nil); err == nil || !strings.Contains(err.Error(), "no no-such-python on the PATH") {
		t.Errorf("no interpreter: %v", err)
	}
	p, err := wyb.NewPython("", "no_such_module_anywhere", wyb.Limits{}, nil)
	testenv.OK(t, err)
	res, _ := against(t, p)
	lost(t, res, "player failed", "there is no module no_such_module_anywhere")
}

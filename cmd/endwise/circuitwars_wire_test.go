package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/wire/cwbot"
	"endwise/engine/wire/cwclient"
	"endwise/engine/wire/cwhttp"
)

// endwise runs a command to its end.
func endwise(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// Every recorded championship game agrees with the rules.
func TestReplayRecordedGames(t *testing.T) {
	code, out, errs := endwise(t, "replay", "circuitwars", enginetest.Recorded(t, "circuitwars"))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	want := "168 games: 168 agree, 0 disagree; 136 played to the end, 12 illegal moves, 20 timeouts"
	if code != 0 || errs != "" || lines[len(lines)-1] != want {
		t.Errorf("exit code %d, %s%s, want %s", code, lines[len(lines)-1], errs, want)
	}
}

// Recorded games of every kind of end, played on servers of ours, end as they
// did.
func TestReplayToServer(t *testing.T) {
	t.Parallel()
	dir := enginetest.Recorded(t, "circuitwars", "games")
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	testenv.OK(t, err)
	// agrees replays a game on a server with a limit.
	agrees := func(file, limit string) (string, bool) {
		url, _ := startServer(t, "--time", limit)
		code, out, errs := endwise(t, "replay", "circuitwars", "--to", url, "--restart", "--pace", "0s", "--wait", "2m", file)
		return fmt.Sprintf("exit code %d, %s%s", code, out, errs), code == 0 && strings.HasSuffix(out, ", agree\n")
	}
	played := map[string]int{}
	for _, file := range files {
		text := testenv.ReadFile(t, file)
		g, err := circuitwars.ReadLog(bytes.NewReader(text))
		testenv.OK(t, err)
		v, err := circuitwars.Judge(g, 7, 7)
		testenv.OK(t, err)
		kind := strconv.Itoa(int(g.Code))
		if g.Code.Kind() == 500 && v.Code.Side() != v.Final.Turn() {
			kind += " late"
		}
		if played[kind]++; played[kind] > 1 {
			continue
		}
		// Only a game that was lost on time needs a clock, and one that is
		// faster than a busy machine brings the moves to the server ends it
		// too early.
		limits := []string{"0"}
		if g.Code.Kind() == 500 {
			limits = []string{"400ms", "4s", "40s"}
		}
		said, ok := "", false
		for i := 0; i < len(limits) && !ok; i++ {
			said, ok = agrees(file, limits[i])
		}
		if !ok {
			t.Errorf("%s: %s", filepath.Base(file), said)
		}
	}
	if len(played) < 6 {
		t.Errorf("kinds of ends among the recorded games: %v", played)
	}
}

// A server that runs no clock can't end a game that was lost on time.
func TestReplayToServerWithoutClock(t *testing.T) {
	url, _ := startServer(t, "--time", "0", "--board", "1x2")
	file := filepath.Join(t.TempDir(), "slow.log")
	err := os.WriteFile(file, []byte("/move/a/0,0,top\n----\nstatus: 502\nplayer_1: a\nplayer_2: b\nscore_1: 2\nscore_2: 0\n"), 0o644)
	testenv.OK(t, err)
	code, _, errs := endwise(t, "replay", "circuitwars", "--board", "1x2", "--to", url, "--pace", "0s", "--wait", "50ms", file)
	if code != 1 || !strings.Contains(errs, "the server did not end the game within 50ms") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// Questions and answers over a pipe, as game_ai.py asks them.
func TestBotStdio(t *testing.T) {
	turn := `{"status_code": 201, "score_1": 0, "score_2": 0, "board": [[13, 5]]}`
	in := fmt.Sprintf(`{"id": 6, "position": {"status_code": 201}}
nonsense
{"id": 4, "status": %[1]s}
{"id": 5, "position": %[1]s, "time_ms": 500}
`, turn)
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"bot", "circuitwars", "--stdio"}, strings.NewReader(in), &out, &errs); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	for i, want := range []string{
		`^{"id":6,"error":"parse status: board: missing or empty"}$`,
		`^{"id":0,"error":"the question is not JSON as expected: `,
		`^{"id":4,"error":"no position; a program that shim wrote for an older version must be written again"}$`,
		`^{"id":5,"move":"[01],0,right",.*"score":-?\d+,"proof":"\w+",.*"elapsed_ms":`,
	} {
		line, _ := out.ReadString('\n')
		if !regexp.MustCompile(want).MatchString(strings.TrimSpace(line)) {
			t.Errorf("answer %d is %s, want %s", i+1, line, want)
		}
	}
	if out.Len() > 0 {
		t.Errorf("more answers than questions: %s", &out)
	}
}

// A child that is late has been heard all the same: what it said so far is played.
func TestShimSoFar(t *testing.T) {
	t.Parallel()
	python, dir := testenv.Program(t, "python3"), t.TempDir()
	child := filepath.Join(dir, "child")
	testenv.OK(t, os.WriteFile(child, []byte("#!/bin/sh\nread -r line\necho \"$line\" >\"$0.asked\"\n"+
		`echo '{"id": 1, "so_far": true, "move": "0,0,left"}'; echo '{"id": 1, "so_far": true, "move": "0,0,top"}'; exec sleep 600`+"\n"), 0o755))
	testenv.OK(t, os.WriteFile(filepath.Join(dir, "game_ai.py"), []byte(cwbot.Shim(child, "http://x", "t")), 0o644))
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import game_ai
class Status: text = "{}"
engine = game_ai.Engine()
print(engine.ask(Status, game_ai.time.monotonic() + 2)["move"], engine.late is not None)
engine.stop()`)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if asked := testenv.ReadFile(t, child+".asked"); err != nil || string(out) != "0,0,top True\n" || !bytes.Contains(asked, []byte(`"improve": true`)) {
		t.Errorf("%q, %v; asked %s", out, err, asked)
	}
}

// game_ai.py plays whole games, whatever becomes of its child process.
func TestShim(t *testing.T) {
	t.Parallel()
	python := testenv.Program(t, "python3")
	self, err := os.Executable()
	testenv.OK(t, err)
	// Under this name the test binary is the endwise program.
	binary := filepath.Join(t.TempDir(), "endwise")
	testenv.OK(t, os.Symlink(self, binary))
	script := func(text string) string {
		file := filepath.Join(t.TempDir(), "child")
		testenv.OK(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755))
		return file
	}
	for _, c := range []struct {
		name, binary string
		fallbacks    bool     // own moves are expected, and no others
		says         []string // the lines about the program, in order
	}{
		{"good", binary, false, nil},
		{"asked to ponder", script("tee \"$0.asked\" | " + binary + " \"$@\"\n"), false, nil},
		{"on the path", "/nonexistent/endwise", false, nil},
		{"killed once", script(`if mkdir "$0.killed"; then read -r line; kill -9 $$; fi 2>/dev/null; exec ` + binary + ` "$@"` + "\n"), false,
			[]string{"it ended with code -9; it is started again"}},
		{"stopped", script("read -r line; kill -STOP $$\n"), true,
			[]string{"it gave no answer in time; it is started again", "it gave no answer in time; this file plays on without it"}},
		{"gone", filepath.Join(t.TempDir(), "gone"), true, []string{"and no endwise on the PATH; this file plays on without it"}},
		{"dead", script("exit 1\n"), true, []string{"it ended with code 1; it is started again", "it ended with code 1; this file plays on without it"}},
		{"hanging", script("exec sleep 600\n"), true, []string{"it gave no answer in time; it is started again", "it gave no answer in time; this file plays on without it"}},
		{"flooding", script("yes nonsense | head -c 300000; exec sleep 600\n"), true, []string{"it gave no answer in time; it is started again", "it gave no answer in time; this file plays on without it"}},
		{"illegal", script("n=0\nwhile read -r line; do n=$((n + 1)); echo \"{\\\"id\\\": $n, \\\"move\\\": \\\"7,7,top\\\"}\"; done\n"), true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			limit, source := "10s", cwbot.Shim(c.binary, "@server@", "py") // a busy machine must not make a good child late
			if c.fallbacks {
				// A hanging one costs several times what the margin leaves of
				// the limit, and then the move must still arrive.
				const margin = "\nMARGIN = 0.5 "
				if !strings.Contains(source, margin) {
					t.Fatalf("game_ai.py has no %q", margin)
				}
				limit, source = "7500ms", strings.Replace(source, margin, "\nMARGIN = 5 ", 1)
			}
			url, _ := startServer(t, "--board", "2x2", "--time", limit)
			file := filepath.Join(t.TempDir(), "game_ai.py")
			testenv.OK(t, os.WriteFile(file, []byte(strings.Replace(source, "@server@", url, 1)), 0o644))
			interval := "20ms"
			if c.name == "asked to ponder" {
				interval = "700ms" // so that its turns are seen
			}
			opponent := make(chan string, 1)
			go func() {
				code, out, errs := endwise(t, "bot", "circuitwars", "--server", url, "--level", "1", "--seed", "1", "--team", "go", "--interval", interval)
				opponent <- fmt.Sprintf("exit code %d, %s", code, out)
				if code != 0 {
					t.Error(errs)
				}
			}()
			var stdout, stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), python, file)
			path := filepath.Dir(binary) + string(os.PathListSeparator) + os.Getenv("PATH")
			if c.name == "gone" {
				path = pathWithoutEndwise()
			}
			cmd.Env = append(os.Environ(), "PATH="+path)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Fatalf("game_ai.py: %v\n%s", err, &stderr)
			}
			if got := <-opponent; !strings.HasPrefix(got, "exit code 0") || strings.Contains(got, "illegal") || strings.Contains(got, "timeout") {
				t.Errorf("the opponent says: %s", got)
			}
			moves := strings.Count(stderr.String(), "\nmove ")
			fallbacks := strings.Count(stderr.String(), " fallback ")
			if want := map[bool]int{true: moves, false: 0}[c.fallbacks]; moves < 4 || fallbacks != want {
				t.Errorf("%d moves, %d of its own, want %d:\n%s", moves, fallbacks, want, &stderr)
			}
			if c.name == "asked to ponder" {
				asked, err := os.ReadFile(c.binary + ".asked")
				if n := bytes.Count(asked, []byte(`"ponder": true`)); err != nil || n < 2 || n > moves+1 {
					t.Errorf("asked to ponder %d times in %d moves, %v", n, moves, err)
				}
			}
			var says []string
			for line := range strings.Lines(stderr.String()) {
				if why, ok := strings.CutPrefix(line, "endwise: the program that finds the moves failed: "); ok {
					says = append(says, strings.TrimSpace(why))
				}
			}
			if !slices.EqualFunc(says, c.says, strings.HasSuffix) {
				t.Errorf("it says %q of the program, want %q", says, c.says)
			}
			if !strings.HasPrefix(stdout.String(), "The game has finished") {
				t.Errorf("it says %s", &stdout)
			}
		})
	}
}

// pathWithoutEndwise is the PATH without the directories that have this program.
func pathWithoutEndwise() string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "endwise"))
		return err == nil
	})
	return strings.Join(dirs, string(os.PathListSeparator))
}

// A server that is not there is said to be at once, and long before the file
// gives up.
func TestShimWithoutServer(t *testing.T) {
	t.Parallel()
	python := testenv.Program(t, "python3")
	address, err := testenv.FreeAddress()
	testenv.OK(t, err)
	file := filepath.Join(t.TempDir(), "game_ai.py")
	testenv.OK(t, os.WriteFile(file, []byte(cwbot.Shim("/nonexistent/endwise", "http://"+address, "py")), 0o644))
	cmd := exec.CommandContext(t.Context(), python, file)
	cmd.Env = append(os.Environ(), "PATH="+pathWithoutEndwise())
	errs, err := cmd.StderrPipe()
	testenv.OK(t, err)
	testenv.OK(t, cmd.Start())
	lines := bufio.NewScanner(errs)
	for _, want := range []string{
		"^endwise: the program that finds the moves failed: there is no /nonexistent/endwise, and no endwise on the PATH; this file plays on without it$",
		"^endwise: no usable answer from http://" + regexp.QuoteMeta(address) + `, trying for 60 s: ConnectionRefusedError: .*$`,
	} {
		if !lines.Scan() || !regexp.MustCompile(want).MatchString(lines.Text()) {
			t.Errorf("it says %q, want %s", lines.Text(), want)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
}

// What its command line refuses is one line, and --help no server.
func TestShimArguments(t *testing.T) {
	python := testenv.Program(t, "python3")
	for _, c := range []struct {
		args, stdout, stderr string
		code                 int
	}{
		{"--help", `^Plays Circuit Wars on a game server: python game_ai.py \[SERVER \[TEAM\]\]\n`, "^$", 0},
		{"x -h", "^Plays Circuit Wars", "^$", 0},
		{"--server x", "^$", "^endwise: server 'http://--server': want an address like http://127.0.0.1:5000\n$", 2},
		{"ftp://x", "^$", "^endwise: server 'ftp://x': want an address .*\n$", 2},
		{"http://", "^$", "^endwise: server 'http://': want an address .*\n$", 2},
		{"x:port", "^$", "^endwise: server 'http://x:port': want an address .*\n$", 2},
		{"http://[::1", "^$", "^endwise: server .*: want an address .*\n$", 2},
		{"http://x/?a", "^$", "^endwise: server .*: want an address .*\n$", 2},
		{"x y z", "^$", "^endwise: 3 arguments: want SERVER and TEAM; see --help\n$", 2},
	} {
		cmd := exec.CommandContext(t.Context(), python, append([]string{"-"}, strings.Fields(c.args)...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(cwbot.Shim("/nonexistent/endwise", "http://x", "t")), &stdout, &stderr
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != c.code ||
			!regexp.MustCompile(c.stdout).Match(stdout.Bytes()) || !regexp.MustCompile(c.stderr).Match(stderr.Bytes()) {
			t.Errorf("%s: exit code %d, %q, %q", c.args, code, &stdout, &stderr)
		}
	}
}

// Between two requests it waits a tenth of a short limit, as soon as one is known.
func TestShimShortLimit(t *testing.T) {
	python := testenv.Program(t, "python3")
	dir := t.TempDir()
	testenv.OK(t, os.WriteFile(filepath.Join(dir, "game_ai.py"), []byte(cwbot.Shim("/nonexistent/endwise", "http://x", "t")), 0o644))
	cmd := exec.CommandContext(t.Context(), python, "-B", "-c", `
import game_ai, json
game_ai.time.monotonic = lambda: 10.0625
def interval(*seen):  # after statuses of so many milliseconds left and these cells, asked for 1/16 s ago
    game = game_ai.Game(game_ai.Server("x"), "t")
    for left, cells in seen:
        game.check(game_ai.Status(json.dumps({"status_code": 201, "score_1": 0, "score_2": 0, "board": [cells], "time_left": left}), 10.0))
    return game.server.interval
print(interval((437.5, [0, 0])), interval((0, [0, 0]), (437.5, [1, 0]), (20, [1, 0])), interval((0, [0, 0]), (2500, [1, 0])))
`)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+pathWithoutEndwise())
	if out, err := cmd.Output(); err != nil || string(out) != "0.2 0.05 0.2\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// The file keeps to the syntax of Python 3.5.
func TestShimSyntax(t *testing.T) {
	python := testenv.Program(t, "python3")
	cmd := exec.Command(python, "-c", `
import ast, sys
try:
    tree = ast.parse(sys.stdin.read(), feature_version=(3, 5))
except ValueError:  # later versions don't know 3.5 any more
    sys.exit(0)
late = [type(n).__name__ for n in ast.walk(tree) if type(n).__name__ in ("JoinedStr", "AnnAssign", "NamedExpr", "TypeAlias", "Match", "AsyncFunctionDef")]
if late:
    sys.exit(" ".join(late))
`)
	cmd.Stdin = strings.NewReader(cwbot.Shim("C:\\Program Files\\ü\"\n", "http://x", "t"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The full player against each built-in level over real HTTP, both sides: it
// loses nothing as player 2 on a board that the mirror theorem covers, and no
// move is late or illegal. With ENDWISE_DEEP=1 it is the acceptance run on
// the championship's board: ENDWISE_GAMES games a level and side (default 20)
// with ENDWISE_MOVETIME a move (default what a 3 s clock leaves).
func TestBotAgainstLevels(t *testing.T) {
	t.Parallel()
	board, number, limit := "3x3", "1", "20ms"
	if testenv.Deep() {
		board, number, limit = "7x7", cmp.Or(os.Getenv("ENDWISE_GAMES"), "20"), cmp.Or(os.Getenv("ENDWISE_MOVETIME"), "0")
	}
	games, err := strconv.Atoi(number)
	testenv.OK(t, err)
	moveTime, err := time.ParseDuration(limit)
	testenv.OK(t, err)
	a := &cli.App{Stderr: io.Discard}
	player, done, err := a.Player(circuitwars.Name, cli.LevelFlags{}, cli.LookupFlags{Threads: 1, HashMB: 128})
	testenv.OK(t, err)
	defer done()
	for level := 1; level <= levels.Count; level++ {
		for _, side := range []engine.Side{engine.First, engine.Second} {
			won, tied, points := 0, 0, 0
			var slowest []time.Duration
			for n := range games {
				opponent, err := levels.New(level, uint64(1000*level+n+1))
				testenv.OK(t, err)
				players := [2]engine.Player{player, opponent}
				if side == engine.Second {
					players = [2]engine.Player{opponent, player}
				}
				g, outs := playOverHTTP(t, board, moveTime, players)
				out := outs[side-1]
				if g.Code.Kind() != circuitwars.WonBy1.Kind() || out.Fallbacks > 0 {
					t.Errorf("level %d, %s, game %d: status %d, %d fallbacks", level, side, n+1, int(g.Code), out.Fallbacks)
				}
				if side == engine.Second && out.Winner() == engine.First {
					t.Errorf("level %d, game %d: lost as player 2, %v", level, n+1, g.Score)
				}
				if out.Won() {
					won++
				} else if out.Winner() == engine.None {
					tied++
				}
				points += g.Score[side-1] - g.Score[side.Other()-1]
				slowest = append(slowest, out.Slowest)
			}
			t.Logf("level %d, as %s: %d games, %d won, %d tied, %d lost, %+.1f squares a game, slowest move %v",
				level, side, games, won, tied, games-won-tied, float64(points)/float64(games), slices.Max(slowest).Round(time.Millisecond))
		}
	}
}

// playOverHTTP plays one game at a server with a bot for each player.
func playOverHTTP(t *testing.T, board string, moveTime time.Duration, players [2]engine.Player) (circuitwars.Log, [2]cwbot.Outcome) {
	t.Helper()
	ended := make(chan circuitwars.Log, 1)
	srv, err := cwhttp.NewServer(cwhttp.ServerConfig{Board: board, Timeout: 3 * time.Second, Ended: func(g circuitwars.Log) { ended <- g }})
	testenv.OK(t, err)
	defer srv.Close()
	web := httptest.NewServer(srv)
	defer web.Close()
	var outs [2]cwbot.Outcome
	var bots errgroup.Group
	for i, p := range players {
		c, err := cwclient.New(web.URL)
		testenv.OK(t, err)
		c.Interval = 0
		team := fmt.Sprint("player", i+1)
		if _, err := c.Register(t.Context(), team); err != nil { // here: the order of arrival makes the sides
			t.Fatal(err)
		}
		bots.Go(func() (err error) {
			outs[i], err = (&cwbot.Bot{Client: c, Team: team, Player: p, As: engine.Side(i + 1), MoveTime: moveTime}).Play(t.Context())
			return err
		})
	}
	testenv.OK(t, bots.Wait())
	return <-ended, outs
}

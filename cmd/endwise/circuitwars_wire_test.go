package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
)

// endwise runs a command to its end.
func endwise(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// Recorded games with every kind of ending end in the same way on our server.
func TestReplayToServer(t *testing.T) {
	t.Parallel()
	dir := enginetest.Recorded(t, "circuitwars", "games")
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	testenv.OK(t, err)
	// agrees replays a game on a server with a limit.
	agrees := func(file, limit string) (string, bool) {
		url, _ := startServer(t, "--time", limit)
		code, out, errs := endwise(t, "replay", "circuitwars", "--to", url, "--restart", "--pace", "0s", file)
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
		// Only a game lost on time needs a clock. A clock that is too fast for a busy
		// machine would end the game too early.
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

// A bot whose team id is taken says how to resume a game, and does so.
func TestResumeOwnGame(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t, "--board", "2x2", "--time", "1m")
	for _, team := range []string{"one", "two"} {
		testenv.Call(t, http.MethodGet, url+"/reg/"+team, "")
		if team == "one" {
			code, _, errs := endwise(t, "bot", "circuitwars", "--server", url, "--team", team, "--level", "1")
			if want := "error 2, the team id is taken; if this is your own game, add --as 1 or --as 2\n"; code != 1 || !strings.HasSuffix(errs, want) {
				t.Errorf("exit code %d: %s, want %s", code, errs, want)
			}
		}
	}
	var bots errgroup.Group
	for side, team := range []string{"one", "two"} {
		bots.Go(func() error {
			code, out, errs := endwise(t, "bot", "circuitwars", "--server", url, "--team", team, "--as", strconv.Itoa(side+1), "--level", "2", "--interval", "20ms")
			if want := fmt.Sprintf("resumed as player %d\n", side+1); code != 0 || !strings.HasPrefix(out, want) || strings.Contains(out, "illegal") {
				return fmt.Errorf("%s: exit code %d: %s%s", team, code, out, errs)
			}
			return nil
		})
	}
	testenv.OK(t, bots.Wait())
}

// game_ai.py plays whole games: with the program, wherever it finds it, and by itself
// without the program or if it fails, as the same team.
func TestGameAI(t *testing.T) {
	t.Parallel()
	python := testenv.Program(t, "python3")
	binary, err := exec.LookPath("endwise") // TestMain puts it there
	testenv.OK(t, err)
	script := func(text string) string {
		file := filepath.Join(t.TempDir(), "endwise")
		testenv.OK(t, os.WriteFile(file, []byte(text), 0o755))
		return file
	}
	const itself = "game_ai.py: this file plays by itself"
	for _, c := range []struct {
		name, beside, named, path string   // the program next to the file, in $ENDWISE and on the PATH
		says                      []string // messages about the mode of play, in order
	}{
		{"next to it", binary, "", "", []string{"game_ai.py: the program BESIDE plays"}},
		{"named", "", binary, "", []string{"game_ai.py: the program " + binary + " plays"}},
		{"on the path", "", "", binary, []string{"game_ai.py: the program " + binary + " plays"}},
		{"alone", "", "/nonexistent/endwise", "", []string{itself}},
		{"not a program", script("no program"), "", "", []string{"game_ai.py: the program BESIDE plays", "game_ai.py: [Errno 8] Exec format error: 'BESIDE'", itself}},
		{"dies at once", script("#!/bin/sh\nexit 3\n"), "", "", []string{"game_ai.py: the program BESIDE plays", "game_ai.py: the program ended with code 3", itself}},
		{"dies after three moves", script("#!" + python + mortalProgram), "", "",
			[]string{"game_ai.py: the program BESIDE plays", "game_ai.py: the program ended with code -9", itself}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, _ := startServer(t, "--board", "3x3", "--time", "1m") // the machine may be busy
			dir := t.TempDir()
			out, err := exec.Command(binary, "shim", "circuitwars", dir, "--team", "py", "--server", url).CombinedOutput()
			beside := filepath.Join(dir, "endwise")
			if err != nil || !strings.Contains(string(out), "game_ai.py plays as py on "+url+" with "+beside+"\n") {
				t.Fatalf("%v: %s", err, out)
			}
			if c.beside != binary {
				testenv.OK(t, os.Remove(beside))
			}
			if c.beside != binary && c.beside != "" {
				testenv.OK(t, os.Rename(c.beside, beside))
			}
			opponent := make(chan string, 1)
			go func() {
				code, out, errs := endwise(t, "bot", "circuitwars", "--server", url, "--level", "1", "--seed", "1", "--team", "go", "--interval", "20ms")
				opponent <- fmt.Sprintf("exit code %d: %s%s", code, out, errs)
			}()
			cmd := exec.CommandContext(t.Context(), python, "-B", filepath.Join(dir, "game_ai.py"))
			path := testenv.PathWithout("endwise")
			if c.path != "" {
				path = filepath.Dir(c.path) + string(os.PathListSeparator) + path
			}
			cmd.Env = append(os.Environ(), "PATH="+path, "ENDWISE="+c.named, "ENDWISE_STORE="+dir)
			said, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("game_ai.py: %v\n%s", err, said)
			}
			if got := <-opponent; !strings.HasPrefix(got, "exit code 0") || strings.Contains(got, "illegal") || strings.Contains(got, "timeout") {
				t.Errorf("the opponent says: %s", got)
			}
			var says []string
			for line := range strings.Lines(string(said)) {
				if strings.HasPrefix(line, "game_ai.py: ") {
					says = append(says, strings.ReplaceAll(strings.TrimSpace(line), filepath.Join(dir, "endwise"), "BESIDE"))
				}
			}
			if !slices.Equal(says, c.says) {
				t.Errorf("it says %q, want %q; all of it:\n%s", says, c.says, said)
			}
		})
	}
}

// mortalProgram plays like game_ai.py and dies while its third move is being sent.
const mortalProgram = `
import os, signal, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
import game_ai

class Mortal(game_ai.Server):
    moves = 0

    def get(self, path):
        answer = super().get(path)
        self.moves += path.startswith("/move/")
        if self.moves == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

assert sys.argv[1:4] == ["bot", "circuitwars", "--server"] and sys.argv[5] == "--team", sys.argv
server, team = Mortal(sys.argv[4]), sys.argv[6]
player = game_ai.register(server, team)
print("registered as player %d" % player, flush=True)
game_ai.play(server, team, player)
`

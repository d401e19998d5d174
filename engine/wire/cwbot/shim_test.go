package cwbot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/testenv"
)

// shim writes the Python program, with a shorter interval, and returns a command that runs
// Python in its directory. The program endwise is not on the PATH.
func shim(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	python, dir := testenv.Program(t, "python3"), t.TempDir()
	source, interval := Shim("http://127.0.0.1:1", "me"), "\nINTERVAL = 0.2 "
	if !strings.Contains(source, ShimMark) || !strings.Contains(source, interval) {
		t.Fatal("the mark or the interval is missing")
	}
	source = strings.Replace(source, interval, "\nINTERVAL = 0.01 ", 1)
	testenv.OK(t, os.WriteFile(filepath.Join(dir, "game_ai.py"), []byte(source), 0o600))
	cmd := exec.CommandContext(t.Context(), python, append([]string{"-B"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+testenv.PathWithout("endwise"), "ENDWISE=")
	return cmd
}

// The Python program follows the protocol like the bot: it waits for the opponent's answer
// before its next move, sends a lost move again after two statuses without it, follows
// redirects, and takes the first end as the result.
func TestShimFollowsTheProtocol(t *testing.T) {
	t.Parallel()
	broken := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", http.StatusBadGateway) }
	redirect := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/status")
		w.WriteHeader(http.StatusFound)
	}
	const registered, refused = `{"response": "OK", "player": 1}`, `{"response": "ERROR", "error_code": 3}`
	// last returns a status with another text of the last move; MINE stands for the one
	// that was sent.
	last := func(status, move string) string {
		return regexp.MustCompile(`"last_move":"[^"]*"`).ReplaceAllString(status, `"last_move":"`+move+`"`)
	}
	start, mine := statusOf(t, 201, ""), last(statusOf(t, 201, "0,0,top"), "MINE")
	theirs := last(statusOf(t, 201, "0,0,top 1,0,top"), "theirs")
	spelled := "\xef\xbb\xbf" + regexp.MustCompile(`([\[,])(\d+)`).ReplaceAllString(strings.Replace(theirs, "201", `"201"`, 1), `$1 $2.0`)
	for _, c := range []struct {
		name     string
		answers  []any
		requests string
		says     string
		code     int
	}{
		{"whole game", []any{
			broken, registered, statusOf(t, 101, ""), start, redirect, mine, mine, statusOf(t, 202, "0,0,top"),
			theirs, broken, spelled, "<html>", theirs, "who are you?", statusOf(t, 202, "0,0,top 1,0,top"),
			statusOf(t, 302, tied), statusOf(t, 502, tied),
		}, "/reg /reg /status /status /move /status /status /status " +
			"/status /move /status /status /status /move /status /status", `(?s)^game_ai.py: this file plays by itself\n.*no usable answer.*\nNone; squares on the board: 1 to 1\n$`, 0},
		{"refused", []any{refused}, "/reg", "registration refused: ", 1},
		{"restarted", []any{registered, start, mine, statusOf(t, 101, "")}, "/reg /status /move /status", "the server has been restarted\n$", 1},
		{"nobody is registered", []any{registered, statusOf(t, 100, "")}, "/reg /status", "the server has been restarted\n$", 1},
	} {
		var requests, moves []string
		s := &script{answers: c.answers}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			parts := strings.SplitN(r.URL.Path, "/", 4)
			requests = append(requests, "/"+parts[1])
			if parts[1] == "move" {
				moves = append(moves, parts[3])
			}
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, r)
			for key, values := range rec.Header() {
				w.Header()[key] = values
			}
			w.WriteHeader(rec.Code)
			if len(moves) > 0 {
				io.WriteString(w, strings.ReplaceAll(rec.Body.String(), "MINE", moves[len(moves)-1]))
			} else {
				w.Write(rec.Body.Bytes())
			}
		}))
		cmd := shim(t, "game_ai.py", server.URL)
		said, _ := cmd.CombinedOutput()
		server.Close()
		if code := cmd.ProcessState.ExitCode(); code != c.code || strings.Join(requests, " ") != c.requests || !regexp.MustCompile(c.says).Match(said) {
			t.Errorf("%s: exit code %d, requests %s, says %s", c.name, code, requests, said)
		}
		if len(moves) == 3 && moves[1] != moves[2] {
			t.Errorf("%s: the lost move %s is sent again as %s", c.name, moves[1], moves[2])
		}
	}
}

// The Python program implements the rules: the free segments and what each captures.
func TestShimRules(t *testing.T) {
	t.Parallel()
	var in bytes.Buffer
	var positions []circuitwars.Position
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		p, err := circuitwars.New(3, 4)
		testenv.OK(t, err)
		for !p.Over() {
			positions = append(positions, p)
			testenv.OK(t, json.NewEncoder(&in).Encode(p.Cells()))
			free := p.Free().Segments()
			p, _ = occupy(p, free[rng.IntN(len(free))])
		}
	}
	cmd := shim(t, "-c", `
import game_ai, json, sys
for line in sys.stdin:
    board = json.loads(line)
    moves = game_ai.free_moves(board)
    print(json.dumps({"moves": [["%d,%d,%s" % m, game_ai.captures(board, m)] for m in moves], "choice": "%d,%d,%s" % game_ai.choose_move(board)}))
`)
	cmd.Stdin = &in
	out, err := cmd.Output()
	testenv.OK(t, err)
	answers := json.NewDecoder(bytes.NewReader(out))
	for _, p := range positions {
		var a struct {
			Moves  [][2]any
			Choice string
		}
		testenv.OK(t, answers.Decode(&a))
		most, found := 0, map[engine.Move]int{}
		for _, m := range a.Moves {
			move, err := p.ParseMove(m[0].(string))
			testenv.OK(t, err)
			found[move] = int(m[1].(float64))
		}
		for _, s := range p.Free().Segments() {
			_, gain := occupy(p, s)
			most = max(most, gain)
			if got, ok := found[engine.Move(s)]; !ok || got != gain {
				t.Fatalf("%s: %s captures %d, want %d", p, p.MoveString(engine.Move(s)), got, gain)
			}
		}
		choice, err := p.ParseMove(a.Choice)
		if _, gain := occupy(p, int(choice)); err != nil || gain != most || len(found) != p.Free().Len() {
			t.Fatalf("%s: it chooses %s, %v, of %d moves", p, a.Choice, err, len(found))
		}
	}
}

// The file has the syntax of Python 3.5, its constants come from the command line, and a
// wrong command line prints the help.
func TestShimFile(t *testing.T) {
	cmd := shim(t, "-c", `
import ast
text = open("game_ai.py").read()
assert text.count("\n") <= 200, "more than 200 lines"
late = ("JoinedStr", "AnnAssign", "NamedExpr", "TypeAlias", "Match", "AsyncFunctionDef")
print([type(n).__name__ for n in ast.walk(ast.parse(text)) if type(n).__name__ in late])
try:
    ast.parse(text, feature_version=(3, 5))
except ValueError:
    pass  # later versions of Python do not know 3.5 any more
`)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "[]\n" {
		t.Errorf("%v: %s", err, out)
	}
	for _, args := range []string{"--help", "a b c"} {
		cmd := shim(t, append([]string{"game_ai.py"}, strings.Fields(args)...)...)
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 || !bytes.HasPrefix(out, []byte("Plays one game of Circuit Wars")) {
			t.Errorf("%s: %s", args, out)
		}
	}
	server, team := "http://x:5/\"\\", "ünï"
	source := Shim(server, team)
	for _, want := range []string{fmt.Sprintf("\nSERVER = %+q\n", server), fmt.Sprintf("\nTEAM_ID = %+q\n", team)} {
		if !strings.Contains(source, want) {
			t.Errorf("the file has no %s", want)
		}
	}
}

func TestShimSettings(t *testing.T) {
	for _, team := range []string{"endwise", `a "b" \c`, "ü 🙂"} {
		if server, got := ShimSettings(Shim("http://a:1", team)); server != "http://a:1" || got != team {
			t.Errorf("server %q, team %q, want http://a:1, %q", server, got, team)
		}
	}
	if server, team := ShimSettings("TEAM_ID = 'edited'\nSERVER = 7\n"); server != "" || team != "edited" {
		t.Errorf("server %q, team %q in an edited file, want none and edited", server, team)
	}
}

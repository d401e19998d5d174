package circuitwars

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"endwise/cmd/endwise/cli"
	"endwise/engine"
	"endwise/engine/arena"
	"endwise/engine/circuitwars"
	"endwise/engine/disk"
	"endwise/engine/levels"
	"endwise/engine/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// student is a program of the championship with the server's address and its team in the
// source. It plays the first free segment.
const student = `
import json, time, urllib.request
def get(path):
    return urllib.request.urlopen("http://@address@" + path).read().decode()
answer = json.loads(get("/reg/@team@"))
if "player" not in answer:
    raise SystemExit("refused: error %d" % answer["error_code"])
me = answer["player"]
while True:
    s = json.loads(get("/status"))
    if s["status_code"] >= 300:
        break
    if s["status_code"] == 200 + me:
        b = s["board"]
        cell = lambda x, y: b[y][x] if 0 <= x < len(b[0]) and 0 <= y < len(b) else 0
        free = [(x, y, w) for y in range(len(b)) for x in range(len(b[0]))
                for w, bit, near in (("top", 1, cell(x, y - 1)), ("left", 8, cell(x - 1, y)), ("right", 2, cell(x + 1, y)), ("bottom", 4, cell(x, y + 1)))
                if not b[y][x] & bit and not (b[y][x] | near) & 48]
        get("/move/@team@/%d,%d,%s" % free[0])
    time.sleep(0.01)
`

// A shared port that is taken cannot be chosen, so the error has no hint of another one.
func TestSharedPortIsTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testenv.OK(t, err)
	defer ln.Close()
	want := "programs play at " + ln.Addr().String() + " here, and another program uses it: end that program"
	if err := (&sharedPort{address: ln.Addr().String()}).checkFree(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// The shared port is free again after a game in which one program failed before it was started, one player
// could not use the address, or one player asked for the port after the end of the context.
func TestSharedPortIsFreeAfterFailures(t *testing.T) {
	start, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	address, err := testenv.FreeAddress()
	testenv.OK(t, err)
	taken, err := net.Listen("tcp", address)
	testenv.OK(t, err)
	port := &sharedPort{address: address}
	fail := func(ctx context.Context, game string, side engine.Side, output string) {
		t.Helper()
		env := cli.ProgramEnv{Name: "gone", Output: output, IsProgram: func(string) bool { return true }}
		o := programOpener{env: env, command: "exit 7", port: port}
		if _, err := o.open(ctx, arena.Setup{Game: game, Side: side, Start: start}); err == nil {
			t.Error("the program is opened")
		}
	}
	free := func(after string) {
		t.Helper()
		if port.current != nil {
			t.Fatalf("after %s: %d players have not left", after, port.current.users)
		}
	}
	fail(t.Context(), "1", engine.Second, "")
	testenv.OK(t, taken.Close())
	fail(t.Context(), "1", engine.First, "")
	free("an address in use")
	fail(t.Context(), "2", engine.Second, filepath.Join(t.TempDir(), "missing"))
	fail(t.Context(), "2", engine.First, "")
	free("a missing directory")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	fail(ended, "3", engine.First, "")
	free("the end of the context")
}

// If no program can have its own network, all play at the one port, game after game:
// against a player of this process, against each other on one server, and against a program
// that does not start.
func TestProgramsShareAPort(t *testing.T) {
	testenv.Program(t, "python3")
	address, err := testenv.FreeAddress()
	testenv.OK(t, err)
	port := &sharedPort{address: address}
	programs := map[string]bool{"one": true, "two": true, "gone": true}
	participant := func(name string) arena.Participant {
		command := "echo no such luck; exit 7 #"
		if name != "gone" {
			file := filepath.Join(t.TempDir(), name+".py")
			source := strings.NewReplacer("@address@", address, "@team@", name).Replace(student)
			testenv.OK(t, disk.WriteFile(file, 0o644, disk.Bytes([]byte(source))))
			command = "python3 " + file
		}
		o := programOpener{env: cli.ProgramEnv{Name: name, IsProgram: func(n string) bool { return programs[n] }}, command: command, port: port}
		return arena.Participant{Name: name, Spec: command, Open: o.open}
	}
	level := arena.Participant{Name: "level1", Open: func(_ context.Context, s arena.Setup) (engine.Player, error) { return levels.New(1, s.Seed) }}
	start, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	m := &arena.Match{
		Config:       arena.Config{Rules: arena.Rules{Game: circuitwars.Game{}}, First: start, Time: time.Minute},
		Participants: []arena.Participant{participant("one"), participant("two"), participant("gone"), level},
		Games:        2,
		Openings:     arena.Openings{First: start},
		Concurrency:  3,
	}
	pairings, err := m.Run(t.Context(), nil)
	testenv.OK(t, err)
	results := arena.Results(pairings)
	if len(results) != 12 {
		t.Errorf("%d games, want 12", len(results))
	}
	for _, r := range results {
		switch {
		case r.Players[0] != "gone" && r.Players[1] != "gone":
			if r.End != arena.Played {
				t.Errorf("%s: %s", r.ID, r.Fault)
			}
		case r.End != arena.Crash || r.Players[r.Loser()-1] != "gone" || !strings.HasSuffix(r.Fault, "no such luck"):
			t.Errorf("%s: %s: %s", r.ID, r.End, r.Fault)
		}
	}
}

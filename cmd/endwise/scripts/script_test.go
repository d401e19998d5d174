// Package scripts tests the command line as users see it: scripts of commands with their
// output and files. It contains only tests, in a separate package so that they run in
// parallel to others.
package scripts

import (
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"endwise/engine/testenv"
	"endwise/engine/wire/program"
)

var update = flag.Bool("update", false, "rewrite the output that the scripts expect")

// goCache is the user's build cache, "" without Go. It is found before the tests are isolated.
var goCache = func() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out))
}()

func TestMain(m *testing.M) {
	// Most scripts wait for other processes.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(testenv.Isolated(testenv.Built(m, "..")), map[string]func(){"outsider": outsider})
}

// TestScripts runs the txtar scripts in testdata, one per behaviour. `exits N COMMAND…`
// runs a command and checks its exit code; `reseal FILE OLD NEW` replaces a text in a
// table's header and updates the checksum; [deep] is true with ENDWISE_DEEP, [network] if
// programs can have separate networks.
func TestScripts(t *testing.T) {
	t.Parallel()
	testenv.Sources(t, "../../..")
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Condition: func(c string) (bool, error) {
			switch c {
			case "deep":
				return testenv.Deep(), nil
			case "network":
				return program.OwnNetwork() == nil, nil
			}
			return false, fmt.Errorf("condition %q: want deep or network", c)
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("ENDWISE_STORE", filepath.Join(e.WorkDir, "store"))
			// The path of the binary, for programs that need it.
			binary, err := exec.LookPath("endwise")
			if err != nil {
				return err
			}
			e.Setenv("ENDWISE", binary)
			e.Setenv("GOCACHE", goCache)
			// A free address for a server.
			addr, err := testenv.FreeAddress()
			if err != nil {
				return err
			}
			e.Setenv("ADDR", addr)
			e.Setenv("PORT", strings.TrimPrefix(addr, "127.0.0.1:"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "reseal": reseal},
	})
}

// exits runs a command, which must end with the given exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARGS…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = err.Error()
		if rest, ok := strings.CutPrefix(code, "exit status "); ok {
			code = rest
		}
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// reseal changes a text in a table.json and updates its checksum.
func reseal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: reseal FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	end := strings.LastIndex(text, "crc32c ")
	if end < 0 || !strings.Contains(text, args[1]) {
		ts.Fatalf("%s: no checksum, or no %q", args[0], args[1])
	}
	text = strings.Replace(text[:end], args[1], args[2], 1)
	text += fmt.Sprintf("crc32c %08x\n", crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

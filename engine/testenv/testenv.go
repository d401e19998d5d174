// Package testenv runs the tests of a package in an isolated environment: no test reads or
// writes the user's home, store, configuration or temporary files. Every package with tests
// calls [Main] from its TestMain.
package testenv

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package in an isolated environment and ends the process. The
// tests fail if a goroutine remains, except those in leaks.
func Main(m Tests, leaks ...goleak.Option) {
	os.Exit(Isolated(tests(func() (int, error) {
		code := m.Run()
		if code != 0 {
			return code, nil
		}
		return 0, goleak.Find(leaks...)
	})).Run())
}

// Tests is implemented by *testing.M; Run runs the tests and returns the exit code.
type Tests interface{ Run() int }

// tests are Tests that fail if the function returns an error.
type tests func() (code int, err error)

func (t tests) Run() int {
	code, err := t()
	if err != nil {
		fmt.Fprintf(os.Stderr, "testenv: %v\n", err)
		return 1
	}
	return code
}

// Isolated returns m in an isolated environment: HOME, the XDG directories, ENDWISE_STORE
// and TMPDIR are in a directory that is removed afterwards. The tests fail if they leave files
// in HOME or in the package's directory.
func Isolated(m Tests) Tests { return tests(func() (int, error) { return isolated(m) }) }

func isolated(m Tests) (int, error) {
	root, err := os.MkdirTemp("", "endwise-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(root)
	if err := enter(root); err != nil {
		return 0, err
	}
	before, err := files(".")
	if err != nil {
		return 0, err
	}
	code := m.Run()
	if code != 0 || profiled() {
		return code, nil
	}
	home, err := files(filepath.Join(root, "home"))
	if err != nil {
		return 0, err
	}
	after, err := files(".")
	if err != nil {
		return 0, err
	}
	for name := range before {
		delete(after, name)
	}
	if len(home)+len(after) > 0 {
		return 0, fmt.Errorf("a test left files in the user's home (%v) or in its package directory (%v); "+
			"it should use T.TempDir and set --store or ENDWISE_STORE",
			slices.Collect(maps.Keys(home)), slices.Collect(maps.Keys(after)))
	}
	return code, nil
}

// enter creates the directories below root and sets the environment variables.
func enter(root string) error {
	if text, err := exec.Command("go", "env", "GOPATH", "GOCACHE", "GOMODCACHE", "GOENV").Output(); err == nil {
		for i, value := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			os.Setenv([]string{"GOPATH", "GOCACHE", "GOMODCACHE", "GOENV"}[i], value)
		}
	}
	home := filepath.Join(root, "home")
	for name, dir := range map[string]string{
		"HOME":            home,
		"USERPROFILE":     home,
		"XDG_CACHE_HOME":  filepath.Join(home, ".cache"),
		"XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"XDG_DATA_HOME":   filepath.Join(home, ".local", "share"),
		"XDG_STATE_HOME":  filepath.Join(home, ".local", "state"),
		"ENDWISE_STORE":   filepath.Join(home, "store"),
		"TMPDIR":          filepath.Join(root, "tmp"),
	} {
		if err := os.Setenv(name, dir); err != nil {
			return err
		}
	}
	// Variables that would select the user's server, team or binary.
	for _, name := range []string{"ENDWISE", "ENDWISE_SERVER", "ENDWISE_TEAM", "XDG_RUNTIME_DIR"} {
		os.Unsetenv(name)
	}
	for _, dir := range []string{"home", "tmp"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			return err
		}
	}
	return nil
}

// files returns the paths of all files below a directory, except the counters of the go command.
func files(dir string) (map[string]bool, error) {
	out := map[string]bool{}
	return out, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "telemetry":
			return fs.SkipDir
		}
		if !d.IsDir() {
			out[path] = true
		}
		return nil
	})
}

// profiled reports whether the tests write a profile or a trace.
func profiled() bool {
	set := false
	flag.Visit(func(f *flag.Flag) {
		name, ok := strings.CutPrefix(f.Name, "test.")
		set = set || ok && (name == "trace" || strings.HasSuffix(name, "profile"))
	})
	return set
}

func Deep() bool { return os.Getenv("ENDWISE_DEEP") != "" }

// FreeAddress returns a local address with a free port below the range from which systems choose.
func FreeAddress() (string, error) {
	for {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		if _, again := taken.LoadOrStore(addr, true); again {
			continue
		}
		ln, err := net.Listen("tcp", addr)
		switch {
		case err == nil:
			return addr, ln.Close()
		case !errors.Is(err, syscall.EADDRINUSE):
			return "", err
		}
	}
}

var taken sync.Map

func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Program returns the path of a program, or skips the test if it is not installed.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return path
}

// PathWithout returns the PATH without the directories that contain a file with the given name.
func PathWithout(name string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
	return strings.Join(dirs, string(os.PathListSeparator))
}

func ReadFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	OK(t, err)
	return data
}

// Call sends an HTTP request. headers contains names and values in turn.
func Call(t testing.TB, method, address, body string, headers ...string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	OK(t, err)
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	OK(t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	OK(t, err)
	return resp.StatusCode, string(data)
}

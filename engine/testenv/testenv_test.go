package testenv

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

// testsThat are Tests that call a function and pass.
type testsThat func()

func (do testsThat) Run() int { do(); return 0 }

// A file that a test creates outside its temporary directory fails the tests of its
// package, and no variable of the environment reaches the tests.
func TestIsolated(t *testing.T) {
	outside := t.TempDir()
	t.Setenv("ENDWISE_SERVER", "http://127.0.0.1:5000")
	write := func(file string) {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(os.Getenv("HOME")); err != nil {
		t.Error("the tests have no home:", err)
	}
	for name, c := range map[string]struct {
		do   func()
		code int
	}{
		"nothing":         {func() {}, 0},
		"temporary files": {func() { write(filepath.Join(os.TempDir(), "a")) }, 0},
		"the home":        {func() { write(filepath.Join(os.Getenv("HOME"), "a")) }, 1},
		"the cache": {func() {
			dir, err := os.UserCacheDir()
			if err != nil {
				t.Fatal(err)
			}
			write(filepath.Join(dir, "endwise", "a"))
		}, 1},
		"the store":   {func() { write(filepath.Join(os.Getenv("ENDWISE_STORE"), "a")) }, 1},
		"the package": {func() { write("testdata/a") }, 1},
		"a look around": {func() {
			for _, name := range []string{"HOME", "XDG_CACHE_HOME", "ENDWISE_STORE"} {
				if os.Getenv(name) == outside {
					t.Errorf("%s is the user's", name)
				}
			}
			if os.Getenv("ENDWISE_SERVER") != "" {
				t.Error("the user's server is seen")
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("PATH", "") // the go command stores a directory in the home
			for _, name := range []string{"HOME", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "ENDWISE_STORE", "TMPDIR"} {
				t.Setenv(name, outside)
			}
			if code := Isolated(testsThat(c.do)).Run(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
				t.Errorf("outside there is %v, %v", left, err)
			}
		})
	}
}

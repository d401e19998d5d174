package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// testMain matches the beginning of a package's tests.
var testMain = regexp.MustCompile(`testenv\.(Main|Isolated)\(`)

// layers are the folders of packages from top to bottom.
var layers = []string{"cmd", "book", "solver", "engine"}

// repositoryFiles returns the contents of the files with one of the extensions in and below
// the directories, by their paths from the repository's root.
func repositoryFiles(t *testing.T, extensions []string, dirs ...string) map[string]string {
	t.Helper()
	root, out := filepath.Join("..", ".."), map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == ".git":
				return fs.SkipDir
			case d.IsDir() || !slices.Contains(extensions, filepath.Ext(path)):
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			out[filepath.ToSlash(name)] = string(text)
			return err
		})
		testenv.OK(t, err)
	}
	return out
}

// goFiles returns the Go files of the layers.
func goFiles(t *testing.T, layers ...string) map[string]string {
	t.Helper()
	return repositoryFiles(t, []string{".go"}, layers...)
}

// Imports point downwards: cmd → book → solver → engine. data contains files and imports
// none of the others. The top level contains nothing else.
func TestImportsPointDownwards(t *testing.T) {
	root := filepath.Join("..", "..")
	height := map[string]int{"data": 0}
	for i, r := range layers {
		height[r] = len(layers) - i
	}
	files := goFiles(t, append([]string{"data"}, layers...)...)
	for path, text := range files {
		layer, _, _ := strings.Cut(path, "/")
		f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		testenv.OK(t, err)
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			testenv.OK(t, err)
			if inside, ok := strings.CutPrefix(name, "endwise/"); ok {
				to, _, _ := strings.Cut(inside, "/")
				if height[to] > height[layer] || layer == "data" && to != "data" {
					t.Errorf("%s imports %s: upwards", path, name)
				}
			}
		}
	}
	if len(files) < 100 {
		t.Errorf("only %d files were looked at", len(files))
	}
	names, err := os.ReadDir(root)
	testenv.OK(t, err)
	for _, e := range names {
		switch n := e.Name(); {
		case height[n] > 0, n == "data", n == "go.mod", n == "go.sum", n == "README.md", strings.HasPrefix(n, "."):
		default:
			t.Errorf("%s lies at the top level", n)
		}
	}
}

// Every package that others use has an example that runs, except packages that only tests
// use.
func TestEveryPackageHasAnExample(t *testing.T) {
	example := regexp.MustCompile(`(?m)^func Example`)
	shows := map[string]bool{}
	for path, text := range goFiles(t, "engine", "solver", "book") {
		dir := filepath.Dir(path)
		if !strings.HasSuffix(dir, "test") && !strings.HasSuffix(dir, "testenv") {
			shows[dir] = shows[dir] || strings.HasSuffix(path, "_test.go") && example.MatchString(text)
		}
	}
	for dir, one := range shows {
		if !one {
			t.Errorf("%s: no example", dir)
		}
	}
}

// The tests of every package have their own environment.
func TestEveryPackageHasItsOwnEnvironment(t *testing.T) {
	isolated := map[string]bool{}
	for path, text := range goFiles(t, layers...) {
		if dir := filepath.Dir(path); strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, "testenv/testenv_test.go") {
			isolated[dir] = isolated[dir] || testMain.MatchString(text)
		}
	}
	for dir, one := range isolated {
		if !one {
			t.Errorf("%s: no TestMain that calls testenv.Main: its tests see the home and the store of the user who runs them", dir)
		}
	}
}

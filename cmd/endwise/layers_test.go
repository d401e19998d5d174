package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// testMain is how the tests of a package begin.
var testMain = regexp.MustCompile(`testenv\.(Main|Isolated)\(`)

// layers go from the top down.
var layers = []string{"cmd", "book", "solver", "engine"}

// Imports point only downwards: cmd → book → solver → engine. data holds
// files and imports nothing of the others. Nothing else lies at the top.
func TestImportsPointDownwards(t *testing.T) {
	root := filepath.Join("..", "..")
	height := map[string]int{"data": 0}
	for i, r := range layers {
		height[r] = len(layers) - i
	}
	files := 0
	for _, layer := range append([]string{"data"}, layers...) {
		err := filepath.WalkDir(filepath.Join(root, layer), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			if err != nil {
				return err
			}
			files++
			for _, i := range f.Imports {
				name, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					return err
				}
				if inside, ok := strings.CutPrefix(name, "endwise/"); ok {
					to, _, _ := strings.Cut(inside, "/")
					if height[to] > height[layer] || layer == "data" && to != "data" {
						t.Errorf("%s imports %s: upwards", path, name)
					}
				}
			}
			return nil
		})
		testenv.OK(t, err)
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
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

// Every package that others use shows how, by an example that runs; those that only
// tests use are read there.
func TestEveryPackageHasAnExample(t *testing.T) {
	root := filepath.Join("..", "..")
	example := regexp.MustCompile(`(?m)^func Example`)
	shows := map[string]bool{}
	for _, layer := range []string{"engine", "solver", "book"} {
		err := filepath.WalkDir(filepath.Join(root, layer), func(path string, d fs.DirEntry, err error) error {
			dir := filepath.Dir(path)
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(dir, "test") || strings.HasSuffix(dir, "testenv") {
				return err
			}
			text, err := os.ReadFile(path)
			shows[dir] = shows[dir] || strings.HasSuffix(path, "_test.go") && example.Match(text)
			return err
		})
		testenv.OK(t, err)
	}
	for dir, one := range shows {
		if !one {
			t.Errorf("%s: no example", dir)
		}
	}
}

// Every package that has tests gives them an environment of its own.
func TestEveryPackageHasItsOwnEnvironment(t *testing.T) {
	root := filepath.Join("..", "..")
	tested, isolated := map[string]bool{}, map[string]bool{}
	for _, layer := range layers {
		err := filepath.WalkDir(filepath.Join(root, layer), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "testenv/testenv_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			tested[filepath.Dir(path)] = true
			if testMain.Match(text) {
				isolated[filepath.Dir(path)] = true
			}
			return err
		})
		testenv.OK(t, err)
	}
	for dir := range tested {
		if !isolated[dir] {
			t.Errorf("%s: no TestMain that calls testenv.Main: its tests see the home and the store of whoever runs them", dir)
		}
	}
}

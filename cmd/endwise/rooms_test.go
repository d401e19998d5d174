package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// rooms are the parts of the house, from the top down.
var rooms = []string{"cmd", "book", "solver", "engine"}

// Imports point only downwards: cmd → book → solver → engine. data holds
// files and imports nothing of the house. Nothing else lies at the top.
func TestImportsPointDownwards(t *testing.T) {
	root := filepath.Join("..", "..")
	height := map[string]int{"data": 0}
	for i, r := range rooms {
		height[r] = len(rooms) - i
	}
	files := 0
	for _, room := range append([]string{"data"}, rooms...) {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, d fs.DirEntry, err error) error {
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
					if height[to] > height[room] || room == "data" {
						t.Errorf("%s imports %s: upwards", path, name)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
	names, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range names {
		switch n := e.Name(); {
		case height[n] > 0, n == "data", n == "go.mod", n == "go.sum", n == "README.md", strings.HasPrefix(n, "."):
		default:
			t.Errorf("%s lies at the top level", n)
		}
	}
}

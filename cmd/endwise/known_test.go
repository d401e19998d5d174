package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// A game may be named in files whose path contains its name, in the packages of its wire
// protocol and its solvers, and in the list of games. Comments and help may name games as
// examples.
var registration = []string{"cmd/endwise/games.go", "cmd/endwise/web/program/main_js.go"}

// ofAllGames are packages and files with a part for each game: the checkers, which are read
// alone, the practice levels, the reasons for a value, the lessons, and the games on the
// first page.
var ofAllGames = []string{"cmd/checkproof/", "engine/levels/", "book/why/", "cmd/endwise/web/lessons.js", "cmd/endwise/web/recorded.go"}

// ownPackages are the packages of one game whose path does not name it.
var ownPackages = []string{
	"engine/wire/cwbot", "engine/wire/cwhttp", "engine/wire/dabws", "engine/wire/wyb",
}

// helpFields are the fields of a command that contain help.
var helpFields = []string{"Use", "Short", "Long", "Example"}

var notLetters = regexp.MustCompile(`[^a-z]+`)

// plainWord returns the letters of a text in lower case, so that all spellings of a name
// are equal.
func plainWord(text string) string { return notLetters.ReplaceAllString(strings.ToLower(text), "") }

// gameWords returns the names and titles of all games.
func gameWords() []string {
	var out []string
	for _, g := range games() {
		for _, w := range []string{plainWord(g.Name()), plainWord(g.Title())} {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// known returns the game that a text names, "" for none.
func known(text string) string {
	text = plainWord(text)
	for _, w := range gameWords() {
		if strings.Contains(text, w) {
			return w
		}
	}
	return ""
}

// ofOneGame reports whether a file belongs to a game.
func ofOneGame(path string) bool {
	return known(path) != "" || slices.ContainsFunc(ownPackages, func(p string) bool { return strings.HasPrefix(path, p+"/") })
}

// A game is named in its own files, its wire protocol and the list of games only. The test
// checks the identifiers and texts of all Go files, and the scripts and pages.
func TestGamesAreKnownInTheirFilesOnly(t *testing.T) {
	t.Parallel()
	files := 0
	for path, text := range repositoryFiles(t, []string{".go", ".js", ".html", ".css", ".py"}, append([]string{"data"}, layers...)...) {
		knowing := slices.Contains(registration, path) || ofOneGame(path) ||
			slices.ContainsFunc(ofAllGames, func(dir string) bool { return strings.HasPrefix(path, dir) })
		if knowing || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testdata/") {
			continue
		}
		files++
		if filepath.Ext(path) == ".go" {
			lookForGames(t, path, text)
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if code := strings.TrimSpace(line); !strings.HasPrefix(code, "//") && !strings.HasPrefix(code, "/*") && known(code) != "" {
				t.Errorf("%s:%d knows %s: %s", path, i+1, known(code), code)
			}
		}
	}
	if files < 150 {
		t.Errorf("only %d files were looked at", files)
	}
}

// lookForGames reports the identifiers and texts of a Go file that name a game.
func lookForGames(t *testing.T, path, source string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	testenv.OK(t, err)
	ast.Inspect(f, func(n ast.Node) bool {
		text := ""
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(helpFields, key.Name) {
				return false
			}
		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.SelectorExpr); ok && slices.Contains(helpFields, to.Sel.Name) {
				return false
			}
		case *ast.ImportSpec:
			for _, own := range ownPackages {
				if strings.Trim(n.Path.Value, `"`) == "endwise/"+own {
					t.Errorf("%s imports %s, which belongs to one game", path, own)
				}
			}
		case *ast.Ident:
			text = n.Name
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text = n.Value
			}
		}
		if g := known(text); g != "" {
			t.Errorf("%s:%d knows %s: %.60s", path, set.Position(n.Pos()).Line, g, text)
		}
		return true
	})
}

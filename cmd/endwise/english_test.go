package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"endwise/engine/testenv"
)

// neverRight matches phrases that plain technical English does not need. The section
// "Writing" of the README says what to write instead.
var neverRight = regexp.MustCompile(`(?i)\b(so many|so much|whoever|nobody|somebody|(is|are) told|says? whether|` +
	`by rule|by how much|(is|are) how (many|much)|is up to how|it is said|(is|are|was|were) left out|for ever|` +
	`is no \w+ that|work(s|ed)? out again|of its own accord|says so once)\b`)

// Documents, comments and texts contain no phrase that is never right. Code in backquotes
// and quoted words do not count.
func TestPlainEnglish(t *testing.T) {
	code := regexp.MustCompile("`[^`\n]*`|\"[^\" ]*\"")
	check := func(place, text string) {
		if m := neverRight.FindString(strings.ReplaceAll(code.ReplaceAllString(text, ""), "\n", " ")); m != "" {
			t.Errorf("%s: %q; say it plainly", place, m)
		}
	}
	for path, text := range documents(t) {
		for _, paragraph := range strings.Split(text, "\n\n") {
			check(path, paragraph)
		}
	}
	for path, text := range repositoryFiles(t, []string{".js", ".html", ".css", ".py"}, layers...) { // pages, lessons, starters
		for i, line := range strings.Split(text, "\n") {
			check(fmt.Sprintf("%s:%d", path, i+1), line)
		}
	}
	for path, text := range goFiles(t, append(layers, "data")...) {
		if path == "cmd/endwise/english_test.go" {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		testenv.OK(t, err)
		for _, c := range file.Comments {
			check(set.Position(c.Pos()).String(), c.Text())
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.BasicLit)
			if ok && s.Kind == token.STRING && !strings.HasSuffix(path, "_test.go") && strings.Contains(s.Value, " ") {
				check(set.Position(s.Pos()).String(), strings.Trim(s.Value, "`"))
			}
			return true
		})
	}
}

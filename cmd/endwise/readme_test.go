package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readmeCommand finds where a command line of the README begins: at the start
// of a line of code, behind a prompt, a pipe or what starts a program.
var readmeCommand = regexp.MustCompile("(?:^|\\$ |\\| |&& |<\\()(?:go run \\./cmd/)?(endwise [^|)`]+)")

// Every command line that the README shows is one that the program would take:
// the commands and flags exist and have values of the right form.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	checked, code := 0, false
	check := func(n int, whole string) {
		line := strings.NewReplacer("[", "", "]", "", "…", "").Replace(whole)
		words := shellWords(line)
		if len(words) < 2 || words[1] == "help" || strings.Contains(whole, " … ") {
			return
		}
		checked++
		if err := parses(words); err != nil {
			t.Errorf("README.md:%d: %s: %v", n, line, err)
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code && strings.TrimSpace(line) == "```"
			continue
		}
		if code || strings.HasPrefix(line, "    ") {
			for _, m := range readmeCommand.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
				check(i+1, m[1])
			}
			continue
		}
		for j, span := range strings.Split(line, "`") {
			if j%2 == 1 {
				if m := readmeCommand.FindStringSubmatch(span); m != nil {
					check(i+1, m[1])
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d command lines were found", checked)
	}
}

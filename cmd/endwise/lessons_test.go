package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"endwise/book"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	wybbook "endwise/book/watchyourback"
	"endwise/book/why"
	"endwise/data"
	"endwise/engine"
	"endwise/engine/testenv"
)

// Every lesson's answers are all best moves of its position, proved, and the facts that the
// lesson names exist.
func TestLessons(t *testing.T) {
	t.Parallel()
	type lesson struct {
		Title, Text, Task, Position, Right string
		Answers                            []string
		Why, After                         []why.Kind
		Shortest                           bool
	}
	var courses map[string][]lesson
	_, text, _ := strings.Cut(string(testenv.ReadFile(t, "web/lessons.js")), "\nexport default ")
	testenv.OK(t, json.Unmarshal([]byte(strings.TrimSuffix(strings.TrimSpace(text), ";")), &courses))
	for game, steps := range map[string]int{"dotsandboxes": 8, "circuitwars": 4, "watchyourback": 4} {
		if len(courses[game]) != steps {
			t.Errorf("%s: %d lessons, want %d", game, len(courses[game]), steps)
		}
		open := map[string]func(book.Options) (*book.Lookup, error){"dotsandboxes": dabbook.Open, "circuitwars": cwbook.Open, "watchyourback": wybbook.Open}[game]
		l, err := open(book.Options{Threads: 1, HashBytes: 32 << 20, Store: t.TempDir(), Starter: data.Books()})
		testenv.OK(t, err)
		t.Cleanup(func() { l.Close() })
		decide := func(p engine.Position) engine.Decision {
			d, err := l.Decide(t.Context(), book.Question{Position: p, Clock: engine.ClockFor(time.Minute), AllMoves: true})
			testenv.OK(t, err)
			return d
		}
		facts := func(p engine.Position) (kinds []why.Kind) {
			reasons, err := why.Position(t.Context(), p, decide(p), nil)
			testenv.OK(t, err)
			for _, r := range reasons {
				kinds = append(kinds, r.Kind)
			}
			return kinds
		}
		for _, c := range courses[game] {
			g, err := games().Named(game)
			testenv.OK(t, err)
			p, err := g.Parse(c.Position)
			testenv.OK(t, err)
			d := decide(p)
			var best []string
			for _, m := range d.Moves {
				if m.Proof != engine.Exact {
					t.Errorf("%s: %s is not proved", c.Title, m.Move)
				}
				if m.Score == d.Score && (!c.Shortest || m.Distance == d.Distance) {
					best = append(best, m.Move)
				}
			}
			slices.Sort(best)
			if !slices.Equal(best, c.Answers) || len(best) == len(d.Moves) {
				t.Errorf("%s: the answers are %v, want %v of %d moves", c.Title, c.Answers, best, len(d.Moves))
			}
			after, err := engine.PlayText(p, best[0])
			testenv.OK(t, err)
			has, then := facts(p), facts(after)
			for _, k := range c.Why {
				if !slices.Contains(has, k) {
					t.Errorf("%s: no fact %q in %v", c.Title, k, has)
				}
			}
			for _, k := range c.After {
				if !slices.Contains(then, k) {
					t.Errorf("%s: no fact %q after the answer in %v", c.Title, k, then)
				}
			}
			if c.Title == "" || c.Text == "" || c.Task == "" || c.Right == "" || len(c.Why)+len(c.After) == 0 {
				t.Errorf("%s: a text or a fact is missing", c.Title)
			}
		}
	}
}

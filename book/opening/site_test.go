package opening

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/kayles"
	"endwise/engine/watchyourback"
)

var reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// On every page each legal move is drawn once, with a link where the position
// after it has a page, whatever the game's board is made of.
func TestSiteDrawsEveryMove(t *testing.T) {
	even := func(_ context.Context, p engine.Position) (d engine.Decision, err error) {
		for _, m := range p.Moves() {
			d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(m)})
		}
		return d, nil
	}
	for _, c := range []struct {
		game  engine.Game
		board string
	}{{circuitwars.Game{}, "2x2"}, {dotsandboxes.Game{}, "2x2"}, {watchyourback.Game{}, ""}, {kayles.Game{}, "7"}, {marbleGame{}, ""}} {
		b, err := New(c.game, c.board)
		if err != nil {
			t.Fatal(err)
		}
		grow(t, b, GrowOptions{Evaluators: []Evaluator{even}, Nodes: 12})
		dir := t.TempDir()
		if n, err := b.WriteSite(t.Context(), dir, 0, nil); err != nil || n != b.Len() || n < 5 {
			t.Fatalf("%s: %d pages for %d nodes (%v)", c.game.Name(), n, b.Len(), err)
		}
		for id := range b.nodes {
			p, err := b.position(int32(id))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash((&site{b: b}).file(int32(id)))))
			if err != nil {
				t.Fatal(err)
			}
			_, members, err := b.rules.steps(p)
			if err != nil {
				t.Fatal(err)
			}
			linked := 0
			for _, class := range members {
				if b.nodes[id].classes[class].child >= 0 {
					linked++
				}
			}
			board, _, _ := strings.Cut(string(text), "</svg>")
			_, board, drawn := strings.Cut(board, "<svg")
			if want := c.game.Name() != "marbles"; drawn != want {
				t.Fatalf("%s: a drawing: %v, want %v", p, drawn, want)
			}
			if moves, links := strings.Count(board, "<g data-class="), strings.Count(board, "<a href="); drawn && (moves != len(members) || links != linked) {
				t.Errorf("%s: %d of %d moves are drawn, %d of %d links", p, moves, len(members), links, linked)
			}
		}
	}
}

// Every page can be reached from the first one by links, every link leads to a
// file, and no page asks a server for anything.
func TestSiteIsWholeAndStandsAlone(t *testing.T) {
	o := newOracle()
	b := read(t, saved(t, "2x3", 120, o.prover(4)))
	if b.Len() < 20 {
		b = read(t, saved(t, "2x3", 120, guesser))
	}
	dir := t.TempDir()
	n, err := b.WriteSite(context.Background(), dir, 0, nil)
	if err != nil || n != b.Len() {
		t.Fatalf("%d pages for %d nodes (%v)", n, b.Len(), err)
	}
	files := map[string]bool{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = false
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != n+3 {
		t.Errorf("%d files for %d pages, an index, a style sheet and a script", len(files), n)
	}
	todo := []string{filepath.Join(dir, "index.html")}
	files[todo[0]] = true
	for len(todo) > 0 {
		page := todo[0]
		todo = todo[1:]
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "http:") || strings.Contains(string(text), "https:") {
			t.Fatalf("%s names a server", page)
		}
		if !strings.Contains(string(text), `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `) {
			t.Fatalf("%s has no content security policy", page)
		}
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))
			seen, ok := files[to]
			if !ok {
				t.Fatalf("%s: link to %s, which is not there", page, m[1])
			}
			if files[to] = true; !seen && strings.HasSuffix(to, ".html") {
				todo = append(todo, to)
			}
		}
	}
	for f, seen := range files {
		if !seen {
			t.Errorf("no link leads to %s", f)
		}
	}
	// Of a few pages only, no link leads to one that is left out.
	few := t.TempDir()
	if n, err := b.WriteSite(context.Background(), few, 7, nil); err != nil || n != 7 {
		t.Fatalf("%d pages (%v)", n, err)
	}
	err = filepath.WalkDir(few, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".html" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range reference.FindAllStringSubmatch(string(text), -1) {
			if _, serr := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(m[1]))); serr != nil {
				t.Errorf("%s: link to %s, which is not there", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

package book_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	"endwise/book/opening"
	"endwise/book/store"
	wybbook "endwise/book/watchyourback"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// TestFlippedBits flips single bits in the files of a table of each kind and of a published
// book. Opening or verifying must find each, no answer of the lookup may be wrong, and the
// lookup must ignore the table and report it once. With ENDWISE_DEEP=1 the number of bits
// per file is ENDWISE_DEEP_BITS, by default 3000, as far as the time limit of go test
// allows.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	rounds := 2
	if os.Getenv("ENDWISE_DEEP") != "" {
		rounds = 3000
		if n, err := strconv.Atoi(os.Getenv("ENDWISE_DEEP_BITS")); err == nil {
			rounds = n
		}
	}
	for _, c := range []struct {
		name  string
		build func(dir string) error
		open  func(book.Options) (*book.Lookup, error)
		judge plain.Solver
		draw  func(r *rand.Rand) engine.Position
	}{
		{
			"circuitwars-board-2x2",
			func(dir string) error {
				_, err := cwbook.SolveBoard(t.Context(), dir, enginetest.Board(t, "2x2"), farm.InProcess(1), nil)
				return err
			},
			cwbook.Open, &plain.CircuitWars{},
			func(r *rand.Rand) engine.Position {
				return booktest.RandomCircuitWars(t, r, enginetest.Board(t, "2x2"), 3+r.IntN(10))
			},
		},
		{
			"circuitwars-endings-6",
			func(dir string) error {
				_, err := cwbook.SolveEndings(t.Context(), dir, 6, 1, farm.InProcess(1), nil)
				return err
			},
			cwbook.Open, &plain.CircuitWars{},
			func(r *rand.Rand) engine.Position {
				return booktest.RandomCircuitWars(t, r, enginetest.Board(t, "3x4"), 3+r.IntN(4))
			},
		},
		{
			"dotsandboxes-board-2x2",
			func(dir string) error {
				_, err := dabbook.SolveBoard(t.Context(), dir, enginetest.Board(t, "2x2"), 1, nil)
				return err
			},
			dabbook.Open, &plain.DotsAndBoxes{},
			func(r *rand.Rand) engine.Position {
				return booktest.RandomDotsAndBoxes(t, r, enginetest.Board(t, "2x2"), 3+r.IntN(10))
			},
		},
		{
			"watchyourback-6x6-4",
			func(dir string) error {
				_, err := wybbook.Solve(t.Context(), dir, 4, 100, farm.InProcess(2), nil)
				return err
			},
			wybbook.Open, &plain.WatchYourBack{},
			func(r *rand.Rand) engine.Position { return booktest.RandomWatchYourBack(t, r, 2, 2, 190+r.IntN(2)) },
		},
		{
			opening.TableName(circuitwars.Name, "2x2"),
			func(dir string) error {
				b, err := opening.New(circuitwars.Game{}, "2x2")
				if err != nil {
					return err
				}
				if _, err = b.Grow(t.Context(), opening.GrowOptions{Evaluators: []opening.Evaluator{guess}}); err == nil {
					_, err = b.Publish(t.Context(), dir)
				}
				return err
			},
			cwbook.Open, &plain.CircuitWars{},
			func(r *rand.Rand) engine.Position {
				return booktest.RandomCircuitWars(t, r, enginetest.Board(t, "2x2"), 8+r.IntN(4))
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			master := t.TempDir()
			testenv.OK(t, c.build(master))
			r := rand.New(rand.NewPCG(8, 5))
			var questions []engine.Position
			var answers []plain.Answer
			for len(questions) < 6 {
				p := c.draw(r)
				a, err := c.judge.Solve(p.String())
				testenv.OK(t, err)
				if !p.Over() {
					questions, answers = append(questions, p), append(answers, a)
				}
			}
			files, err := os.ReadDir(filepath.Join(master, c.name))
			testenv.OK(t, err)
			if log, used := askDamaged(t, "undamaged", c.open, master, questions, answers); log != "" || used == 0 {
				t.Fatalf("undamaged, it answers %d questions and says %s", used, log)
			}
			deadline, limited := t.Deadline()
			flipped, found := 0, 0
			for round := range rounds {
				if limited && rounds > 2 && time.Until(deadline) < 20*time.Second {
					break
				}
				for _, f := range files {
					dir := filepath.Join(t.TempDir(), "store")
					where := flipBit(t, r, master, dir, c.name, f.Name())
					if where == "" {
						continue // an empty file
					}
					flipped++
					what := fmt.Sprintf("round %d, %s", round, where)
					log, used := askDamaged(t, what, c.open, dir, questions, answers)
					if lines := strings.Count(log, "ignored"); lines > 1 || lines == 0 && used == 0 {
						t.Errorf("%s: %d answers of the table, reported %d times:\n%s", what, used, lines, log)
					}
					if p := problemOf(t, filepath.Join(dir, c.name)); p == nil {
						t.Errorf("%s: verify finds nothing", what)
					} else {
						found++
					}
					testenv.OK(t, os.RemoveAll(dir))
				}
			}
			t.Logf("%d bits flipped in %d files, %d found", flipped, len(files), found)
		})
	}
}

// TestDamageFoundWhileAnswering damages blocks of tables that are too large to be read
// completely on opening: each damaged block that is read is reported once, and all answers
// remain true.
func TestDamageFoundWhileAnswering(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		build func(dir string) error
		open  func(book.Options) (*book.Lookup, error)
		draw  func(r *rand.Rand) engine.Position
	}{
		{
			"circuitwars-endings-10",
			func(dir string) error {
				_, err := cwbook.SolveEndings(t.Context(), dir, 10, 2, farm.InProcess(2), nil)
				return err
			},
			cwbook.Open,
			func(r *rand.Rand) engine.Position {
				return booktest.RandomCircuitWars(t, r, enginetest.Board(t, "4x4"), 10)
			},
		},
		{
			"dotsandboxes-board-2x4",
			func(dir string) error {
				_, err := dabbook.SolveBoard(t.Context(), dir, enginetest.Board(t, "2x4"), 2, nil)
				return err
			},
			dabbook.Open,
			func(r *rand.Rand) engine.Position {
				return booktest.RandomDotsAndBoxes(t, r, enginetest.Board(t, "2x4"), 12)
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, harmed := t.TempDir(), filepath.Join(t.TempDir(), "store")
			testenv.OK(t, c.build(dir))
			testenv.OK(t, os.CopyFS(harmed, os.DirFS(dir)))
			testenv.OK(t, booktest.Flip(harmed, ".sst", 0))
			var log bytes.Buffer
			whole := booktest.Open(t, c.open, book.Options{Store: dir, Threads: 1, HashBytes: 1 << 20})
			l := booktest.Open(t, c.open, book.Options{Store: harmed, Threads: 1, HashBytes: 1 << 20, Log: slog.New(slog.NewTextHandler(&log, nil))})
			r := rand.New(rand.NewPCG(5, 8))
			for range 12 {
				p := c.draw(r)
				want, err := whole.Decide(t.Context(), book.Question{Position: p})
				if err != nil || want.Source != "table" || !want.Exact {
					t.Fatalf("undamaged: %+v, %v", want, err)
				}
				if log.Len() > 0 && strings.Contains(log.String(), "checksum of bytes") {
					t.Fatalf("the damage is found on opening: %s", &log)
				}
				d, err := l.Decide(t.Context(), book.Question{Position: p})
				if err != nil || !d.Exact || d.Score != want.Score {
					t.Errorf("%s: %+v, %v; want %d", p, d, err, want.Score)
				}
			}
			if said := strings.Count(log.String(), "table ignored"); said != 1 {
				t.Errorf("reported %d times", said)
			}
		})
	}
}

// flipBit copies a store, flips one bit of one file and returns its place; "" if the file
// is empty.
func flipBit(t *testing.T, r *rand.Rand, from, to, table, file string) string {
	t.Helper()
	testenv.OK(t, os.CopyFS(to, os.DirFS(from)))
	path := filepath.Join(to, table, file)
	data := testenv.ReadFile(t, path)
	if len(data) == 0 {
		return ""
	}
	at, bit := r.IntN(len(data)), r.IntN(8)
	data[at] ^= 1 << bit
	testenv.OK(t, os.WriteFile(path, data, 0o644))
	return fmt.Sprintf("%s byte %d bit %d", file, at, bit)
}

// askDamaged queries a lookup over a damaged store and returns its log and the number of
// answers that came from a table or book.
func askDamaged(t *testing.T, what string, open func(book.Options) (*book.Lookup, error), dir string, questions []engine.Position, answers []plain.Answer) (said string, used int) {
	t.Helper()
	var log bytes.Buffer
	l, err := open(book.Options{Store: dir, Threads: 1, HashBytes: 1 << 20, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	for i, p := range questions {
		d, err := l.Decide(context.Background(), book.Question{Position: p, AllMoves: i%2 == 0})
		if err != nil {
			t.Errorf("%s, %s: %v", what, p, err)
			continue
		}
		for _, wrong := range contradictions(p, d, answers[i]) {
			t.Errorf("%s, %s, %s: %s", what, p, d.Source, wrong)
		}
		if d.Source == "table" || d.Source == "book" {
			used++
		}
	}
	if err := l.Close(); err != nil {
		t.Errorf("%s: close: %v", what, err)
	}
	return log.String(), used
}

// problemOf returns the first problem that verifying a table reports.
func problemOf(t *testing.T, path string) (problem error) {
	t.Helper()
	tab, err := store.Open(path, store.Options{CacheBytes: -1})
	if err != nil {
		return err
	}
	h := tab.Header()
	err = tab.Verify(context.Background(), func(err error) {
		if problem == nil {
			problem = err
		}
	}, nil)
	if cerr := tab.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if problem == nil {
		_, problem = allGames.CheckTable(context.Background(), path, h, book.Share, nil)
	}
	return problem
}

package book_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	"endwise/book/opening"
	wybbook "endwise/book/watchyourback"
	"endwise/engine"
	"endwise/engine/enginetest"
	"endwise/engine/watchyourback"
	"endwise/solver/farm"
	"endwise/solver/plain"
)

// The tests of this file query complete lookups, with and without a store, and compare all
// claimed proofs with the plain solver. With ENDWISE_DEEP=1 they compare
// ENDWISE_DEEP_POSITIONS positions per game (by default a million), as far as the time
// limit of go test allows.

// askAll queries all lookups about random positions and checks that each source in heard
// answers, given as the name of a lookup and of its source.
func askAll(t *testing.T, few int, lookups map[string]*book.Lookup, heard []string, judge func(size string) plain.Solver, draw func(r *rand.Rand) engine.Position) {
	t.Helper()
	n, seed := few, uint64(1)
	deep := os.Getenv("ENDWISE_DEEP") != ""
	if deep {
		n, seed = 1_000_000, rand.Uint64N(1<<40)
		if v, err := strconv.Atoi(os.Getenv("ENDWISE_DEEP_POSITIONS")); err == nil {
			n = v
		}
		if v, err := strconv.ParseUint(os.Getenv("ENDWISE_DEEP_SEED"), 10, 62); err == nil {
			seed = v
		}
	}
	t.Logf("seed %d", seed)
	deadline, limited := t.Deadline()
	began, sources, i, compared := time.Now(), map[string]int{}, 0, 0
	for ; i < n && !(deep && limited && time.Until(deadline) < 15*time.Second); i++ {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		p := draw(r)
		if p.Over() {
			continue
		}
		want, err := judge(p.BoardName()).Solve(p.String())
		if errors.Is(err, plain.ErrTooLarge) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		compared++
		for _, name := range slices.Sorted(maps.Keys(lookups)) {
			q := book.Question{Position: p, AllMoves: r.IntN(2) == 0}
			if w, ok := p.(watchyourback.Position); ok && w.ToShrink() > 2 {
				// Far from the shrink the heuristic search would run for long, and its
				// unproved results are not compared.
				q.Clock = engine.ClockFor(50 * time.Millisecond)
			}
			d, err := lookups[name].Decide(t.Context(), q)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, p, err)
			}
			sources[name+" "+d.Source]++
			for _, wrong := range contradictions(p, d, want) {
				t.Errorf("%s, %s, %s: %s", name, p, d.Source, wrong)
			}
		}
		if t.Failed() {
			t.Fatalf("position %d of seed %d", i, seed)
		}
	}
	took := time.Since(began)
	t.Logf("%d positions of %d in %v, %.0f a second: %v", compared, i, took.Round(time.Millisecond), float64(compared)/took.Seconds(), sources)
	for _, name := range heard {
		if sources[name] == 0 {
			t.Errorf("%s says nothing", name)
		}
	}
}

// contradictions returns the claims of a decision that are false.
func contradictions(p engine.Position, d engine.Decision, want plain.Answer) (out []string) {
	if !booktest.Sound(d.Score, d.Proof, want.Value) || d.Exact != (d.Proof == engine.Exact) {
		out = append(out, fmt.Sprintf("%s %d, want %d", d.Proof, d.Score, want.Value))
	}
	if v, legal := want.Moves[d.Move]; !legal || d.Proof == engine.Exact && v != want.Value || d.Proof == engine.Lower && v < d.Score {
		out = append(out, fmt.Sprintf("%s %d by %s, which is worth %d (legal %v)", d.Proof, d.Score, d.Move, v, legal))
	}
	for _, m := range d.Moves {
		if v, legal := want.Moves[m.Move]; !legal || !booktest.Sound(m.Score, m.Proof, v) {
			out = append(out, fmt.Sprintf("%s %s %d, want %d (legal %v)", m.Move, m.Proof, m.Score, v, legal))
		}
	}
	// The line is legal throughout and begins with the move.
	if len(d.Line) == 0 || d.Line[0] != d.Move {
		out = append(out, fmt.Sprintf("line %v of move %s", d.Line, d.Move))
	}
	for _, name := range d.Line {
		var err error
		if p, err = engine.PlayText(p, name); err != nil {
			return append(out, fmt.Sprintf("line %v: %v", d.Line, err))
		}
	}
	return out
}

// Near the end of a game every value is proved, however short the time is.
func TestEndingsAreSolvedWithoutTime(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for name, c := range map[string]struct {
		open func(book.Options) (*book.Lookup, error)
		draw func() engine.Position
	}{
		"circuitwars": {cwbook.Open, func() engine.Position {
			return booktest.RandomCircuitWars(t, r, enginetest.Board(t, "7x7"), 2+r.IntN(12))
		}},
		"dotsandboxes": {dabbook.Open, func() engine.Position {
			return booktest.RandomDotsAndBoxes(t, r, enginetest.Board(t, "5x5"), 2+r.IntN(12))
		}},
		"watchyourback": {wybbook.Open, func() engine.Position { return booktest.RandomWatchYourBack(t, r, 2, 2, 188+r.IntN(4)) }},
	} {
		l := booktest.Open(t, c.open, book.Options{Threads: 1, HashBytes: 1 << 20})
		for i := range 20 {
			q := book.Question{Position: c.draw(), Clock: engine.ClockFor(1), AllMoves: i%2 == 0}
			d, err := l.Decide(t.Context(), q)
			if errors.Is(err, engine.ErrGameOver) {
				continue
			}
			if err != nil || d.Proof != engine.Exact {
				t.Errorf("%s, %s: %s by %s, %d nodes, %v", name, q.Position, d.Proof, d.Source, d.Nodes, err)
			}
		}
	}
}

// judges caches a plain solver for each small board.
func judges(small int, fresh func() plain.Solver) func(size string) plain.Solver {
	kept := map[string]plain.Solver{}
	return func(size string) plain.Solver {
		var rows, cols int
		if _, err := fmt.Sscanf(size, "%dx%d", &rows, &cols); err != nil || rows*cols > small {
			return fresh()
		}
		if kept[size] == nil {
			kept[size] = fresh()
		}
		return kept[size]
	}
}

func TestTruthOfCircuitWarsLookups(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	if _, err := cwbook.SolveBoard(t.Context(), store, enginetest.Board(t, "2x3"), farm.InProcess(2), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := cwbook.SolveEndings(t.Context(), store, 8, 2, farm.InProcess(2), nil); err != nil {
		t.Fatal(err)
	}
	withBook, _ := publishedBook(t, "2x2", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}})
	lookups := map[string]*book.Lookup{
		"without a store": booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 16 << 20}),
		"with tables":     booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: store}),
		"with a book":     booktest.Open(t, cwbook.Open, book.Options{Threads: 2, HashBytes: 1 << 20, Store: withBook}),
	}
	boards := []string{"1x3", "1x5", "2x2", "2x2", "2x3", "3x2", "3x3", "4x4", "7x7"}
	askAll(t, 70, lookups, []string{"without a store solved", "without a store mirror", "with tables table", "with tables solved", "with a book book"}, judges(6, func() plain.Solver { return &plain.CircuitWars{} }), func(r *rand.Rand) engine.Position {
		b := enginetest.Board(t, boards[r.IntN(len(boards))])
		most := 9
		if b.Segments() <= 17 {
			most = b.Segments()
		}
		return booktest.RandomCircuitWars(t, r, b, 1+r.IntN(most))
	})
}

func TestTruthOfDotsAndBoxesLookups(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	for _, board := range []string{"2x2", "2x3"} {
		if _, err := dabbook.SolveBoard(t.Context(), store, enginetest.Board(t, board), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	lookups := map[string]*book.Lookup{
		"without a store": booktest.Open(t, dabbook.Open, book.Options{Threads: 1, HashBytes: 16 << 20}),
		"with tables":     booktest.Open(t, dabbook.Open, book.Options{Threads: 2, HashBytes: 1 << 20, Store: store}),
	}
	boards := []string{"1x3", "1x5", "2x2", "2x3", "3x2", "3x3", "4x4", "5x5"}
	askAll(t, 100, lookups, []string{"without a store solved", "with tables table", "with tables solved"}, judges(6, func() plain.Solver { return &plain.DotsAndBoxes{} }), func(r *rand.Rand) engine.Position {
		b := enginetest.Board(t, boards[r.IntN(len(boards))])
		most := 10
		if b.Segments() <= 17 {
			most = b.Segments()
		}
		return booktest.RandomDotsAndBoxes(t, r, b, 1+r.IntN(most))
	})
}

func TestTruthOfWatchYourBackLookups(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	if _, err := wybbook.Solve(t.Context(), store, 4, 100, farm.InProcess(2), nil); err != nil {
		t.Fatal(err)
	}
	lookups := map[string]*book.Lookup{
		"without a store": booktest.Open(t, wybbook.Open, book.Options{HashBytes: 8 << 20}),
		"with tables":     booktest.Open(t, wybbook.Open, book.Options{HashBytes: 1 << 20, Store: store}),
	}
	judge := &plain.WatchYourBack{Pieces: 4}
	askAll(t, 25, lookups, []string{"without a store table", "without a store solved", "with tables table", "with tables solved"}, func(string) plain.Solver { return judge }, func(r *rand.Rand) engine.Position {
		switch r.IntN(3) {
		case 0: // 4x4, with quiet turns up to the limit
			for {
				rows := []byte("......../......../..X--X../..----../..----../..X--X../......../........")
				for _, c := range "OO@@" {
					rows[booktest.EmptySquare(r, rows)] = byte(c)
				}
				for range r.IntN(4) {
					rows[booktest.EmptySquare(r, rows)] = "O@"[r.IntN(2)]
				}
				turns := 300 + r.IntN(100)
				text := fmt.Sprintf("%s:moving:%d", rows, turns)
				switch r.IntN(3) {
				case 0:
					text += fmt.Sprintf(":quiet=%d", 100-r.IntN(40))
				case 1:
					text += ":strict"
				}
				if p, err := watchyourback.Parse(text); err == nil {
					return p
				}
			}
		case 1: // two against two, any number of turns before the second shrink
			return booktest.RandomWatchYourBack(t, r, 2, 2, 129+r.IntN(63))
		}
		return booktest.RandomWatchYourBack(t, r, 2+r.IntN(3), 2+r.IntN(3), 190+r.IntN(2))
	})
}

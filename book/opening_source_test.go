package book_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	"endwise/book/opening"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/enginetest"
	"endwise/engine/grid"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/solver/circuitwars/exact"
	"endwise/solver/plain"
)

// guess evaluates a position by the immediate captures of each move.
func guess(_ context.Context, pos engine.Position) (engine.Decision, error) {
	p := pos.(circuitwars.Position)
	d := engine.Decision{Depth: 1, Elapsed: time.Hour} // longer than any clock
	for _, m := range p.Moves() {
		q, err := p.Play(m)
		if err != nil {
			return d, err
		}
		d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(m), Score: p.Gain(q)})
	}
	return d, nil
}

// guessAndMirror adds what the mirror theorem proves.
func guessAndMirror(ctx context.Context, p engine.Position) (engine.Decision, error) {
	d, err := guess(ctx, p)
	if err != nil {
		return d, err
	}
	l, err := cwbook.Open(book.Options{Threads: 1, HashBytes: 1 << 16})
	if err != nil {
		return d, err
	}
	q := book.Question{Position: p, Known: book.NewKnown(p, circuitwars.Game{}, nil)}
	if _, err := l.Heuristic.Improve(ctx, &q); err != nil {
		return d, err
	}
	for _, k := range q.Known.Moves() {
		if k.LowerFrom != "" {
			d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(k.Move), Score: k.Lower, Proof: engine.Lower})
		}
		if k.UpperFrom != "" {
			d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(k.Move), Score: k.Upper, Proof: engine.Upper})
		}
	}
	return d, nil
}

// publishedBook grows a book in memory and publishes it into a store.
func publishedBook(t *testing.T, board string, o opening.GrowOptions) (store string, b *opening.Book) {
	t.Helper()
	b, err := opening.New(circuitwars.Game{}, board)
	testenv.OK(t, err)
	if _, err := b.Grow(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := b.Publish(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	return dir, b
}

// The book's answers for a position in any orientation agree with plain minimax, and its
// proofs do not contradict the exact solver.
func TestBookAnswersAgreeWithMinimax(t *testing.T) {
	judge := &plain.CircuitWars{}
	for _, nodes := range []int{60, 400, 0} {
		dir, _ := publishedBook(t, "2x3", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}, Nodes: nodes})
		l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: dir})
		rng := rand.New(rand.NewPCG(5, uint64(nodes)))
		kinds := map[engine.Proof]int{}
		for range 60 {
			p, err := circuitwars.New(2, 3)
			testenv.OK(t, err)
			for !p.Over() {
				truth, err := judge.Solve(p.String())
				testenv.OK(t, err)
				all := rng.IntN(2) == 0
				for _, s := range l.Sources {
					if s.Name() != "book" {
						continue
					}
					alone := book.Lookup{Game: circuitwars.Game{}, Sources: []book.Source{s}}
					d, err := alone.Decide(t.Context(), book.Question{Position: p, AllMoves: all})
					if err != nil {
						continue // not in the book
					}
					kinds[d.Proof]++
					if wrong := contradictions(p, d, truth); wrong != nil || d.Source != "book" && d.Source != "rules" {
						t.Fatalf("%s: %+v: %q", p, d, wrong)
					}
				}
				free := p.Free().Segments()
				p, err = p.Occupy(free[rng.IntN(len(free))])
				testenv.OK(t, err)
			}
		}
		if nodes == 0 && kinds[engine.Exact] == 0 || nodes == 60 && kinds[engine.Estimate] == 0 {
			t.Errorf("%d nodes: answers %v", nodes, kinds)
		}
	}
}

// A line of book moves has at most a dozen moves, although the book goes on.
func TestLineOfBookEnds(t *testing.T) {
	dir, b := publishedBook(t, "1x5", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}})
	l := onlyBooks(booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 16, Store: dir}))
	p, err := b.Start()
	testenv.OK(t, err)
	longest := 0
	for !p.Over() {
		d, err := l.Decide(t.Context(), book.Question{Position: p})
		if err != nil {
			break // the book ends
		}
		longest = max(longest, len(d.Line))
		p = enginetest.Play(t, p, d.Move)
	}
	if longest != 12 {
		t.Errorf("the longest line has %d moves, want 12", longest)
	}
}

// With a small book the second player never loses on odd boards: the book contains the
// mirror theorem's proofs.
func TestBookContainsMirrorProofs(t *testing.T) {
	dir, _ := publishedBook(t, "3x3", opening.GrowOptions{Evaluators: []opening.Evaluator{guessAndMirror}, Nodes: 300})
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: dir})
	l.Heuristic = nil // the heuristic source proves the theorem itself
	asked := 0
	for seed := range uint64(12) {
		opponent, err := levels.New(1+int(seed%3), seed)
		testenv.OK(t, err)
		p, err := circuitwars.New(3, 3)
		testenv.OK(t, err)
		for !p.Over() {
			var d engine.Decision
			if p.Turn() == engine.First {
				d, err = opponent.Choose(context.Background(), p, engine.Clock{})
			} else {
				d, err = l.Decide(context.Background(), book.Question{Position: p, Play: true, Clock: engine.ClockFor(5 * time.Second)})
				if d.Source == "book" {
					asked++
					if d.Proof != engine.Lower && d.Proof != engine.Exact {
						t.Fatalf("%s: the book plays %s by %s", p, d.Move, d.Proof)
					}
				}
			}
			testenv.OK(t, err)
			p = enginetest.Play(t, p, d.Move)
		}
		if engine.Winner(p) != engine.Second {
			t.Errorf("seed %d: %s", seed, p)
		}
	}
	if asked < 12 {
		t.Errorf("the book spoke %d times", asked)
	}
}

// An estimate of the book does not replace an earlier source's proof.
func TestBookEstimatesYieldToProofs(t *testing.T) {
	dir, _ := publishedBook(t, "3x3", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}, Nodes: 80})
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: dir})
	p, err := circuitwars.New(3, 3)
	testenv.OK(t, err)
	estimates := l.Sources[len(l.Sources)-2]
	alone := book.Lookup{Game: circuitwars.Game{}, Sources: []book.Source{estimates}}
	d, err := alone.Decide(context.Background(), book.Question{Position: p})
	if err != nil || d.Proof != engine.Estimate || d.Source != "book" {
		t.Fatalf("%+v %v", d, err)
	}
	for _, k := range []struct {
		known engine.MoveValue
		want  bool
	}{
		{engine.MoveValue{Move: "1,1,top", Score: -3, Proof: engine.Lower}, false},
		{engine.MoveValue{Move: "1,1,top", Score: -3, Proof: engine.Exact}, false},
		{engine.MoveValue{Move: "1,1,top", Score: -9, Proof: engine.Upper}, true},
		{engine.MoveValue{Move: d.Move, Score: 0, Proof: engine.Upper}, true}, // the book's own estimate
		{engine.MoveValue{Move: d.Move, Score: -1, Proof: engine.Upper}, false},
	} {
		q := book.Question{Position: p, Known: book.NewKnown(p, circuitwars.Game{}, nil)}
		q.Known.Learn(engine.Decision{Move: k.known.Move, Source: "test", Moves: []engine.MoveValue{k.known}})
		if ok, err := estimates.Improve(context.Background(), &q); ok != k.want || err != nil {
			t.Errorf("known %+v: the estimate is given %v (%v)", k.known, ok, err)
		}
	}
}

// A search evaluates the moves that a book leaves open. It does not change the book's estimates, and
// the book's best move stays the best.
func TestSearchCompletesBook(t *testing.T) {
	dir, _ := publishedBook(t, "3x3", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}, Nodes: 80})
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: dir})
	start, err := circuitwars.New(3, 3)
	testenv.OK(t, err)
	estimates := l.Sources[len(l.Sources)-2]
	decide := func(p engine.Position, more ...book.Source) (engine.Decision, error) {
		alone := book.Lookup{Game: circuitwars.Game{}, Sources: append([]book.Source{estimates}, more...)}
		return alone.Decide(t.Context(), book.Question{Position: p, AllMoves: true})
	}
	// p becomes a position of the book in which the book does not evaluate every move.
	var p engine.Position
	var open engine.Decision
	for queue := []engine.Position{start}; p == nil && len(queue) > 0; queue = queue[1:] {
		d, err := decide(queue[0])
		if err == nil && len(d.Moves) < len(queue[0].Moves()) {
			p, open = queue[0], d
		}
		for _, m := range d.Moves {
			queue = append(queue, enginetest.Play(t, queue[0], m.Move))
		}
	}
	if p == nil {
		t.Fatal("the book evaluates every move")
	}
	d, err := decide(p, eager{})
	testenv.OK(t, err)
	if d.Move != open.Move || d.Score != open.Score || len(d.Moves) != len(p.Moves()) {
		t.Errorf("%+v, from the book alone %+v", d, open)
	}
	from := map[string]int{}
	for i, m := range d.Moves {
		from[m.Source]++
		if m.Score > open.Score || i < len(open.Moves) && m.Source == "book" && !slices.ContainsFunc(open.Moves, func(b engine.MoveValue) bool {
			return b.Move == m.Move && b.Score == m.Score
		}) {
			t.Errorf("%+v, from the book alone %+v", m, open.Moves)
		}
	}
	if from["book"] != len(open.Moves) || from["eager"] != len(d.Moves)-len(open.Moves) {
		t.Errorf("%v, the book evaluates %d of %d moves", from, len(open.Moves), len(d.Moves))
	}
}

// eager is a search that estimates every move as a great win.
type eager struct{}

func (eager) Name() string { return "eager" }

func (eager) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	for depth := range 2 {
		var all []book.Estimate
		for _, m := range q.Position.Moves() {
			all = append(all, book.Estimate{Move: m, Score: 8})
		}
		q.Known.Estimate("eager", depth+1, all...)
	}
	return false, nil
}

// single lists one best move, with a lower bound of the position, or with its value if
// exact reports so.
type single struct {
	judge plain.Solver
	exact func(engine.Position) bool
}

func (single) Name() string { return "single" }

func (s single) Improve(_ context.Context, q *book.Question) (enough bool, err error) {
	truth, err := s.judge.Solve(q.Position.String())
	if err != nil {
		return false, err
	}
	for _, m := range q.Position.Moves() {
		if truth.Moves[q.Position.MoveString(m)] != truth.Value {
			continue
		}
		c := book.Claim{Move: m, Lower: truth.Value, Upper: book.Unbounded}
		if s.exact(q.Position) {
			c.Upper = truth.Value
			q.Known.Bound("single", c.Lower, c.Upper)
		}
		q.Known.Prove("single", c)
		break
	}
	return true, nil
}

// The evaluator queries the position after each move that no source lists, and turns its
// value or bound into one of the move, also if the same player moves again.
func TestEvaluatorCompletesMoves(t *testing.T) {
	judge := &plain.DotsAndBoxes{}
	var p engine.Position
	exact := false // the values of the positions after the moves of p
	evaluate := book.Evaluator(&book.Lookup{Game: dotsandboxes.Game{}, Sources: []book.Source{
		single{judge, func(q engine.Position) bool { return exact && q.String() != p.String() }},
	}}, time.Minute)
	seen := map[string]int{}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		for p = booktest.RandomDotsAndBoxes(t, rng, enginetest.Board(t, "2x2"), 8); !p.Over(); {
			exact = rng.IntN(2) == 0
			truth, err := judge.Solve(p.String())
			testenv.OK(t, err)
			d, err := evaluate(t.Context(), p)
			testenv.OK(t, err)
			for _, m := range d.Moves {
				if m.Source != "" {
					continue // the source's own
				}
				q := enginetest.Play(t, p, m.Move)
				again, want := q.Turn() == p.Turn(), engine.Upper
				switch {
				case exact:
					want = engine.Exact
				case again:
					want = engine.Lower
				}
				if m.Proof != want || m.Score != truth.Moves[m.Move] {
					t.Fatalf("%s: %+v, want %s %d", p, m, want, truth.Moves[m.Move])
				}
				seen[fmt.Sprint(m.Proof, again)]++
			}
			moves := p.Moves()
			p, err = p.Play(moves[rng.IntN(len(moves))])
			testenv.OK(t, err)
		}
	}
	if len(seen) != 4 {
		t.Errorf("values %v", seen)
	}
}

// On 7x7 the lookup evaluates every move, every first move is proved to lose, and the
// half-turn of each is proved to win for the second player.
func TestEvaluatorRecordsMirrorTheorem(t *testing.T) {
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	b, err := opening.New(circuitwars.Game{}, "7x7")
	testenv.OK(t, err)
	if _, err := b.Grow(context.Background(), opening.GrowOptions{
		Depth: 1, Evaluators: []opening.Evaluator{book.Evaluator(l, 30*time.Millisecond)},
	}); err != nil {
		t.Fatal(err)
	}
	start, err := circuitwars.New(7, 7)
	testenv.OK(t, err)
	for _, m := range start.Moves() {
		q, err := start.Play(m)
		testenv.OK(t, err)
		id, o, ok, err := b.Find(q)
		if err != nil || !ok {
			t.Fatalf("after %s: in the book %v (%v)", start.MoveString(m), ok, err)
		}
		info, err := b.Info(id)
		testenv.OK(t, err)
		if info.Value.Lo < 1 {
			t.Fatalf("after %s: %v for the second player", start.MoveString(m), info.Value)
		}
		image := start.Board().Symmetries()[grid.HalfTurn].Segment[m]
		reply := o.ToCanonical(engine.Move(image))
		found := false
		for _, w := range info.Moves {
			if w.Move == reply {
				found = w.Value.Lo >= 1
			}
		}
		if !found {
			t.Fatalf("after %s the half-turn is not proved to win", start.MoveString(m))
		}
	}
	id, _, _, err := b.Find(start)
	testenv.OK(t, err)
	if info, err := b.Info(id); err != nil || info.Value.Hi > -1 {
		t.Errorf("the first position is worth %v (%v)", info.Value, err)
	}
}

// A book with a damaged block answers until it reads that block; then other sources answer,
// with the same values, and the cause is logged once.
func TestDamagedBookIsIgnored(t *testing.T) {
	root := booktest.RandomCircuitWars(t, rand.New(rand.NewPCG(3, 1)), enginetest.Board(t, "2x3"), 13)
	// The file is large enough that opening checks only a part of it.
	dir, b := publishedBook(t, "2x3", opening.GrowOptions{
		Root: root, Evaluators: []opening.Evaluator{guess},
	})
	undamaged := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: dir})
	var positions []engine.Position
	var scores []int
	for id := range b.Len() {
		info, err := b.Info(opening.Node(id))
		testenv.OK(t, err)
		if !info.Value.Exact() {
			continue
		}
		d, err := undamaged.Decide(t.Context(), book.Question{Position: info.Position})
		testenv.OK(t, err)
		if d.Source == "book" {
			positions, scores = append(positions, info.Position), append(scores, d.Score)
		}
	}
	if len(positions) < 100 {
		t.Fatalf("the book answers %d of its %d positions", len(positions), b.Len())
	}
	harmed := filepath.Join(t.TempDir(), "store")
	testenv.OK(t, os.CopyFS(harmed, os.DirFS(dir)))
	testenv.OK(t, booktest.Flip(harmed, ".sst", 0))
	var log bytes.Buffer
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: harmed, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if log.Len() > 0 {
		t.Fatalf("the damage is found on opening: %s", &log)
	}
	others := 0
	for i, p := range positions {
		d, err := l.Decide(t.Context(), book.Question{Position: p})
		if err != nil || !d.Exact || d.Score != scores[i] {
			t.Errorf("%s: %+v %v, want %d", p, d, err, scores[i])
		}
		if d.Source != "book" {
			others++
		}
	}
	if said := strings.Count(log.String(), "opening book ignored"); others == 0 || said != 1 {
		t.Errorf("%d answers of other sources, the log says it %d times", others, said)
	}
}

// A book that the full player grew under a short clock, with solves, bounds, the mirror
// theorem and estimates, contradicts no exact solve.
func TestGrownBookAgreesWithTheSolver(t *testing.T) {
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	b, err := opening.New(circuitwars.Game{}, "3x3")
	testenv.OK(t, err)
	if _, err := b.Grow(context.Background(), opening.GrowOptions{
		Evaluators: []opening.Evaluator{book.Evaluator(l, 3*time.Millisecond)}, Nodes: 40,
	}); err != nil {
		t.Fatal(err)
	}
	solver := exact.New(exact.Options{Threads: 1, TableBytes: 1 << 22, TypeBytes: 1 << 22})
	proofs := 0
	for id := range b.Len() {
		info, err := b.Info(opening.Node(id))
		testenv.OK(t, err)
		p := info.Position.(circuitwars.Position)
		_, r, err := solver.Best(context.Background(), p.Board(), p.Free())
		if err != nil || !r.Exact() {
			t.Fatalf("%s: %+v %v", p, r, err)
		}
		if v := int16(r.Lower); v < info.Value.Lo || v > info.Value.Hi {
			t.Errorf("%s: the solver says %d, the book %v", p, v, info.Value)
		}
		if info.Value.Lo > -opening.Unbounded || info.Value.Hi < opening.Unbounded {
			proofs++
		}
	}
	if proofs == 0 {
		t.Error("the book proves nothing")
	}
}

// If a position's value is proved without a move that keeps it, the book names no move as
// proved.
func TestExactPositionNeedsProvedMove(t *testing.T) {
	memo := map[grid.Set]int{}
	start, err := circuitwars.New(2, 2)
	testenv.OK(t, err)
	var games [][]engine.Position
	for _, s := range start.Free().Segments() {
		q, err := start.Occupy(s)
		testenv.OK(t, err)
		games = append(games, []engine.Position{start, q})
	}
	// The moves of the first position are evaluated correctly; the other positions are
	// misjudged.
	misjudge := func(_ context.Context, pos engine.Position) (engine.Decision, error) {
		p := pos.(circuitwars.Position)
		d := engine.Decision{Depth: 1, Elapsed: time.Hour}
		for _, s := range p.Free().Segments() {
			q, err := p.Occupy(s)
			if err != nil {
				return d, err
			}
			v := engine.MoveValue{Move: p.MoveString(engine.Move(s)), Score: p.Gain(q) - booktest.CircuitWarsValue(t, q, memo), Proof: engine.Exact}
			if p.Drawn() != start.Drawn() {
				v.Score, v.Proof = -v.Score, engine.Estimate
			}
			d.Moves = append(d.Moves, v)
		}
		return d, nil
	}
	dir, _ := publishedBook(t, "2x2", opening.GrowOptions{Evaluators: []opening.Evaluator{misjudge}, Games: games, Nodes: 20})
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20, Store: dir})
	for _, game := range games {
		p := game[1].(circuitwars.Position)
		for _, all := range []bool{false, true} {
			d, err := l.Decide(t.Context(), book.Question{Position: p, AllMoves: all})
			testenv.OK(t, err)
			q := enginetest.Play(t, p, d.Move)
			if v := p.Gain(q) - booktest.CircuitWarsValue(t, q, memo); !d.Exact || d.Score != v || v != booktest.CircuitWarsValue(t, p, memo) {
				t.Errorf("%s: %s %+d by the %s, exact %v; the move is worth %+d of %+d", p, d.Move, d.Score, d.Source, d.Exact, v, booktest.CircuitWarsValue(t, p, memo))
			}
		}
	}
}

// Of two books the one that looks further ahead estimates, whichever is opened first.
// Proofs of both count: of a position, and of the position after a move that only one of
// them considers.
func TestDeeperBookEstimates(t *testing.T) {
	upside := func(ctx context.Context, p engine.Position) (engine.Decision, error) {
		d, err := guess(ctx, p)
		for i := range d.Moves {
			d.Moves[i].Score = 3 + i%2
		}
		return d, err
	}
	all, b := publishedBook(t, "2x3", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}})
	some, _ := publishedBook(t, "2x3", opening.GrowOptions{Evaluators: []opening.Evaluator{guess}, Nodes: 30})
	own, small := publishedBook(t, "2x3", opening.GrowOptions{Evaluators: []opening.Evaluator{upside}, Nodes: 12})
	start, err := b.Start()
	testenv.OK(t, err)
	name := opening.TableName(circuitwars.Name, "2x3")
	ask := func(store string, p engine.Position, books ...string) engine.Decision {
		t.Helper()
		d, err := onlyBooks(booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 16, Store: store, Books: books})).
			Decide(t.Context(), book.Question{Position: p, AllMoves: true})
		testenv.OK(t, err)
		return d
	}
	front := filepath.Join(own, name)
	deep, shallow := ask(some, start), ask(own, start)
	if deep.Depth <= shallow.Depth || deep.Score == shallow.Score {
		t.Fatalf("depths %d and %d, scores %d and %d", deep.Depth, shallow.Depth, deep.Score, shallow.Score)
	}
	for _, d := range []engine.Decision{ask(some, start, front), ask(own, start, filepath.Join(some, name))} {
		if d.Proof != engine.Estimate || d.Score != deep.Score || d.Depth != deep.Depth {
			t.Errorf("the shallow book estimates: %+v", d)
		}
	}
	memo := map[grid.Set]int{}
	if d, want := ask(all, start, front), booktest.CircuitWarsValue(t, start.(circuitwars.Position), memo); !d.Exact || d.Score != want || !strings.Contains(d.Note, opening.PublishedHere) {
		t.Errorf("%+v, proved is %d", d, want)
	}
	// A position that the first book lacks is looked up in the second.
	missing := start
	for known := true; known || !ask(all, missing).Exact; {
		missing = enginetest.Play(t, missing, missing.MoveString(missing.Moves()[0]))
		_, _, known, err = small.Find(missing)
		testenv.OK(t, err)
	}
	if d, want := ask(all, missing, front), booktest.CircuitWarsValue(t, missing.(circuitwars.Position), memo); !d.Exact || d.Score != want {
		t.Errorf("%s is only in the second book: %+v, proved is %d", missing, d, want)
	}
	// Positions whose values are not proved: the source of proofs records no estimate.
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 16, Store: some, Books: []string{front}})
	q := book.Question{Position: start, Known: book.NewKnown(start, circuitwars.Game{}, nil)}
	if enough, err := onlyBooks(l).Sources[0].Improve(t.Context(), &q); enough || err != nil {
		t.Fatalf("the books prove the start: %v %v", enough, err)
	}
	if guesses, depth := q.Known.Estimates("book"); len(guesses) > 0 {
		t.Errorf("the books' proofs record estimates of depth %d: %v", depth, guesses)
	}
	// The second book contains only the positions after the start.
	var after [][]engine.Position
	for _, m := range start.Moves() {
		q, err := start.Play(m)
		testenv.OK(t, err)
		after = append(after, []engine.Position{q})
	}
	truth := func(_ context.Context, p engine.Position) (d engine.Decision, err error) {
		for _, m := range p.Moves() {
			q, err := p.Play(m)
			if err != nil {
				return d, err
			}
			v := p.(circuitwars.Position).Gain(q)
			if !q.Over() {
				v -= booktest.CircuitWarsValue(t, q.(circuitwars.Position), memo)
			}
			d.Moves = append(d.Moves, engine.MoveValue{Move: p.MoveString(m), Score: v, Proof: engine.Exact})
		}
		return d, nil
	}
	children, _ := publishedBook(t, "2x3", opening.GrowOptions{Root: after[0][0], Evaluators: []opening.Evaluator{truth}, Games: after, Nodes: len(after)})
	if d := ask(children, start, front); !d.Exact || d.Score != booktest.CircuitWarsValue(t, start.(circuitwars.Position), memo) {
		t.Errorf("what is proved behind the moves is lost: %+v", d)
	}
}

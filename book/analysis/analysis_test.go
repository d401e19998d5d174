package analysis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"endwise/book"
	"endwise/book/booktest"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	wybbook "endwise/book/watchyourback"
	"endwise/book/why"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/dotsandboxes"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
	"endwise/solver/plain"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var circuitWarsRules = Rules{Game: circuitwars.Game{}, Scored: true, Unit: "square", EstimateScale: 1}

// minimax returns the values of a position and its moves for the side to move, by the rules
// alone.
func minimax(t *testing.T, judge plain.Solver, p engine.Position) plain.Answer {
	t.Helper()
	a, err := judge.Solve(p.String())
	testenv.OK(t, err)
	return a
}

// randomRecord plays a random game.
func randomRecord(t *testing.T, rng *rand.Rand, start engine.Position) Record {
	t.Helper()
	r := Record{Name: "random", Players: [2]string{"ann", "bob"}, Positions: []engine.Position{start}}
	for p := start; !p.Over(); p = r.Final() {
		moves := p.Moves()
		play(t, &r, moves[rng.IntN(len(moves))])
	}
	r.Score, r.Winner = r.Final().Score(), engine.Winner(r.Final())
	return r
}

// play adds a move to a record.
func play(t *testing.T, r *Record, m engine.Move) {
	t.Helper()
	q, err := r.Final().Play(m)
	testenv.OK(t, err)
	r.Moves, r.Positions = append(r.Moves, m), append(r.Positions, q)
}

// In games that can be solved completely, the losses in an analysis agree with plain
// minimax; the sums, the turning point and the plot follow from them. ENDWISE_DEEP=1
// includes larger boards.
func TestLossesAgreeWithMinimax(t *testing.T) {
	o := book.Options{Threads: 1, HashBytes: 1 << 20}
	circuits, boxes := []string{"2x2", "1x4"}, []string{"1x2", "2x2", "1x3"}
	if os.Getenv("ENDWISE_DEEP") != "" {
		circuits, boxes = append(circuits, "2x3", "1x5"), append(boxes, "1x4")
	}
	checkLosses(t, circuitWarsRules, cwbook.Open, o, &plain.CircuitWars{}, circuits...)
	checkLosses(t, Rules{Game: dotsandboxes.Game{}, Scored: true, Unit: "box", EstimateScale: 1}, dabbook.Open, o, &plain.DotsAndBoxes{}, boxes...)
}

func checkLosses(t *testing.T, rules Rules, open func(book.Options) (*book.Lookup, error), o book.Options, judge plain.Solver, sizes ...string) {
	t.Helper()
	l := booktest.Open(t, open, o)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range sizes {
		for range 6 {
			start, err := rules.Start(size)
			testenv.OK(t, err)
			r := randomRecord(t, rng, start)
			steps := 0
			a, err := Analyze(t.Context(), rules, r, l, Limits{Solve: 20 * time.Second, Estimate: time.Second, Unsolved: 1, Worst: 3}, func(s Step) {
				if steps++; s.Done != steps || s.Total != len(r.Positions) {
					t.Errorf("step %d reported as %v", steps, s)
				}
			})
			testenv.OK(t, err)
			if a.FirstSolved != 1 {
				t.Fatalf("%s: solved from move %d on, want all of it", size, a.FirstSolved)
			}
			var mistakes, losses [2]int
			turned := 0
			sign := func(i int) int {
				p := r.Positions[i]
				v, s := minimax(t, judge, p).Value, p.Score()
				if p.Turn() == engine.Second {
					v = -v
				}
				v += s[0] - s[1]
				if got := a.Margins[i]; got.Value != float64(v) || got.Proof != engine.Exact || got.Ply != i {
					t.Errorf("margin after %d moves is %+v, want %d", i, got, v)
				}
				return max(-1, min(1, v))
			}
			for i, m := range a.Moves {
				p := r.Positions[i]
				truth := minimax(t, judge, p)
				loss := truth.Value - truth.Moves[m.Move]
				if m.Loss == nil || *m.Loss != loss {
					t.Fatalf("%s: move %d %s gives up %v, minimax says %d", p, m.Ply, m.Move, m.Loss, loss)
				}
				if loss > 0 {
					mistakes[m.Player-1]++
					losses[m.Player-1] += loss
				}
				if sign(i) != sign(i+1) {
					turned = i + 1
				}
			}
			for i, p := range a.Players {
				if p.Mistakes != mistakes[i] || p.Loss != losses[i] || p.Evaluated != p.Moves {
					t.Errorf("%+v, want %d mistakes that lost %d", p, mistakes[i], losses[i])
				}
			}
			if a.Turned != turned {
				t.Errorf("turned at move %d, want %d", a.Turned, turned)
			}
			checkWorst(t, r, a, judge)
		}
	}
}

// checkWorst checks that the listed mistakes are the largest, that the better moves are
// best, and that Only is set exactly if one move is best.
func checkWorst(t *testing.T, r Record, a Analysis, judge plain.Solver) {
	t.Helper()
	var losses []int
	for _, m := range a.Moves {
		if m.ProvedLoss() > 0 {
			losses = append(losses, m.ProvedLoss())
		}
	}
	slices.Sort(losses)
	slices.Reverse(losses)
	if len(a.Worst) != min(3, len(losses)) {
		t.Fatalf("%d mistakes shown of %d", len(a.Worst), len(losses))
	}
	for i, w := range a.Worst {
		p := r.Positions[w.Ply-1]
		if w.Loss != losses[i] || w.Position != p.String() {
			t.Errorf("mistake %d lost %d at %s, want %d at %s", i, w.Loss, w.Position, losses[i], p)
		}
		truth, holding := minimax(t, judge, p), 0
		for _, v := range truth.Moves {
			if v == truth.Value {
				holding++
			}
		}
		m := a.Moves[w.Ply-1]
		if v, legal := truth.Moves[w.Better]; !legal || v != truth.Value || len(m.Line) == 0 || m.Line[0] != w.Better {
			t.Errorf("%s: %s is called better, with line %v, but is worth %d of %d (legal %v)", p, w.Better, m.Line, v, truth.Value, legal)
		}
		if w.Only != (holding == 1) {
			t.Errorf("%s: only %v, but %d moves hold", p, w.Only, holding)
		}
		if len(m.Why) < 2 || m.Why[0].Kind != why.Results {
			t.Errorf("%s: %s: reasons %+v", p, w.Move, m.Why)
			continue
		}
		var lead [2]int // of the player, at the end after both moves
		for k, name := range []string{"played", "better"} {
			numbers := m.Why[0].Numbers
			if lead[k] = numbers[name+"1"] - numbers[name+"2"]; p.Turn() == engine.Second {
				lead[k] = -lead[k]
			}
		}
		if now := engine.Lead(p, p.Turn()); lead[1] != now+truth.Value || lead[1]-lead[0] != w.Loss {
			t.Errorf("%s: worth %d, %s loses %d: %s", p, truth.Value, w.Move, w.Loss, m.Why[0].Text)
		}
	}
}

// script answers questions from a table of decisions by ply.
type script map[string]engine.Decision

func (s script) Decide(_ context.Context, q book.Question) (engine.Decision, error) {
	d, ok := s[q.Position.String()]
	if !ok {
		return d, fmt.Errorf("no answer for %s", q.Position)
	}
	return d, nil
}

// On an empty board the second player is proved to win by the image of the first move. A far weaker
// reply is a likely mistake, and the theorem is the reason.
func TestLeavingTheMirrorIsALikelyMistake(t *testing.T) {
	p, err := circuitWarsRules.Parse("7x7")
	testenv.OK(t, err)
	r := Record{Name: "game", Players: [2]string{"ann", "bob"}, Positions: []engine.Position{p}}
	for _, move := range []string{"0,0,top", "3,3,top", "6,6,right"} {
		m, err := r.Final().ParseMove(move)
		testenv.OK(t, err)
		play(t, &r, m)
	}
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	limits := Limits{Solve: time.Millisecond, Estimate: time.Millisecond, Unsolved: 1, Worst: 3}
	a, err := Analyze(t.Context(), circuitWarsRules, r, l, limits, nil)
	testenv.OK(t, err)
	if len(a.Likely) != 1 || a.Likely[0].Ply != 2 || a.Likely[0].Before != 7 {
		t.Fatalf("likely mistakes %+v", a.Likely)
	}
	if w := a.Moves[1].Why; len(w) != 1 || w[0].Kind != why.MirrorMove {
		t.Errorf("reasons %+v", w)
	}
}

// Bounds prove losses but no values, estimates prove nothing, and a move's proved value is
// a bound of the position before it.
func TestBoundsAndEstimatesAreKeptApart(t *testing.T) {
	start, err := circuitwars.Game{}.Start("1x3")
	testenv.OK(t, err)
	r := Record{Name: "x", Players: [2]string{"a", "b"}, Positions: []engine.Position{start}}
	for _, text := range []string{"0,0,top", "1,0,top", "2,0,top", "0,0,bottom"} {
		m, err := r.Final().ParseMove(text)
		testenv.OK(t, err)
		play(t, &r, m)
	}
	s := script{}
	say := func(i, score int, p engine.Proof) {
		move := r.Positions[i].MoveString(r.Positions[i].Moves()[0])
		s[r.Positions[i].String()] = engine.Decision{Move: move, Score: score, Proof: p, Source: "script"}
	}
	say(0, 1, engine.Lower)    // at least 1
	say(1, 2, engine.Lower)    // so the first move loses at least 3
	say(2, 0, engine.Estimate) // an estimate proves nothing
	say(3, 1, engine.Exact)    // the third is worth exactly -1, so position 2 at least that,
	// and the second move at most 1 of at least 2
	say(4, 2, engine.Upper) // the fourth is worth at least -2: no loss proved
	a, err := Analyze(t.Context(), circuitWarsRules, r, s, Limits{Solve: time.Second, Estimate: time.Second, Unsolved: 9, Worst: 2}, nil)
	testenv.OK(t, err)
	want := []string{"at least 3", "at least 1", "", ""}
	for i, m := range a.Moves {
		got := ""
		if m.Loss != nil {
			got = fmt.Sprint(*m.Loss)
		} else if m.MinLoss != nil {
			got = fmt.Sprintf("at least %d", *m.MinLoss)
		}
		if got != want[i] {
			t.Errorf("move %d gives up %q, want %q", i+1, got, want[i])
		}
	}
	if b := a.Moves[2].Before; b.Lower == nil || *b.Lower != -1 || b.Upper != nil || b.Estimate == nil {
		t.Errorf("position 2 is known as %+v, want an estimate and a lower bound of -1", b)
	}
	proofs := []engine.Proof{}
	for _, m := range a.Margins {
		proofs = append(proofs, m.Proof)
	}
	// Player 2 moves at odd plies: its lower bound is an upper bound in the plot.
	if diff := cmp.Diff([]engine.Proof{engine.Lower, engine.Upper, engine.Estimate, engine.Exact, engine.Upper}, proofs); diff != "" {
		t.Error(diff)
	}
	if a.FirstSolved != 0 {
		t.Errorf("solved from move %d on, but the last position is not", a.FirstSolved)
	}
	if len(a.Worst) != 2 || a.Worst[0].Exact || a.Worst[0].Only || a.Worst[0].Loss != 3 {
		t.Errorf("worst %+v", a.Worst)
	}
}

// slowSolver proves a position after a given processor time, on a machine that gives it a
// share of its time.
type slowSolver struct {
	t                *testing.T
	judge            plain.Solver
	need             map[string]time.Duration
	share            float64
	clock, processor time.Duration
	spent            map[string]time.Duration
	asked            map[string]int
}

func (s *slowSolver) Decide(_ context.Context, q book.Question) (engine.Decision, error) {
	name := q.Position.String()
	s.asked[name]++
	took := q.Clock.MoveTime
	work := time.Duration(float64(took) * s.share)
	rest := s.need[name] - s.spent[name]
	proof := engine.Estimate
	if rest <= work {
		proof, work, took = engine.Exact, rest, time.Duration(float64(rest)/s.share)
	}
	s.spent[name] += work
	s.clock, s.processor = s.clock+took, s.processor+work
	return engine.Decision{Move: q.Position.MoveString(q.Position.Moves()[0]), Score: minimax(s.t, s.judge, q.Position).Value, Proof: proof}, nil
}

// A busy machine solves the same part of a game as an idle one, with a limited number of
// repetitions; an idle machine repeats no question.
func TestBusyMachineSolvesTheSame(t *testing.T) {
	start, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	judge := &plain.CircuitWars{}
	r := randomRecord(t, rand.New(rand.NewPCG(8, 8)), start)
	limits := Limits{Solve: time.Second, Estimate: 10 * time.Millisecond, Unsolved: 2}
	solved := func(share float64) (first, most int) {
		s := &slowSolver{t: t, judge: judge, need: map[string]time.Duration{}, share: share, spent: map[string]time.Duration{}, asked: map[string]int{}}
		// Earlier positions take twice as long, the last one some milliseconds.
		need := 5 * time.Millisecond
		for i := len(r.Positions) - 2; i >= 0; i-- {
			s.need[r.Positions[i].String()] = need
			need *= 2
		}
		l := load{func() time.Duration { return s.clock }, func() time.Duration { return s.processor }}
		a, err := (&analyst{rules: circuitWarsRules, record: r, lookup: s, limits: limits, load: l}).analyze(t.Context(), func(Step) {
			for _, n := range s.asked {
				most = max(most, n)
			}
		})
		testenv.OK(t, err)
		return a.FirstSolved, most
	}
	idle, once := solved(0.8)
	if idle < 2 || once != 1 {
		t.Errorf("idle: solved from move %d on, a position asked %d times", idle, once)
	}
	for _, share := range []float64{0.3, 0.1} {
		if busy, most := solved(share); busy != idle || most < 2 || most > maxAttempts {
			t.Errorf("with %v of a machine: solved from move %d on, a position asked %d times; on an idle one from move %d on", share, busy, most, idle)
		}
	}
	// Without processor time repetitions do not help.
	if _, most := solved(0.001); most != maxAttempts {
		t.Errorf("with a thousandth of a machine a position is asked %d times, want %d", most, maxAttempts)
	}
}

// hasty returns an estimate after a quarter of the time, without using the processor.
type hasty struct {
	clock time.Duration
	asked int
}

func (h *hasty) Decide(_ context.Context, q book.Question) (engine.Decision, error) {
	h.clock += q.Clock.MoveTime / 4
	h.asked++
	return engine.Decision{Move: q.Position.MoveString(q.Position.Moves()[0])}, nil
}

// A question that is answered early is not repeated: more time would not help.
func TestEarlyAnswersAreNotRepeated(t *testing.T) {
	start, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	r := randomRecord(t, rand.New(rand.NewPCG(8, 8)), start)
	h := &hasty{}
	l := load{func() time.Duration { return h.clock }, func() time.Duration { return 0 }}
	_, err = (&analyst{rules: circuitWarsRules, record: r, lookup: h, limits: Limits{Solve: time.Second, Unsolved: 99}, load: l}).analyze(t.Context(), nil)
	if err != nil || h.asked != len(r.Moves) {
		t.Errorf("asked %d times about %d positions, %v", h.asked, len(r.Moves), err)
	}
}

func TestAnalysisStopsWithItsContext(t *testing.T) {
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	start, err := circuitwars.Game{}.Start("7x7")
	testenv.OK(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Analyze(ctx, circuitWarsRules, Record{Positions: []engine.Position{start}}, l, DefaultLimits, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// A made exercise has exactly one best move, which is the answer, and it wins. Another move gains at
// least as much at once.
func TestMadeExercisesHaveOneAnswer(t *testing.T) {
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	start, err := circuitwars.Game{}.Start("2x3")
	testenv.OK(t, err)
	judge := &plain.CircuitWars{}
	for seed := range uint64(5) {
		var players [2]engine.Player
		for i := range players {
			players[i], err = levels.New(2, seed)
			testenv.OK(t, err)
		}
		e, err := MakeExercise(t.Context(), ExerciseOptions{
			Rules: circuitWarsRules, Start: func(*rand.Rand) engine.Position { return start }, Players: players, Lookup: l,
			Time: 10 * time.Second, Seed: seed, MinMoves: 4, MaxMoves: 10,
		})
		testenv.OK(t, err)
		p, err := circuitwars.Game{}.Parse(e.Position)
		testenv.OK(t, err)
		truth, holding := minimax(t, judge, p), []string{}
		for m, v := range truth.Moves {
			if v == truth.Value {
				holding = append(holding, m)
			}
		}
		if len(holding) != 1 || holding[0] != e.Answer {
			t.Errorf("%s: %v hold, the answer is %s", p, holding, e.Answer)
		}
		gain := func(move string) int {
			after, err := engine.PlayText(p, move)
			testenv.OK(t, err)
			return engine.Lead(after, p.Turn())
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(truth.Moves)), func(m string) bool { return m != e.Answer && gain(m) >= gain(e.Answer) }) {
			t.Errorf("%s: no move gains as much as %s", p, e.Answer)
		}
		if margin := truth.Value + engine.Lead(p, p.Turn()); margin <= 0 {
			t.Errorf("%s: the answer does not win: %+d", p, margin)
		}
	}
}

// A made exercise has the requested difficulty; if no position has it, there is another exercise.
func TestMadeExercisesHaveTheDifficulty(t *testing.T) {
	l := booktest.Open(t, cwbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	for board, wanted := range map[string][]string{"3x3": Difficulties, "1x2": {"hard"}} {
		start, err := circuitwars.Game{}.Start(board)
		testenv.OK(t, err)
		for _, asked := range Difficulties {
			player, err := levels.New(2, 1)
			testenv.OK(t, err)
			e, err := MakeExercise(t.Context(), ExerciseOptions{
				Rules: circuitWarsRules, Start: func(*rand.Rand) engine.Position { return start }, Players: [2]engine.Player{player, player}, Lookup: l,
				Time: 10 * time.Second, Seed: 1, MinMoves: 2, MaxMoves: 14, Difficulty: asked,
			})
			testenv.OK(t, err)
			if !slices.Contains(wanted, e.Difficulty) || slices.Contains(wanted, asked) && e.Difficulty != asked {
				t.Errorf("%s on %s: %s is %s", asked, board, e.Position, e.Difficulty)
			}
		}
	}
}

// nonsense is a player that returns no move.
type nonsense struct{}

func (nonsense) Name() string { return "nobody" }

func (nonsense) Choose(context.Context, engine.Position, engine.Clock) (engine.Decision, error) {
	return engine.Decision{Move: "up"}, nil
}

// The error for a move that cannot be played names its player, and games without an
// exercise end.
func TestMakeExerciseErrors(t *testing.T) {
	start, err := circuitwars.Game{}.Start("2x2")
	testenv.OK(t, err)
	somebody, err := levels.New(1, 1)
	testenv.OK(t, err)
	o := ExerciseOptions{
		Rules: circuitWarsRules, Start: func(*rand.Rand) engine.Position { return start },
		Players: [2]engine.Player{somebody, nonsense{}}, Lookup: script{}, Time: time.Second, MinMoves: 2, MaxMoves: 4,
	}
	_, err = MakeExercise(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), `nobody plays "up"`) {
		t.Errorf("a player who makes no move: %v", err)
	}
	// An asker that never evaluates all moves.
	o.Players[1], o.Lookup = somebody, first{}
	_, err = MakeExercise(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "no win that only one move keeps") {
		t.Errorf("no exercise: %v", err)
	}
}

// first evaluates the first move of every position as 0.
type first struct{}

func (first) Decide(_ context.Context, q book.Question) (engine.Decision, error) {
	move := q.Position.MoveString(q.Position.Moves()[0])
	return engine.Decision{Move: move, Proof: engine.Exact, Moves: []engine.MoveValue{{Move: move, Proof: engine.Exact}}}, nil
}

// endOfWatchYourBack is a position on the 4x4 board, which the table contains.
const endOfWatchYourBack = "......../......../..X--X../..O@-@../..-O--../..X-OX../......../........:moving:196"

// The value of a game of wins and losses is not a number of squares.
func TestOutcomesAreNotAddedToScores(t *testing.T) {
	g := watchyourback.Game{}
	start, err := g.Parse(endOfWatchYourBack)
	testenv.OK(t, err)
	l := booktest.Open(t, wybbook.Open, book.Options{Threads: 1, HashBytes: 1 << 20})
	r := randomRecord(t, rand.New(rand.NewPCG(3, 4)), start)
	a, err := Analyze(t.Context(), Rules{Game: g, EstimateScale: 800}, r, l, DefaultLimits, nil)
	testenv.OK(t, err)
	if a.FirstSolved != 1 {
		t.Fatalf("solved from move %d on, want all: the 4x4 board is in the table", a.FirstSolved)
	}
	for i, m := range a.Moves {
		p := r.Positions[i]
		before, after := probe(t, l, p), probe(t, l, r.Positions[i+1])
		if r.Positions[i+1].Turn() != p.Turn() {
			after = -after
		}
		if m.Loss == nil || *m.Loss != before-after {
			t.Errorf("move %d gives up %v, want %d", m.Ply, m.Loss, before-after)
		}
	}
	last := a.Margins[len(a.Margins)-1]
	want := map[engine.Side]float64{engine.First: 1, engine.None: 0, engine.Second: -1}[r.Winner]
	if last.Value != want || last.Proof != engine.Exact {
		t.Errorf("the plot ends at %+v, the winner is %s", last, r.Winner)
	}
}

func probe(t *testing.T, l *book.Lookup, p engine.Position) int {
	t.Helper()
	if p.Over() {
		return engine.Outcome(p, p.Turn())
	}
	d, err := l.Decide(t.Context(), book.Question{Position: p})
	if err != nil || d.Proof != engine.Exact {
		t.Fatalf("%s: %v, %v", p, d.Proof, err)
	}
	return d.Score
}

func TestSummaryAddsUpPlayers(t *testing.T) {
	two := 2
	game := func(name string, players [2]string, winner, expected int, fault string) Analysis {
		a := Analysis{Name: name, Winner: winner, Fault: fault, FirstSolved: 1, Expected: expected}
		for i := range players {
			a.Players[i] = Player{Name: players[i], Moves: 3, Evaluated: 2}
		}
		a.Players[0].Mistakes, a.Players[0].Loss = 1, 2
		a.Moves = []Move{{Ply: 1, Player: 1, Loss: &two}, {Ply: 2, Player: 2}}
		return a
	}
	s := Summarize([]Analysis{
		game("g1", [2]string{"ann", "bob"}, 2, 1, ""),
		game("g2", [2]string{"bob", "ann"}, 2, 2, "timeout"),
		game("g3", [2]string{"ann", "cid"}, 2, 0, ""),
		game("g4", [2]string{"dot", "cid"}, 0, 1, "the record stops before the end of the game"),
		game("g5", [2]string{"dot", "cid"}, 2, 1, "dot: timeout"),
	})
	got := map[string]string{}
	for _, p := range s.Players {
		acc, _ := p.Accuracy()
		got[p.Name] = fmt.Sprintf("%d games %d-%d-%d, %d forfeits, %d missed wins, %d of %d wrong, %d, %.2f, %s", p.Games, p.Won, p.Tied, p.Lost, p.Forfeits, p.MissedWins, p.Mistakes, p.Evaluated, p.Loss, acc, p.WorstGame)
	}
	want := map[string]string{
		"ann": "3 games 1-0-2, 0 forfeits, 1 missed wins, 2 of 6 wrong, 4, 0.67, g1",
		"bob": "2 games 1-0-1, 1 forfeits, 0 missed wins, 1 of 4 wrong, 2, 0.00, g2",
		"dot": "2 games 0-0-1, 1 forfeits, 0 missed wins, 2 of 4 wrong, 4, 0.00, g4",
		"cid": "3 games 2-0-0, 0 forfeits, 0 missed wins, 0 of 6 wrong, 0, 1.00, ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Games != 5 || s.Unfinished != 1 || s.MissedWins != 1 || s.Mistakes != 5 || s.Loss != 10 || s.Evaluated != 20 || s.Players[0].Name != "cid" {
		t.Errorf("%+v", s)
	}
}

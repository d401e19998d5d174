package analysis

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"endwise/book"
	"endwise/engine"
	"endwise/engine/circuitwars"
	"endwise/engine/levels"
	"endwise/engine/testenv"
	"endwise/engine/watchyourback"
)

// knownGame returns a game in which the first legal move was always played, with the given
// values of its positions.
func knownGame(t *testing.T, rules Rules, start string, values ...Truth) *analyst {
	t.Helper()
	p, err := rules.Parse(start)
	testenv.OK(t, err)
	a := &analyst{rules: rules, record: Record{Positions: []engine.Position{p}}}
	for i, v := range values {
		if i > 0 {
			play(t, &a.record, a.record.Final().Moves()[0])
		}
		a.values = append(a.values, evaluation{Truth: v})
	}
	return a
}

var (
	outcomes = Rules{Game: watchyourback.Game{}, EstimateScale: 800}
	squares  = Rules{Game: circuitwars.Game{}, Scored: true, EstimateScale: 2}
)

func exactly(v int) Truth { return Truth{Lower: new(v), Upper: new(v)} }

// The plot shows each position from player 1's side: outcomes between a loss and a win,
// scores including the squares won so far.
func TestMarginsOfEveryPosition(t *testing.T) {
	for name, c := range map[string]struct {
		game *analyst
		want []Margin
	}{
		"outcomes": {
			knownGame(t, outcomes, endOfWatchYourBack, exactly(1), exactly(-1), exactly(-1), exactly(1), exactly(0)),
			[]Margin{{0, 1, engine.Exact}, {1, 1, engine.Exact}, {2, -1, engine.Exact}, {3, -1, engine.Exact}, {4, 0, engine.Exact}},
		},
		"outcomes that are not proved": {
			knownGame(t, outcomes, endOfWatchYourBack, Truth{Estimate: new(400)}, Truth{Estimate: new(200)}, Truth{Estimate: new(5000)}, Truth{Estimate: new(5000)}, Truth{Lower: new(0)}, Truth{Lower: new(0)}),
			[]Margin{{0, 0.5, engine.Estimate}, {1, -0.25, engine.Estimate}, {2, 1, engine.Estimate}, {3, -1, engine.Estimate}, {4, 0, engine.Lower}, {5, 0, engine.Upper}},
		},
		"scores": { // the last move closes a square for player 2
			knownGame(t, squares, "1x2 0,0,left 0,0,right 0,0,bottom", exactly(2), exactly(-1)),
			[]Margin{{0, -2, engine.Exact}, {1, -2, engine.Exact}},
		},
		"scores that are not proved": {
			knownGame(t, squares, "1x2", Truth{Estimate: new(3), Lower: new(1)}, Truth{Estimate: new(-3)}, Truth{Lower: new(-1)}, Truth{Lower: new(-1)}, Truth{Upper: new(1)}),
			[]Margin{{0, 1.5, engine.Estimate}, {1, 1.5, engine.Estimate}, {2, -1, engine.Lower}, {3, 1, engine.Upper}, {4, 1, engine.Upper}},
		},
		"nothing known": {
			knownGame(t, squares, "1x2", Truth{}, exactly(2)),
			[]Margin{{1, -2, engine.Exact}},
		},
	} {
		var got []Margin
		for i := range c.game.values {
			if m, ok := c.game.margin(i); ok {
				got = append(got, m)
				if m.Value == 0 && math.Signbit(m.Value) {
					t.Errorf("%s: -0 after %d moves", name, i)
				}
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, which ends with %s: %s", name, c.game.record.Final(), diff)
		}
	}
}

// The solved part begins after the last position without a value. The expected winner there
// and the last move that changed it follow from the plot.
func TestTurningPoints(t *testing.T) {
	open := Truth{Lower: new(0)}
	for name, c := range map[string]struct {
		game                    *analyst
		first, expected, turned int
	}{
		"kept":            {knownGame(t, outcomes, endOfWatchYourBack, exactly(1), exactly(-1), exactly(1)), 1, 1, 0},
		"lost, then won":  {knownGame(t, outcomes, endOfWatchYourBack, exactly(1), exactly(1), exactly(1), exactly(-1)), 1, 1, 2},
		"a tie lost":      {knownGame(t, outcomes, endOfWatchYourBack, exactly(0), exactly(0), exactly(-1), exactly(1)), 1, 0, 2},
		"solved late":     {knownGame(t, outcomes, endOfWatchYourBack, exactly(1), open, exactly(-1), exactly(1)), 3, 2, 0},
		"the last of all": {knownGame(t, outcomes, endOfWatchYourBack, open, exactly(0), exactly(1)), 2, 0, 2},
		"only the end":    {knownGame(t, outcomes, endOfWatchYourBack, exactly(1), open, exactly(1)), 0, 0, 0},
		"nothing":         {knownGame(t, outcomes, endOfWatchYourBack, open, open), 0, 0, 0},
		"scores":          {knownGame(t, squares, "1x2", exactly(2), exactly(2), exactly(2)), 1, 1, 2},
		"a square taken":  {knownGame(t, squares, "1x2 0,0,left 0,0,right 0,0,bottom", exactly(1), exactly(1)), 1, 2, 1},
	} {
		var out Analysis
		c.game.findTurningPoint(&out)
		if out.FirstSolved != c.first || out.Expected != c.expected || out.Turned != c.turned {
			t.Errorf("%s: solved from %d on, %d is to win, turned by %d; want %d, %d, %d", name, out.FirstSolved, out.Expected, out.Turned, c.first, c.expected, c.turned)
		}
	}
}

// The median of a class is taken over the games with a solved part, the larger of the two
// middle values.
func TestMedianOfClass(t *testing.T) {
	game := func(moves, first int) Analysis { return Analysis{Moves: make([]Move, moves), FirstSolved: first} }
	for want, games := range map[int][]Analysis{
		0: {game(9, 0)},
		4: {game(9, 0), game(9, 6)},
		7: {game(9, 9), game(8, 2), game(20, 1)},
		5: {game(9, 9), game(5, 1), game(9, 5), game(9, 8)},
	} {
		if got := Summarize(games).FirstSolvedMedian; got != want {
			t.Errorf("of %d games the median is %d, want %d", len(games), got, want)
		}
	}
}

// oneHolds evaluates the last move of every position as better than all others.
type oneHolds struct{ asked *[]int }

func (o oneHolds) Decide(_ context.Context, q book.Question) (engine.Decision, error) {
	moves := q.Position.Moves()
	*o.asked = append(*o.asked, len(moves))
	d := engine.Decision{Score: 1, Proof: engine.Exact}
	for i, m := range moves {
		d.Move = q.Position.MoveString(m)
		d.Moves = append(d.Moves, engine.MoveValue{Move: d.Move, Proof: engine.Exact, Score: (i + 1) / len(moves)})
	}
	return d, nil
}

// Positions for exercises have the requested number of legal moves.
func TestMovesOfExercise(t *testing.T) {
	start, err := circuitwars.Game{}.Start("3x3") // 24 moves
	testenv.OK(t, err)
	player, err := levels.New(1, 1)
	testenv.OK(t, err)
	for _, c := range []struct{ low, high, most int }{{5, 5, 5}, {2, 12, 12}, {14, 20, 20}, {20, 30, 24}, {2, 2, 2}} {
		seen := map[int]bool{}
		for seed := range uint64(40) {
			var asked []int
			e, err := MakeExercise(t.Context(), ExerciseOptions{
				Start: func(*rand.Rand) engine.Position { return start }, Players: [2]engine.Player{player, player},
				Lookup: oneHolds{&asked}, Time: time.Second, Seed: seed, MinMoves: c.low, MaxMoves: c.high,
			})
			if slices.Min(asked) < c.low || slices.Max(asked) > c.high {
				t.Fatalf("%+v: positions with %v moves are solved", c, asked)
			}
			testenv.OK(t, err)
			p, err := circuitwars.Game{}.Parse(e.Position)
			testenv.OK(t, err)
			seen[len(p.Moves())] = true
		}
		for n := c.low; n <= c.most; n++ {
			if !seen[n] {
				t.Errorf("%+v: no exercise with %d moves, but %v", c, n, seen)
			}
		}
	}
}

// Exercises are the mistakes after which exactly one move would have kept the value, each
// with the player who made it. Grade sorts them: taking two squares instead of one is easier than the
// opposite.
func TestExercisesOfGames(t *testing.T) {
	const easy = "1x2 0,0,top 0,0,left 0,0,bottom 1,0,top 1,0,bottom"
	games := []Analysis{{
		Game: "circuitwars", Name: "one", Players: [2]Player{{Name: "ann"}, {Name: "bob"}},
		Worst: []Mistake{
			{Ply: 4, Player: 2, Position: easy, Move: "1,0,right", Better: "0,0,right", Loss: 3, Only: true},
			{Ply: 6, Player: 2, Position: "never parsed", Move: "m", Better: "b", Loss: 3},
			{Ply: 7, Player: 1, Position: "never parsed", Move: "m", Better: "b", Loss: 2, Only: true}, // almost the position of move 4
			{Ply: 10, Player: 1, Position: easy, Move: "0,0,right", Better: "1,0,right", Loss: 1, Only: true},
			{Ply: 19, Player: 1, Position: easy, Move: "0,0,right", Better: "1,0,right", Loss: 1, Only: true}, // the same answer
		},
	}}
	want := []Exercise{
		{Game: "circuitwars", Position: easy, Answer: "1,0,right", Played: "0,0,right", Loss: 1, By: "ann", Moves: 2, Difficulty: "easy", From: "one, move 10 by ann"},
		{Game: "circuitwars", Position: easy, Answer: "0,0,right", Played: "1,0,right", Loss: 3, By: "bob", Rivals: 1, Glances: 1, Moves: 2, Difficulty: "medium", From: "one, move 4 by bob"},
	}
	rules := func(string) engine.Game { return circuitwars.Game{} }
	got, err := Exercises(rules, games)
	testenv.OK(t, err)
	Grade(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// A game without such a mistake gives its turning point, even if several moves keep the value.
	for i := range games[0].Worst {
		games[0].Worst[i].Only = false
	}
	games[0].Turned = 10
	got, err = Exercises(rules, games)
	testenv.OK(t, err)
	want = []Exercise{{Game: "circuitwars", Position: easy, Answer: "1,0,right", Several: true, Played: "0,0,right", Loss: 1, By: "ann", Moves: 2, From: "one, move 10 by ann"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	games[0].Worst[1].Only = true
	if _, err := Exercises(rules, games); err == nil {
		t.Error("an unreadable position became an exercise")
	}
}

// A position has an only move if one move keeps the value and each other one is proved to
// be worth less, exactly or by an upper bound.
func TestOnlyMove(t *testing.T) {
	p, err := circuitwars.New(1, 1) // four moves
	testenv.OK(t, err)
	value := func(score int, proof engine.Proof) engine.MoveValue {
		return engine.MoveValue{Score: score, Proof: proof}
	}
	keeps, loses := value(1, engine.Exact), value(0, engine.Exact)
	below, above, guessed := value(0, engine.Upper), value(0, engine.Lower), value(0, engine.Estimate)
	for name, c := range map[string]struct {
		proof engine.Proof
		moves []engine.MoveValue
		want  bool
	}{
		"exact values":         {engine.Exact, []engine.MoveValue{keeps, loses, loses, loses}, true},
		"an upper bound":       {engine.Exact, []engine.MoveValue{keeps, below, loses, below}, true},
		"a lower bound":        {engine.Exact, []engine.MoveValue{keeps, loses, above, loses}, false},
		"an estimate":          {engine.Exact, []engine.MoveValue{keeps, guessed, loses, loses}, false},
		"an equal upper bound": {engine.Exact, []engine.MoveValue{keeps, value(1, engine.Upper), loses, loses}, false},
		"two moves":            {engine.Exact, []engine.MoveValue{keeps, keeps, loses, loses}, false},
		"no move":              {engine.Exact, []engine.MoveValue{loses, loses, loses, loses}, false},
		"a move is missing":    {engine.Exact, []engine.MoveValue{keeps, loses, loses}, false},
		"not proved":           {engine.Lower, []engine.MoveValue{keeps, loses, loses, loses}, false},
	} {
		if got := hasOnlyMove(p, engine.Decision{Score: 1, Proof: c.proof, Moves: c.moves}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

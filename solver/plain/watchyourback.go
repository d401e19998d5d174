package plain

import (
	"cmp"
	"fmt"

	rules "endwise/engine/watchyourback/plain"
)

// defaultVisits is how many positions a Watch Your Back question may visit.
const defaultVisits = 2_000_000

// WatchYourBack solves Watch Your Back positions: by plain minimax until the
// game ends or comes to a position whose value is known from value iteration,
// which are all on the 4x4 board and, with Pieces, those with little material on
// the 6x6 board. The zero value is ready.
type WatchYourBack struct {
	// Pieces is the most pieces, both sides together, for which the 6x6 board
	// is worked out by value iteration when it is first met: 4 takes seconds,
	// 5 a minute and a gigabyte; below 4 it is never done.
	Pieces int
	// Visits is the most positions a question may visit; 0 means two
	// million.
	Visits int
	// For tests, noMemory searches every line of play on its own and noTables
	// goes on with minimax on the 4x4 board.
	noMemory, noTables bool

	memory  map[question]bounds
	visits  int
	final   *finalTable
	middle  *middleTable
	refused bool
}

// bounds is what is known of a value: it is at least Lower and at most Upper.
type bounds struct{ Lower, Upper int }

// Exact says that the bounds meet.
func (b bounds) Exact() bool { return b.Lower == b.Upper }

// flip is the same from the opponent's side.
func (b bounds) flip() bounds { return bounds{-b.Upper, -b.Lower} }

// question is a position and how many turns minimax may look ahead.
type question struct {
	game  rules.Game
	turns int
}

// Solve implements Solver for ROWS:PHASE:TURNS[:quiet=N][:strict]. Minimax looks
// as far ahead as the second shrink from the 6x6 board, and 3 turns elsewhere;
// a value that is not decided there is refused.
func (w *WatchYourBack) Solve(position string) (Answer, error) {
	g, err := rules.Read(position)
	if err != nil {
		return Answer{}, fmt.Errorf("watch your back position: %w", err)
	}
	turns := 3
	if g.Moving && g.Turns >= rules.FirstShrink && g.Turns < rules.SecondShrink {
		turns = rules.SecondShrink - g.Turns
	}
	value, moves, err := w.ask(g, turns)
	if err != nil {
		return Answer{}, fmt.Errorf("watch your back position: %w", err)
	}
	over, _ := g.Ended()
	a := Answer{Value: value.Lower, Moves: map[string]int{}, Over: over}
	open := fmt.Errorf("watch your back position: not decided within %d turns: %w", turns, ErrTooLarge)
	if !value.Exact() {
		return Answer{}, open
	}
	for m, b := range moves {
		if !b.Exact() {
			return Answer{}, open
		}
		a.Moves[m] = b.Lower
	}
	return a, nil
}

// ask answers for a position and its moves.
func (w *WatchYourBack) ask(g rules.Game, turns int) (bounds, map[string]bounds, error) {
	w.visits, w.refused = 0, false
	if w.memory == nil || len(w.memory) > maxMemory/8 {
		w.memory = map[question]bounds{}
	}
	value := w.search(g, turns)
	moves := map[string]bounds{}
	if over, _ := g.Ended(); !over && turns > 0 {
		for _, m := range g.Moves() {
			moves[m.String()] = w.search(g.Play(m), turns-1).flip()
		}
	}
	if w.refused {
		return bounds{}, nil, fmt.Errorf("more than %d positions to visit: %w", cmp.Or(w.Visits, defaultVisits), ErrTooLarge)
	}
	return value, moves, nil
}

// search is minimax to a depth of so many turns.
func (w *WatchYourBack) search(g rules.Game, turns int) bounds {
	if over, v := g.Ended(); over {
		return bounds{v, v}
	}
	if v, ok := w.known(g); ok {
		return bounds{v, v}
	}
	if w.visits++; w.visits > cmp.Or(w.Visits, defaultVisits) {
		w.refused = true
	}
	if turns == 0 || w.refused {
		return bounds{-1, 1}
	}
	key := question{g, turns}
	if b, ok := w.memory[key]; ok && !w.noMemory {
		return b
	}
	best := bounds{-1, -1}
	for _, m := range g.Moves() {
		b := w.search(g.Play(m), turns-1).flip()
		best = bounds{max(best.Lower, b.Lower), max(best.Upper, b.Upper)}
	}
	if !w.refused && !w.noMemory {
		w.memory[key] = best
	}
	return best
}

// known looks a position up in what value iteration has worked out.
func (w *WatchYourBack) known(g rules.Game) (v int, ok bool) {
	if w.noTables || !g.Moving || g.Turns < rules.FirstShrink {
		return 0, false
	}
	if g.Turns >= rules.SecondShrink {
		return w.needFinal().value(g), true
	}
	if g.Count(rules.White)+g.Count(rules.Black) > w.Pieces {
		return 0, false
	}
	return w.needMiddle().value(g), true
}

func (w *WatchYourBack) needFinal() *finalTable {
	if w.final == nil {
		w.final = newFinalTable()
	}
	return w.final
}

func (w *WatchYourBack) needMiddle() *middleTable {
	if w.middle == nil {
		w.middle = newMiddleTable(w.Pieces, w.needFinal())
	}
	return w.middle
}

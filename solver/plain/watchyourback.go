package plain

import (
	"cmp"
	"fmt"

	rules "endwise/engine/watchyourback/plain"
)

const defaultVisits = 2_000_000

// WatchYourBack solves positions of Watch Your Back by plain minimax. A line ends at the end of the
// game or at a position in a table: all positions on the 4x4 board and those with up to Pieces
// pieces on the 6x6 board. The zero value is ready for use.
type WatchYourBack struct {
	// Pieces is the maximum number of pieces in the table of the 6x6 board; below 4 there is no
	// table. Five take 1 GB and minutes.
	Pieces int
	// Visits is the maximum number of positions searched by one call of Solve; 0 means two million.
	Visits int
	// For tests: no memoisation, no tables.
	noMemory, noTables bool

	memory   map[searchKey]bounds
	visits   int  // of the present call of Solve
	exceeded bool // visits exceeds Visits
	final    *finalTable
	middle   *middleTable
}

const maxMemory = 250_000 // Solve drops more memoised positions

type bounds struct{ Lower, Upper int }

func (b bounds) Exact() bool { return b.Lower == b.Upper }

func (b bounds) flip() bounds { return bounds{-b.Upper, -b.Lower} }

type searchKey struct {
	game  rules.Game
	turns int
}

// Solve implements [Solver] for ROWS:PHASE:TURNS[:quiet=N][:strict]. On the 6x6 board, the search
// extends to the second shrink; elsewhere it is 3 turns deep. The error wraps [ErrTooLarge] if this
// does not determine all values, or takes too many positions.
func (w *WatchYourBack) Solve(position string) (Answer, error) {
	g, err := rules.Read(position)
	if err != nil {
		return Answer{}, fmt.Errorf("watch your back position: %w", err)
	}
	turns := 3
	if g.Moving && g.Turns >= rules.FirstShrink && g.Turns < rules.SecondShrink {
		turns = rules.SecondShrink - g.Turns
	}
	value, moves, err := w.evaluate(g, turns)
	if err != nil {
		return Answer{}, fmt.Errorf("watch your back position: %w", err)
	}
	over, _ := g.Ended()
	a := Answer{Value: value.Lower, Moves: map[string]int{}, Over: over}
	undecided := !value.Exact()
	for m, b := range moves {
		undecided = undecided || !b.Exact()
		a.Moves[m] = b.Lower
	}
	if undecided {
		return Answer{}, fmt.Errorf("watch your back position: not decided within %d turns: %w", turns, ErrTooLarge)
	}
	return a, nil
}

// evaluate returns the bounds of a position and, by name, of its moves, by a search of the given
// depth. The error wraps ErrTooLarge if it takes too many positions.
func (w *WatchYourBack) evaluate(g rules.Game, turns int) (bounds, map[string]bounds, error) {
	w.visits, w.exceeded = 0, false
	if w.memory == nil || len(w.memory) > maxMemory {
		w.memory = map[searchKey]bounds{}
	}
	value := w.search(g, turns)
	moves := map[string]bounds{}
	if over, _ := g.Ended(); !over && turns > 0 {
		for _, m := range g.Moves() {
			moves[m.String()] = w.search(g.Play(m), turns-1).flip()
		}
	}
	if w.exceeded {
		limit := cmp.Or(w.Visits, defaultVisits)
		return bounds{}, nil, fmt.Errorf("more than %d positions to search: %w", limit, ErrTooLarge)
	}
	return value, moves, nil
}

// search returns bounds of a position's value for the side to move, by a minimax search of the
// given depth. If w.exceeded is set, a complete search might give closer bounds.
func (w *WatchYourBack) search(g rules.Game, turns int) bounds {
	if over, v := g.Ended(); over {
		return bounds{v, v}
	}
	if v, ok := w.lookup(g); ok {
		return bounds{v, v}
	}
	if w.visits++; w.visits > cmp.Or(w.Visits, defaultVisits) {
		w.exceeded = true
	}
	if turns == 0 || w.exceeded {
		return bounds{-1, 1}
	}
	key := searchKey{g, turns}
	if b, ok := w.memory[key]; ok && !w.noMemory {
		return b
	}
	best := bounds{-1, -1}
	for _, m := range g.Moves() {
		b := w.search(g.Play(m), turns-1).flip()
		best = bounds{max(best.Lower, b.Lower), max(best.Upper, b.Upper)}
	}
	if !w.exceeded && !w.noMemory {
		w.memory[key] = best
	}
	return best
}

// lookup returns the value of a position that is in a table; it makes the table if necessary.
func (w *WatchYourBack) lookup(g rules.Game) (v int, ok bool) {
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

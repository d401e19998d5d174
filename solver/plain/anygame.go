package plain

import (
	"cmp"
	"fmt"

	"endwise/engine"
)

// Rules solves a game by the game's own rules, where nobody wrote a second
// solver for it. It takes moves, turns and scores from the engine and nothing
// else: no keys, gains or bounds; positions are told apart by their whole
// notation, the player to move included.
type Rules struct {
	Game engine.Game
	// Visits is the most positions that a question may lead to, 0 for
	// RulesVisits.
	Visits int

	counted bool
	memory  map[string]int
	visits  int
}

// RulesVisits is the most positions of a question to Rules.
const RulesVisits = 200_000

// Solve implements Solver. The value of a game with a unit is the score still
// to be won by the mover minus the opponent's; of another game it is who wins.
func (r *Rules) Solve(position string) (Answer, error) {
	p, err := r.Game.Parse(position)
	if err != nil {
		return Answer{}, err
	}
	_, r.counted = r.Game.(engine.Counted)
	if r.memory == nil || len(r.memory) > maxMemory {
		r.memory = map[string]int{}
	}
	r.visits = 0
	if p.Over() {
		return Answer{Over: true}, nil
	}
	a := Answer{Moves: map[string]int{}}
	before := 0
	if r.counted {
		before = engine.Lead(p, p.Turn())
	}
	for i, m := range p.Moves() {
		q, err := p.Play(m)
		if err != nil {
			return Answer{}, err
		}
		end, err := r.end(q)
		if err != nil {
			return Answer{}, err
		}
		v := end[p.Turn()-1] - before
		a.Moves[p.MoveString(m)] = v
		if i == 0 || v > a.Value {
			a.Value = v
		}
	}
	return a, nil
}

// end is how the game ends with best play of both, for either side. The memory
// holds what it is for the first player.
func (r *Rules) end(p engine.Position) ([2]int, error) {
	if p.Over() {
		v := engine.Outcome(p, engine.First)
		if r.counted {
			v = engine.Lead(p, engine.First)
		}
		return [2]int{v, -v}, nil
	}
	name := p.String()
	if v, ok := r.memory[name]; ok {
		return [2]int{v, -v}, nil
	}
	limit := cmp.Or(r.Visits, RulesVisits)
	if r.visits++; r.visits > limit {
		return [2]int{}, fmt.Errorf("%s: more than %d positions: %w", r.Game.Name(), limit, ErrTooLarge)
	}
	var best [2]int
	me := p.Turn() - engine.First
	for i, m := range p.Moves() {
		q, err := p.Play(m)
		if err != nil {
			return [2]int{}, err
		}
		end, err := r.end(q)
		if err != nil {
			return [2]int{}, err
		}
		if i == 0 || end[me] > best[me] {
			best = end
		}
	}
	r.memory[name] = best[0]
	return best, nil
}

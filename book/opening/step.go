package opening

import (
	"fmt"
	"slices"

	"endwise/engine"
)

// step describes the effect of one move of a canonical position.
type step struct {
	Move   engine.Move
	Key    string // canonical key of the position after the move, "" if the game is over
	Gain   int16  // on the scale of [Value]
	Passes bool   // the turn passes to the opponent
	Over   bool
}

// playStep returns the effect of the move m in p.
func playStep(g engine.Game, p engine.Position, m engine.Move) (step, error) {
	q, err := p.Play(m)
	if err != nil {
		return step{}, err
	}
	gain := p.Gain(q) * g.ProofScale()
	if gain > maxScore || gain < -maxScore {
		return step{}, fmt.Errorf("move %s gains %d: outside ±%d", p.MoveString(m), gain, maxScore)
	}
	s := step{Move: m, Gain: int16(gain), Passes: q.Turn() != p.Turn(), Over: q.Over()}
	if !s.Over {
		key, _ := q.CanonicalKey(nil)
		s.Key = string(key)
	}
	return s, nil
}

// stepsOf returns the effects of p's moves, in ascending order of the moves, with one step per set of
// equivalent moves. indexOf maps every legal move to its index in steps.
func stepsOf(g engine.Game, p engine.Position) (steps []step, indexOf map[engine.Move]int, err error) {
	byEffect := map[step]int{} // by the step with Move set to 0
	moves := slices.Clone(p.Moves())
	slices.Sort(moves)
	indexOf = make(map[engine.Move]int, len(moves))
	for _, m := range moves {
		if m < 0 || m >= 1<<16 {
			return nil, nil, fmt.Errorf("move %d of %s: a book stores moves 0..%d", m, p.Game(), 1<<16-1)
		}
		s, err := playStep(g, p, m)
		if err != nil {
			return nil, nil, err
		}
		effect := s
		effect.Move = 0
		i, ok := byEffect[effect]
		if !ok {
			i = len(steps)
			byEffect[effect] = i
			steps = append(steps, s)
		}
		indexOf[m] = i
	}
	return steps, indexOf, nil
}

const maxKeyBytes = 255

// positionOf returns the position of a key, or an error if the key is not canonical or the game is over.
func positionOf(g engine.Game, key string) (engine.Position, error) {
	p, err := g.FromKey([]byte(key))
	if err != nil {
		return nil, fmt.Errorf("key %x: %w", key, err)
	}
	if again, _ := p.CanonicalKey(nil); string(again) != key {
		return nil, fmt.Errorf("key %x: not canonical; the canonical key is %x", key, again)
	}
	if p.Over() {
		return nil, fmt.Errorf("key %x: the game is over there", key)
	}
	return p, nil
}

// keyHash returns the FNV-1a hash of a key after a mixing step. childHash uses its upper half and blockOf
// its lower half.
func keyHash[T string | []byte](key T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

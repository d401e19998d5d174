package opening

import (
	"fmt"
	"slices"

	"endwise/engine"
)

// step is the effect of one move of a canonical position: the value of the move is the
// value of the position of Key, converted by Gain and Passes (Value.Through).
type step struct {
	Move   engine.Move
	Key    string // "" if the game is over
	Gain   int16  // on the scale of values
	Passes bool   // the turn passes to the opponent
	Over   bool   // the game ends
}

// playStep returns the effect of a move.
func playStep(g engine.Game, p engine.Position, m engine.Move) (step, error) {
	q, err := p.Play(m)
	if err != nil {
		return step{}, err
	}
	gain := p.Gain(q) * g.ProofScale()
	if gain > maxScore || gain < -maxScore {
		return step{}, fmt.Errorf("move %s gains %d: at most %d is possible", p.MoveString(m), gain, maxScore)
	}
	s := step{Move: m, Gain: int16(gain), Passes: q.Turn() != p.Turn(), Over: q.Over()}
	if !s.Over {
		key, _ := q.CanonicalKey(nil)
		s.Key = string(key)
	}
	return s, nil
}

// stepsOf returns the classes of p's moves: the first move of each, ascending. Moves of a
// class lead to the same canonical position with the same gain. classOf maps every legal
// move to the index of its class.
func stepsOf(g engine.Game, p engine.Position) (classes []step, classOf map[engine.Move]int, err error) {
	byEffect := map[step]int{} // the keys are steps without their move
	moves := slices.Clone(p.Moves())
	slices.Sort(moves)
	classOf = make(map[engine.Move]int, len(moves))
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
		class, ok := byEffect[effect]
		if !ok {
			class = len(classes)
			byEffect[effect] = class
			classes = append(classes, s)
		}
		classOf[m] = class
	}
	return classes, classOf, nil
}

// maxKeyBytes is the maximum length of a canonical key in a book.
const maxKeyBytes = 255

// positionOf returns the position of a key, which must be canonical and not over.
func positionOf(g engine.Game, key string) (engine.Position, error) {
	p, err := g.FromKey([]byte(key))
	if err != nil {
		return nil, fmt.Errorf("key %x: %w", key, err)
	}
	if again, _ := p.CanonicalKey(nil); string(again) != key {
		return nil, fmt.Errorf("key %x: not canonical, that is %x", key, again)
	}
	if p.Over() {
		return nil, fmt.Errorf("key %x: the game is over there", key)
	}
	return p, nil
}

// keyHash returns the FNV-1a hash of a key with its bits mixed once more. Working stores
// find children by its upper half, published books find blocks by its lower half.
func keyHash[T string | []byte](key T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

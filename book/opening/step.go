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
	Key    string // "" where the game is over
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
// class lead to the same canonical position with the same gain. members maps every legal
// move to its class.
func stepsOf(g engine.Game, p engine.Position) (classes []step, members map[engine.Move]int, err error) {
	seen := map[step]int{} // by the effect without the move
	moves := slices.Clone(p.Moves())
	slices.Sort(moves)
	members = make(map[engine.Move]int, len(moves))
	for _, m := range moves {
		if m < 0 || m >= 1<<16 {
			return nil, nil, fmt.Errorf("move %d of %s: a book stores moves 0..%d", m, p.Game(), 1<<16-1)
		}
		s, err := playStep(g, p, m)
		if err != nil {
			return nil, nil, err
		}
		does := s
		does.Move = 0
		at, ok := seen[does]
		if !ok {
			at = len(classes)
			seen[does] = at
			classes = append(classes, s)
		}
		members[m] = at
	}
	return classes, members, nil
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

// keyHash returns the hash of a key, FNV-1a with its bits mixed once more. Its upper half
// finds children in a working store, its lower half blocks of a published book.
func keyHash[T string | []byte](key T) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

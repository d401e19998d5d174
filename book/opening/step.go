package opening

import (
	"fmt"
	"slices"

	"endwise/engine"
)

// step is what playing one move of a canonical position means for a book: the value
// of the move is that of the position of Key through Gain and Passes (Value.Through).
type step struct {
	Move   engine.Move
	Key    string // "" where the game is over
	Gain   int16  // on the scale of values
	Passes bool   // the turn
	Over   bool   // the game
}

// playStep follows one move.
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

// stepsOf lists the classes of p's moves, those that lead to one canonical position in
// one way: the first move of each, ascending. members says for every legal move
// which class it is in.
func stepsOf(g engine.Game, p engine.Position) (classes []step, members map[engine.Move]int, err error) {
	seen := map[step]int{} // by what the move does, without the move
	moves := slices.Clone(p.Moves())
	slices.Sort(moves)
	members = make(map[engine.Move]int, len(moves))
	for _, m := range moves {
		if m < 0 || m >= 1<<16 {
			return nil, nil, fmt.Errorf("move %d of %s: a book keeps moves 0..%d", m, p.Game(), 1<<16-1)
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

// maxKeyBytes is the longest canonical key that a book keeps.
const maxKeyBytes = 255

// positionOf is the position of a key that must be canonical and not over.
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

// keyHash is the hash of a key, FNV-1a with its bits mixed once more. Its upper half
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

package facts

import (
	"fmt"

	"endwise/book/opening/value"
	"endwise/engine"
)

// Check compares a record with the rules. mended are its classes with
// everything put right that the rules alone decide, nil where that is not enough.
func (r *Record) Check(g engine.CanonicalGame, report func(where, what string)) (mended []Class) {
	where := fmt.Sprintf("node %x", r.Key)
	p, err := value.Position(g, r.Key)
	if err != nil {
		report(where, err.Error())
		return nil
	}
	where = "node " + p.String()
	steps, members, err := value.Steps(g, p)
	if err != nil {
		report(where, err.Error())
		return nil
	}
	mended = blank(steps)
	held := make([]bool, len(steps))
	enough := true
	for _, c := range r.Classes {
		name := p.MoveString(engine.Move(c.Move))
		at, legal := members[engine.Move(c.Move)]
		if !legal {
			report(where, fmt.Sprintf("move %s is not legal there", name))
			enough = false
			continue
		}
		w := &mended[at]
		enough = enough && !held[at]
		held[at] = true
		switch {
		case w.Move != c.Move:
			report(where, fmt.Sprintf("move %s: its class is led by %s", name, p.MoveString(engine.Move(w.Move))))
		case w.Ends != c.Ends:
			report(where, fmt.Sprintf("move %s: wrong about whether the game is over after it", name))
		case c.Ends && c.Leaf != w.Leaf:
			report(where, fmt.Sprintf("move %s: %s, but it ends the game with %d", name, c.Leaf, w.Leaf.Lo))
		case !c.Ends && c.Hash != w.Hash:
			report(where, fmt.Sprintf("move %s: the hash of its position is wrong", name))
		case c.Leaf != c.Leaf.Clamp():
			report(where, fmt.Sprintf("move %s: the estimate %s lies outside its bounds", name, c.Leaf))
		}
		if !w.Ends {
			w.Leaf = c.Leaf.Clamp()
		}
	}
	for at, w := range mended {
		if !held[at] {
			report(where, fmt.Sprintf("move %s is left out", p.MoveString(engine.Move(w.Move))))
			enough = enough && w.Ends
		}
	}
	if !enough {
		return nil
	}
	return mended
}

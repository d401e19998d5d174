package alphabeta

import "endwise/solver/canon"

// rule is what is proved of a type in every sum.
type rule struct {
	replaced bool
	by       []canon.Code // stands for the type, if replaced; none: the type is worth nothing
	cancels  bool         // two of the type are worth nothing
}

// ruleBook holds rules by type.
type ruleBook struct {
	pairs bool // identical hot components cancel
	rules map[canon.Key]rule
}

func (b *ruleBook) find(k canon.Key) (rule, bool) {
	r, ok := b.rules[k]
	return r, ok
}

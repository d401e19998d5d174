package exact

import (
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// bound is an entry of the transposition table.
type bound struct {
	lower, upper int8
	move         uint16 // signature of the move that raised the lower bound
}

// bounds returns the bounds stored for a key.
func (s *shared) bounds(k graph.Key) (bound, bool) {
	d, work := s.table.Get(k.Hi, k.Lo)
	return bound{lower: int8(d), upper: int8(d >> 8), move: uint16(d >> 16)}, work > 0
}

// keep stores bounds that took the given number of nodes.
func (s *shared) keep(k graph.Key, b bound, nodes uint64) {
	s.table.Put(k.Hi, k.Lo, uint64(uint8(b.lower))|uint64(uint8(b.upper))<<8|uint64(b.move)<<16, tt.Work(nodes))
}

package exact

import (
	"endwise/solver/circuitwars/graph"
	"endwise/solver/tt"
)

// bound is an entry of the transposition table.
type bound struct {
	lower, upper int8
	move         uint16 // signature of the move that raised the lower bound, 0 for none
}

func (s *shared) bounds(k graph.Key) (b bound, ok bool) {
	d, work := s.table.Get(k.Hi, k.Lo)
	return bound{lower: int8(d), upper: int8(d >> 8), move: uint16(d >> 16)}, work > 0
}

func (s *shared) setBounds(k graph.Key, b bound, nodes uint64) {
	s.table.Put(k.Hi, k.Lo, uint64(uint8(b.lower))|uint64(uint8(b.upper))<<8|uint64(b.move)<<16, tt.Work(nodes))
}

package alphabeta

import "endwise/solver/canon"

// orderOf ranks the moves of one component among moves whose static bounds
// agree, the higher the earlier.
func orderOf(code canon.Code, c *canon.Cut) int8 {
	d := degree(code, c.A)
	if c.B != canon.Ground {
		d += degree(code, c.B)
	}
	return int8(d)
}

func degree(code canon.Code, v uint8) int {
	n := 0
	for i := range 4 {
		if code.Border(int(v), i) != canon.None {
			n++
		}
	}
	return n
}
